"""Queries on merchants: finding one, those that count, and those that are merged into one."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.db import db
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
