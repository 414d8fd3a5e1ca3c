"""Merged merchants: each counts as one that is not merged itself, and what it came along with is merged beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.db import db
from webapp.models import Merchant, of_same_organization, refers_to
from webapp.queries.checks.violations import Violation, found


def merged_into_merged() -> Iterable[Violation]:
    """Find merchants that count as one which is merged itself."""
    other = orm.aliased(Merchant)
    return found(
        "merged_into_merged",
        sa.select(Merchant.organization_id, Merchant.id, other.id.label("other_id"))
        .join(other, refers_to(Merchant.merged_into_id, other))
        .where(other.merged_into_id.is_not(None))
        .order_by(Merchant.id),
        lambda row: f"Merchant {row.id} counts as merchant {row.other_id}, which is merged itself.",
        _merchant,
    )


def merged_through_another() -> Iterable[Violation]:
    """Find merchants that came along with one that does not count as the same."""
    other = orm.aliased(Merchant)
    through = sa.and_(of_same_organization(other, Merchant), other.id == Merchant.merged_through_id)
    return found(
        "merged_through_another",
        sa.select(Merchant.organization_id, Merchant.id, other.id.label("other_id"))
        .join(other, through)
        .where(Merchant.merged_into_id.is_distinct_from(other.merged_into_id))
        .order_by(Merchant.id),
        lambda row: (
            f"Merchant {row.id} came along with merchant {row.other_id}, which counts as another one."
        ),
        _merchant,
    )


def merged_in_a_loop() -> Iterator[Violation]:
    """Find merchants that came along with each other, so that none of them can be separated."""
    rows = db.session.execute(
        sa.select(Merchant.organization_id, Merchant.id, Merchant.merged_through_id)
        .where(Merchant.merged_through_id.is_not(None))
        .order_by(Merchant.id)
    ).all()
    through = {row.id: row.merged_through_id for row in rows}
    for row in rows:
        if _leads_back(row.id, through):
            sentence = f"Merchant {row.id} came along with merchants that came along with it."
            yield Violation("merged_in_a_loop", sentence, row.organization_id, _merchant(row))


def _leads_back(merchant_id: int, through: Mapping[int, int]) -> bool:
    seen: set[int] = set()
    while (merchant_id := through.get(merchant_id, 0)) not in seen:
        if not merchant_id:
            return False
        seen.add(merchant_id)
    return True


def _merchant(row: Any) -> dict[str, object]:
    return {"orgMerchantId": row.id}


CHECKS = (merged_into_merged, merged_through_another, merged_in_a_loop)
