"""Queries on tax codes."""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import TaxCode
from webapp.queries.common import lookups
from webapp.queries.common.paging import Order, Page, page

BY_CODE = Order((TaxCode.code, TaxCode.id), ascends=True)  # type: ignore[arg-type]


def get(organization_id: str, code_id: int) -> TaxCode:
    """Find a code, or raise NotFoundError."""
    return lookups.get(TaxCode, organization_id, code_id)


def listed(
    organization_id: str,
    *,
    side: str | None = None,
    archived: bool | None = None,
    ids: Sequence[int] = (),
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[TaxCode]:
    """List codes A to Z, all, of one side, or some."""
    statement = sa.select(TaxCode).where(TaxCode.organization_id == organization_id)
    if side is not None:
        statement = statement.where(TaxCode.side == side)
    if archived is not None:
        statement = statement.where(TaxCode.is_archived.is_(archived))
    if ids:
        statement = statement.where(TaxCode.id.in_(ids))
    return page(statement, BY_CODE, after=after, limit=limit)


def choices(organization_id: str) -> list[dict[str, Any]]:
    """List the codes that a page offers, A to Z: those in use, each with its name."""
    statement = sa.select(TaxCode).where(
        TaxCode.organization_id == organization_id, TaxCode.is_archived.is_(False)
    )
    found = db.session.scalars(statement.order_by(TaxCode.code))
    return [{"id": each.id, "name": f"{each.code} · {each.name}"} for each in found]


def by_rate(organization_id: str, side: str) -> dict[Decimal, int]:
    """Find the code that each rate of an invoice most likely is: the first one that the pack has."""
    statement = sa.select(TaxCode).where(
        TaxCode.organization_id == organization_id,
        TaxCode.side == side,
        TaxCode.is_archived.is_(False),
        TaxCode.is_self_assessed.is_(False),
        TaxCode.amount_is == "BASE",
    )
    found: dict[Decimal, int] = {}
    for each in db.session.scalars(statement.order_by(TaxCode.id)):
        found.setdefault(each.rate, each.id)
    return found


def taken(organization_id: str, codes: Iterable[str]) -> list[str]:
    """List those of some codes that the books have, A to Z."""
    statement = sa.select(TaxCode.code).where(
        TaxCode.organization_id == organization_id, TaxCode.code.in_([*codes])
    )
    return list(db.session.scalars(statement.order_by(TaxCode.code)))


def is_valid(code: TaxCode, tax_point: date) -> bool:
    """Return whether a code is for supplies of a day."""
    return (code.valid_from is None or code.valid_from <= tax_point) and (
        code.valid_to is None or tax_point <= code.valid_to
    )
