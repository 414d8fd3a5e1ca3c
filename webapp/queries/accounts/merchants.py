"""Queries on merchants."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

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
    organization_id: str, *, q: str | None = None, after: tuple[Any, ...] | None, limit: int
) -> Page[Merchant]:
    """List merchants by name, all or those whose name or website contains a text."""
    statement = sa.select(Merchant).where(Merchant.organization_id == organization_id)
    if q is not None:
        texts = (Merchant.name, Merchant.website)
        statement = statement.where(
            sa.or_(*(fold(text).like(like_pattern(q), escape="\\") for text in texts))
        )
    return page(statement, BY_NAME, after=after, limit=limit)
