"""Rows in the form in which the audit chain binds them, read anew from the books."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.column_types import Exact, Instant
from webapp.database.functions import unindexed
from webapp.database.sessions import db
from webapp.ledger.bound_rows import FIELDS
from webapp.models import (
    Account,
    ApiToken,
    BoundRow,
    Document,
    DocumentFile,
    ExchangeRate,
    FeedAccount,
    FinancialYear,
    JournalEntry,
    Membership,
    Organization,
    Posting,
    Reconciliation,
    ReconciliationItem,
    Settlement,
    SettlementEntry,
    SettlementPart,
    Transaction,
    WrittenRow,
)
from webapp.models.base import table_of
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import portions

AT_ONCE: Final = 2000
Writer = Callable[[Sequence[Any]], list[object]]


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows that belong to others: the column that names these, none for the organization, and their order."""

    table: sa.Table
    of: str
    order: str = "id"

    @property
    def owner(self) -> sa.ColumnElement[int]:
        """The id of the row that it belongs to."""
        return self.table.c[self.of] if self.of else sa.literal(0)


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the rows of a kind are: the column of their id, the statuses that count, and the rows that belong to them.

    The organization itself has no column, and the id 0.
    """

    table: sa.Table
    id: str = "id"
    statuses: tuple[str, ...] = ()
    parts: tuple[_Part, ...] = ()

    @property
    def key(self) -> sa.ColumnElement[int]:
        """The id of a row."""
        return self.table.c[self.id] if self.id else sa.literal(0)

    def chosen(self, organization_id: str) -> Iterator[sa.ColumnElement[bool]]:
        """Choose the rows of an organization that are bound."""
        # Among all rows of an organization, SQLite would look for the few that an act wrote.
        yield unindexed(self.table.c["organization_id" if self.id else "id"]) == organization_id
        if self.statuses:
            yield self.table.c.status.in_(self.statuses)


_SOURCES: Final[Mapping[str, _Source]] = {
    "account": _Source(table_of(Account)),
    "bank_account": _Source(table_of(FeedAccount)),
    "document": _Source(table_of(Document), parts=(_Part(table_of(DocumentFile), "document_id"),)),
    "entry": _Source(
        table_of(JournalEntry),
        statuses=("POSTED", "VOIDED"),
        parts=(_Part(table_of(Posting), "journal_entry_id", "position"),),
    ),
    "key": _Source(table_of(ApiToken)),
    "line": _Source(table_of(Transaction), statuses=("BOOKED", "SET_ASIDE", "REMOVED")),
    "member": _Source(table_of(Membership), "user_id"),
    "organization": _Source(
        table_of(Organization), "", parts=(_Part(table_of(FinancialYear), "", "starts_on"),)
    ),
    "proof": _Source(
        table_of(Reconciliation),
        statuses=("COMPLETED", "REOPENED"),
        parts=(_Part(table_of(ReconciliationItem), "reconciliation_id"),),
    ),
    "rate": _Source(table_of(ExchangeRate)),
    "settlement": _Source(
        table_of(Settlement),
        statuses=("STANDING", "UNDONE"),
        parts=(
            _Part(table_of(SettlementPart), "settlement_id"),
            _Part(table_of(SettlementEntry), "settlement_id", "journal_entry_id"),
        ),
    ),
}


def rows_of(
    kind: str, organization_id: str, ids: Collection[int] | None = None
) -> Iterator[tuple[int, list[object]]]:
    """Read the rows of a kind that are bound, all or some, in the order of their ids: each with its values."""
    if ids is not None:
        for portion in portions(sorted(ids), AT_ONCE):
            yield from _read(
                kind, organization_id, db.session.execute(*_AMONG[kind](organization_id, portion)).all()
            )
        return
    last, is_more = -1, True
    while is_more:
        rows = db.session.execute(*_BEHIND[kind](organization_id, last)).all()
        yield from _read(kind, organization_id, rows)
        is_more = len(rows) == AT_ONCE
        last = rows[-1][0] if rows else last


def _read(kind: str, organization_id: str, rows: Sequence[sa.Row[Any]]) -> list[tuple[int, list[object]]]:
    ids = [row[0] for row in rows]
    parts = [_parts(*each, organization_id, ids) for each in _PARTS[kind]] if rows else []
    write = _WRITERS[kind]
    return [(row[0], [*write(row[1:]), *(each.get(row[0], []) for each in parts)]) for row in rows]


def _parts(
    statement: Callable[..., Any], write: Writer, organization_id: str, ids: Sequence[int]
) -> dict[int, list[list[object]]]:
    found: dict[int, list[list[object]]] = {}
    for owner_id, *values in db.session.execute(*statement(organization_id, ids)):
        found.setdefault(owner_id, []).append(write(values))
    return found


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a row: its values, None where it is gone, and by which events its digests were bound."""

    row_id: int
    values: list[Any] | None
    history: list[Any]


def kept(kind: str, organization_id: str) -> Iterator[Kept]:
    """Read the rows of a kind that are bound or ever were, in the order of their ids, with what was bound of each."""
    statement = sa.select(BoundRow.row_id, BoundRow.sequence, BoundRow.digest).where(
        BoundRow.organization_id == organization_id, BoundRow.kind == kind
    )
    statement = statement.order_by(BoundRow.row_id, BoundRow.sequence)
    with db.session.execute(statement, execution_options={"yield_per": AT_ONCE}) as bound:
        both = merge(
            ((row.row_id, row, None) for row in bound),
            ((row_id, None, values) for row_id, values in rows_of(kind, organization_id)),
            key=itemgetter(0),
        )
        for row_id, group in groupby(both, itemgetter(0)):
            found = list(group)
            values = [values for _, _, values in found if values is not None]
            yield Kept(row_id, values[0] if values else None, [row for _, row, _ in found if row is not None])


def not_bound() -> dict[str, int]:
    """Count by organization the rows that were written since its last event."""
    noted = sa.select(WrittenRow.organization_id, sa.func.count()).group_by(WrittenRow.organization_id)
    found = db.session.execute(noted.order_by(WrittenRow.organization_id)).all()
    return {row[0]: row[1] for row in found}


def _writer(columns: Sequence[sa.Column[Any]]) -> Writer:
    """Give a function that writes the values of some columns as JSON has them."""
    written = [
        (place, write)
        for place, column in enumerate(columns)
        if (write := _WRITTEN.get(type(column.type))) is not None
    ]

    def as_json(row: Sequence[Any]) -> list[object]:
        values = list(row)
        for place, write in written:
            if values[place] is not None:
                values[place] = write(values[place])
        return values

    return as_json


def _instant(value: datetime) -> str:
    return value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _digits(value: Decimal) -> str:
    return format(value, "f")


# Many rows have the same instant.
_WRITTEN: Final[Mapping[type, Callable[[Any], str]]] = {
    Instant: lru_cache(_instant),
    sa.Date: date.isoformat,
    Exact: _digits,
}


def _columns(kind: str) -> list[sa.Column[Any]]:
    return [_SOURCES[kind].table.c[name] for name in FIELDS[kind] if isinstance(name, str)]


def _among(kind: str) -> Callable[..., Any]:
    source = _SOURCES[kind]

    @made_once
    def among(organization_id: str, ids: Collection[int]) -> sa.Select[Any]:
        rows = sa.select(source.key.label("row_id"), *_columns(kind))
        return rows.where(*source.chosen(organization_id), source.key.in_(ids)).order_by("row_id")

    return among


def _behind(kind: str) -> Callable[..., Any]:
    source = _SOURCES[kind]

    @made_once
    def behind(organization_id: str, last: int) -> sa.Select[Any]:
        rows = sa.select(source.key.label("row_id"), *_columns(kind))
        return (
            rows.where(*source.chosen(organization_id), source.key > last).order_by("row_id").limit(AT_ONCE)
        )

    return behind


def _part(part: _Part, names: Any) -> tuple[Callable[..., Any], Writer]:
    columns = [part.table.c[name] for name in names]

    @made_once
    def among(organization_id: str, ids: Collection[int]) -> sa.Select[Any]:
        rows = sa.select(part.owner.label("owner_id"), *columns)
        chosen = unindexed(part.table.c.organization_id) == organization_id, part.owner.in_(ids)
        return rows.where(*chosen).order_by("owner_id", part.table.c[part.order])

    return among, _writer(columns)


_AMONG: Final = {kind: _among(kind) for kind in FIELDS}
_BEHIND: Final = {kind: _behind(kind) for kind in FIELDS}
_WRITERS: Final = {kind: _writer(_columns(kind)) for kind in FIELDS}
_PARTS: Final = {
    kind: [
        _part(part, field[1])
        for part, field in zip(
            _SOURCES[kind].parts, (each for each in fields if not isinstance(each, str)), strict=True
        )
    ]
    for kind, fields in FIELDS.items()
}
