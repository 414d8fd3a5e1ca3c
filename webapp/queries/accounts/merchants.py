"""Queries on merchants: finding one, those that count, and those that are merged into one."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.db import db
from webapp.ledger.journal.transfer_sides import compact
from webapp.models import Merchant
from webapp.queries.common import lookups
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.search import like_pattern
from webapp.sql_functions import fold

BY_NAME = Order((fold(Merchant.name), Merchant.id), ascends=True)  # type: ignore[arg-type]


def get(organization_id: str, merchant_id: int) -> Merchant:
    """Find a merchant, or raise NotFoundError."""
    return lookups.get(Merchant, organization_id, merchant_id)


def listed(
    organization_id: str,
    *,
    q: str | None = None,
    merged_into_id: int | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[Merchant]:
    """List by name the merchants that count, or those that are merged into one.

    A text is looked for in their names and websites, and in the names of those that are merged into them.
    """
    statement = sa.select(Merchant).where(
        Merchant.organization_id == organization_id,
        # No id is None, so that this asks for those that are not merged.
        Merchant.merged_into_id.is_not_distinct_from(merged_into_id),
    )
    if q is not None:
        statement = statement.where(_matches(organization_id, q))
    return page(statement, BY_NAME, after=after, limit=limit)


def recognised(
    organization_id: str, *, vat_id: str | None, iban: str | None, name: str | None
) -> list[Merchant]:
    """List the merchants that count that are known by a VAT id, else by an account, else by a name regardless of case.

    Several are for a person to choose from.
    """
    conditions = [
        _is_marked(Merchant.vat_ids, vat_id),
        _is_marked(Merchant.ibans, iban),
        None if not name else fold(Merchant.name) == fold(sa.literal(name)),
    ]
    for condition in conditions:
        if condition is None:
            continue
        of_books = Merchant.organization_id == organization_id
        found = db.session.scalars(sa.select(Merchant).where(of_books, condition).order_by(Merchant.id)).all()
        if found:
            ids = dict.fromkeys(each.counting_id for each in found)
            return list(lookups.by_id(Merchant, organization_id, ids).values())
    return []


def _is_marked(column: Any, mark: str | None) -> sa.ColumnElement[bool] | None:
    """Build the condition that a list of marks has one; they are stored as JSON, each within quotes."""
    wanted = compact(mark or "")
    if not wanted:
        return None
    pattern = like_pattern(json.dumps(wanted))
    return fold(sa.cast(column, sa.Text)).like(pattern, escape="\\")


def _matches(organization_id: str, typed: str) -> sa.ColumnElement[bool]:
    other, pattern = orm.aliased(Merchant), like_pattern(typed)
    merged = sa.select(other.merged_into_id).where(
        other.organization_id == organization_id,
        other.merged_into_id.is_not(None),
        fold(other.name).like(pattern, escape="\\"),
    )
    own = [fold(text).like(pattern, escape="\\") for text in (Merchant.name, Merchant.website)]
    return sa.or_(*own, Merchant.id.in_(merged))


def merged_into(merchant: Merchant) -> list[Merchant]:
    """List the merchants that count as another one, A to Z."""
    found = sa.select(Merchant).where(
        Merchant.organization_id == merchant.organization_id, Merchant.merged_into_id == merchant.id
    )
    return list(db.session.scalars(found.order_by(*BY_NAME.columns)))
