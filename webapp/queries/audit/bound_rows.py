"""Rows in the form in which the audit chain binds them, read anew from the books."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from webapp.database.sessions import db
from webapp.ledger.bound_rows import FIELDS, LEFT_OUT, Fields
from webapp.models import (
    Account,
    ApiToken,
    BankConnection,
    BoundRow,
    Close,
    ConnectedAccount,
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
    Schedule,
    SchedulePart,
    Settlement,
    SettlementEntry,
    SettlementPart,
    TaxCode,
    TaxPack,
    TaxPart,
    TaxRate,
    TaxReturn,
    TaxStamp,
    Transaction,
    WrittenRow,
)
from webapp.models.base import table_of
from webapp.queries.common.made_once import made_once

AT_ONCE: Final = 2000
Shorten = Callable[[Sequence[object]], list[object]]


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows that belong to others: the column that names these, none for the organization, their order, and which."""

    table: sa.Table
    of: str
    order: str = "id"
    are_bound: tuple[sa.ColumnElement[bool], ...] = ()


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
    def of(self) -> sa.Column[str]:
        """The organization of a row."""
        return self.table.c["organization_id" if self.id else "id"]

    def are_bound(self, organization_id: str) -> sa.ColumnElement[bool]:
        """Choose the rows of an organization that are bound."""
        statuses = (self.table.c.status.in_(self.statuses),) if self.statuses else ()
        return sa.and_(self.of == organization_id, *statuses)


# What the provider shows is no choice of anybody yet.
_IS_CHOSEN: Final = sa.or_(ConnectedAccount.feed_account_id.is_not(None), ConnectedAccount.is_left)
SOURCES: Final[Mapping[str, _Source]] = {
    "account": _Source(table_of(Account)),
    "bank_account": _Source(table_of(FeedAccount)),
    "bank_connection": _Source(
        table_of(BankConnection),
        parts=(_Part(table_of(ConnectedAccount), "connection_id", are_bound=(_IS_CHOSEN,)),),
    ),
    "close": _Source(table_of(Close), statuses=("CLOSED", "REOPENED")),
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
    "schedule": _Source(table_of(Schedule), parts=(_Part(table_of(SchedulePart), "schedule_id", "number"),)),
    "settlement": _Source(
        table_of(Settlement),
        statuses=("STANDING", "UNDONE"),
        parts=(
            _Part(table_of(SettlementPart), "settlement_id"),
            _Part(table_of(SettlementEntry), "settlement_id", "journal_entry_id"),
        ),
    ),
    "tax_code": _Source(table_of(TaxCode)),
    "tax_pack": _Source(table_of(TaxPack)),
    "tax_part": _Source(table_of(TaxPart)),
    "tax_rate": _Source(table_of(TaxRate)),
    "tax_return": _Source(table_of(TaxReturn), parts=(_Part(table_of(TaxStamp), "return_id"),)),
}
# What no act makes of a row counts as what it was: how the last try to post it or to ask went.
_COUNTS_AS: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {
    ("bank_connections", "status"): {"FAILING": "ACTIVE", "NEEDS_CONSENT": "ACTIVE"},
    ("schedule_parts", "state"): {"REFUSED": "PLANNED"},
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """How the rows of a kind are read: with a first list of what belongs to each, if any, and the others by themselves.

    `width` is the number of a row's own values; those of the first list stand behind them and its organization.
    """

    rows: Callable[..., Any]
    shortened: Shorten
    width: int
    shortened_first: Shorten | None
    further: list[tuple[Callable[..., Any], Shorten]]

    def values(self, group: Sequence[Sequence[object]], further: list[object]) -> list[object] | None:
        """Give the values of a row, which is there once for each of its first list; None where it is bound no more."""
        own = group[0][2 : 2 + self.width]
        if group[0][1] is None:
            return None
        if self.shortened_first is None:
            return [*self.shortened(own), *further]
        place = 2 + self.width
        first = [self.shortened_first(row[place + 1 :]) for row in group if row[place] is not None]
        return [*self.shortened(own), first, *further]


def rows_of(
    kind: str, organization_id: str, *, are_written: bool = False
) -> Iterator[tuple[int, list[object] | None]]:
    """Read the rows of a kind that are bound, in the order of their ids: each with its values.

    Those that `are_written` were so since the last event, and have None where they are bound no more.
    """
    asked, last, count = (_WRITTEN if are_written else _ALL)[kind], -1, AT_ONCE
    while count == AT_ONCE:
        rows, first, count = db.session.execute(*asked.rows(organization_id, last)).all(), last, 0
        if rows:
            first, last = rows[0][0], rows[-1][0]
        further = [_parts(*each, organization_id, first, last) for each in asked.further] if rows else []
        for count, (row_id, group) in enumerate(groupby(rows, itemgetter(0)), 1):  # noqa: B007
            yield row_id, asked.values(list(group), [each.get(row_id, []) for each in further])


def _parts(
    statement: Callable[..., Any], shortened: Shorten, organization_id: str, first: int, last: int
) -> dict[int, list[list[object]]]:
    found: dict[int, list[list[object]]] = {}
    for owner_id, *values in db.session.execute(*statement(organization_id, first, last)):
        found.setdefault(owner_id, []).append(shortened(values))
    return found


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a row: its values, None where it is gone, and by which events its digests were bound."""

    kind: str
    row_id: int
    values: list[Any] | None
    history: list[Any]


def kept(organization_id: str) -> Iterator[Kept]:
    """Read the rows that are bound or ever were, by kind and in the order of their ids, with what was bound of each."""
    kinds = list(FIELDS)
    place = sa.case({kind: place for place, kind in enumerate(kinds)}, value=BoundRow.kind).label("place")
    statement = sa.select(place, BoundRow.row_id, BoundRow.sequence, BoundRow.format, BoundRow.digest).where(
        BoundRow.organization_id == organization_id, BoundRow.kind.in_(kinds)
    )
    statement = statement.order_by(place, BoundRow.row_id, BoundRow.sequence)
    with db.session.execute(statement, execution_options={"yield_per": AT_ONCE}) as bound:
        both = merge(
            ((row.place, row.row_id, row, None) for row in bound),
            (
                (number, row_id, None, values)
                for number, kind in enumerate(kinds)
                for row_id, values in rows_of(kind, organization_id)
            ),
            key=itemgetter(0, 1),
        )
        for (number, row_id), group in groupby(both, itemgetter(0, 1)):
            found = list(group)
            history = [row for *_, row, _ in found if row is not None]
            values = next((values for *_, values in found if values is not None), None)
            yield Kept(kinds[number], row_id, values, history)


def not_bound() -> dict[str, int]:
    """Count by organization the rows that were written since its last event."""
    noted = sa.select(WrittenRow.organization_id, sa.func.count()).group_by(WrittenRow.organization_id)
    found = db.session.execute(noted.order_by(WrittenRow.organization_id)).all()
    return {row[0]: row[1] for row in found}


def _shortener(names: Iterable[object]) -> Shorten:
    """Give a function that leaves out the end of a row that has nothing from there on."""
    ends = [place for place, name in enumerate(names) if name in LEFT_OUT]

    def shortened(values: Sequence[object]) -> list[object]:
        for end in ends:
            if not any(value not in (None, False) for value in values[end:]):
                return [*values[:end]]
        return [*values]

    return shortened


class _Written(sa.types.UserDefinedType[str]):
    """A value as JSON has it, written by a function from what the driver reads, if anything: on SQLite text."""

    cache_ok = True

    def __init__(self, write: Callable[[Any], str | None]) -> None:
        super().__init__()
        self.write = write

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[Any], str | None]:
        """Write values by the function itself, for an act reads thousands of them."""
        del dialect, coltype
        return self.write


# Many rows have the same instant, or the same day.
@lru_cache(AT_ONCE)
def _instant(value: datetime | str | None) -> str | None:
    if value is None:
        return None
    at = datetime.fromisoformat(value) if isinstance(value, str) else value.astimezone(UTC)
    return at.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


@lru_cache(AT_ONCE)
def _day(value: date | str | None) -> str | None:
    return None if value is None else str(value)


def _digits(value: Decimal | str | None) -> str | None:
    return None if value is None else format(Decimal(value), "f")


_WRITTEN_AS: Final[Mapping[type, _Written]] = {
    Instant: _Written(_instant),
    sa.Date: _Written(_day),
    Exact: _Written(_digits),
}


def _columns(table: sa.Table, names: Iterable[object]) -> list[sa.ColumnElement[Any]]:
    return [_column(table, name) for name in names if isinstance(name, str)]


def _column(table: sa.Table, name: str) -> sa.ColumnElement[Any]:
    column, as_another = table.c[name], _COUNTS_AS.get((table.name, name))
    if as_another:
        return sa.case(as_another, value=column, else_=column)
    return sa.type_coerce(column, _WRITTEN_AS.get(type(column.type), column.type))


def _id(table: sa.Table, name: str) -> sa.ColumnElement[int]:
    return table.c[name] if name else sa.literal(0)


def _asked(kind: str, *, are_written: bool) -> _Asked:
    """Make the statements that read the rows of a kind behind one, and what belongs to those from one to another."""
    source, noted = SOURCES[kind], table_of(WrittenRow)
    row_id = noted.c.row_id if are_written else _id(source.table, source.id)
    own = [name for name in FIELDS[kind] if isinstance(name, str)]
    theirs = [each[1] for each in FIELDS[kind] if not isinstance(each, str)]
    lists = list(zip(source.parts, theirs, strict=True))
    # An act writes few rows, which come with their first list at once. Of whole books each list is read between two
    # ids, so that no plan reads all of it for every portion.
    joined = lists[:1] if are_written else []

    def are_noted(organization_id: str) -> list[sa.ColumnElement[bool]]:
        return [noted.c.organization_id == organization_id, noted.c.kind == kind] if are_written else []

    @made_once
    def behind(organization_id: str, last: int) -> sa.Select[Any]:
        rows = sa.select(row_id.label("row_id"), source.of.label("bound_of"), *_columns(source.table, own))
        bound = source.are_bound(organization_id)
        if are_written:
            is_noted = sa.and_(bound, _id(source.table, source.id) == row_id)
            rows = rows.select_from(sa.outerjoin(noted, source.table, is_noted))
        rows = rows.where(*(are_noted(organization_id) or [bound]), row_id > last)
        rows = rows.order_by("row_id").limit(AT_ONCE)
        return _with_first(rows.subquery(), *joined[0], organization_id) if joined else rows

    def belonging(part: _Part, names: Fields) -> tuple[Callable[..., Any], Shorten]:
        owner = _id(part.table, part.of)
        between = row_id if are_written else owner

        @made_once
        def parts(organization_id: str, first: int, last: int) -> sa.Select[Any]:
            chosen = part.table.c.organization_id == organization_id, between.between(first, last)
            rows = sa.select(owner.label("owner_id"), *_columns(part.table, names))
            rows = rows.where(*chosen, *part.are_bound, *are_noted(organization_id))
            if are_written:
                same = part.table.c.organization_id == noted.c.organization_id, owner == row_id
                rows = rows.select_from(sa.join(noted, part.table, sa.and_(*same)))
            return rows.order_by("owner_id", part.table.c[part.order])

        return parts, _shortener(names)

    first = _shortener(joined[0][1]) if joined else None
    further = [belonging(*each) for each in lists[len(joined) :]]
    return _Asked(behind, _shortener(own), len(own), first, further)


def _with_first(rows: sa.Subquery, part: _Part, names: Fields, organization_id: str) -> sa.Select[Any]:
    """Read rows with those of the first list that belong to each: one is there once for each of them."""
    table = part.table
    theirs = table.c.organization_id == organization_id, _id(table, part.of) == rows.c.row_id
    both = sa.outerjoin(rows, table, sa.and_(*theirs, rows.c.bound_of.is_not(None), *part.are_bound))
    found = sa.select(*rows.c, table.c.organization_id, *_columns(table, names)).select_from(both)
    return found.order_by(rows.c.row_id, table.c[part.order])


_ALL: Final = {kind: _asked(kind, are_written=False) for kind in FIELDS}
_WRITTEN: Final = {kind: _asked(kind, are_written=True) for kind in FIELDS}
