"""Lists of bank lines that are asked for by what stands on a line itself: most lists are, by programs and in bulk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from functools import cache
from typing import Any, Final

import sqlalchemy as sa

from webapp.ledger.money import Money
from webapp.queries.common.paging import Page
from webapp.snapshots.statements import TextStatement
from webapp.snapshots.stored_values import day, instant


@dataclass(frozen=True, slots=True)
class TransactionFilters:
    """The filters of a list of lines; days are inclusive, and no ids leave all lines."""

    fa_id: int | None = None
    account_id: int | None = None
    project_id: int | None = None
    project_group_id: int | None = None
    org_merchant_id: int | None = None
    status: str | None = None
    entry_status: str | None = None
    uncategorised: bool | None = None
    reconciled: bool | None = None
    from_: date | None = None
    to: date | None = None
    q: str | None = None
    ids: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A bank line as it is stored."""

    id: int
    feed_account_id: int
    provider_transaction_id: str | None
    status: str
    booked_on: date
    value_on: date | None
    amount: Money
    currency: str
    description: str
    counterparty: str | None
    reference: str | None
    iban: str | None
    journal_entry_id: int | None
    import_id: int | None
    created_at: datetime
    updated_at: datetime


# The filters that compare a column of the line itself, and how.
_COMPARED: Final = {
    "fa_id": "t.feed_account_id = :fa_id",
    "status": "t.status = :status",
    "from_": "t.booked_on >= :from_",
    "to": "t.booked_on <= :to",
}
_AFTER: Final = "(t.booked_on, t.id) < (:after_day, :after_id)"
_OTHERS: Final = [each.name for each in fields(TransactionFilters) if each.name not in _COMPARED]


def is_plain(filters: TransactionFilters) -> bool:
    """Tell whether a list is filtered by nothing but columns of the line itself."""
    return all(getattr(filters, name) in (None, ()) for name in _OTHERS)


def page(
    organization_id: str,
    filters: TransactionFilters,
    whole: Callable[[], sa.Select[Any]],
    *,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[StoredLine]:
    """List lines with plain filters, newest first; `whole` makes the statement that selects all of them."""
    values = {name: value for name in _COMPARED if (value := getattr(filters, name)) is not None}
    names = tuple(values)
    if after is not None:
        values["after_day"], values["after_id"] = after
    statement = _statement(names, is_after=after is not None)
    rows = statement.rows(organization_id=organization_id, most=limit + 1, **values)
    lines = [_line(*row) for row in rows[:limit]]
    if after is None and len(rows) <= limit:
        return Page(lines, None, len(lines))
    return Page(lines, (lines[-1].booked_on, lines[-1].id) if len(rows) > limit else None, whole)


@cache
def _statement(names: Sequence[str], *, is_after: bool) -> TextStatement:
    compared = ["t.organization_id = :organization_id", *(_COMPARED[name] for name in names)]
    return TextStatement(f"""
        SELECT t.id, t.feed_account_id, t.provider_transaction_id, t.status, t.booked_on, t.value_on, t.amount_minor,
            t.currency, t.description, t.counterparty, t.reference, t.iban, t.journal_entry_id, t.import_id,
            t.created_at, t.updated_at
        FROM transactions t WHERE {" AND ".join([*compared, *([_AFTER] if is_after else [])])}
        ORDER BY t.booked_on DESC, t.id DESC LIMIT :most""")  # noqa: S608  (our own words)


def _line(*row: Any) -> StoredLine:
    line_id, fa_id, provider_id, status, booked_on, value_on, amount, currency, *others = row
    *texts, created_at, updated_at = others
    values: list[Any] = [
        *(
            line_id,
            fa_id,
            provider_id,
            status,
            day(booked_on),
            day(value_on),
            Money(amount, currency),
            currency,
        ),
        *texts,
        *(instant(created_at), instant(updated_at)),
    ]
    return StoredLine(*values)
