"""The bank lines that habits are found in, with the account that each confirmed one was booked on."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import RESTS, UNCATEGORISED, Role
from webapp.ledger.rules.fields import LINE_COLUMNS
from webapp.ledger.suggestions.habit_books import Choice, HabitBook
from webapp.models import Account, FeedAccount, JournalEntry, Posting, Transaction, refers_to
from webapp.models.base import table_of
from webapp.queries.common import merchants
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once

# The lines confirmed last predict best what comes next, and this many are read quickly.
NEWEST = 1000
ROWS_AT_ONCE = 10_000
ALL_AMOUNTS = (-(2**63), 2**63 - 1)

_LINE, _ENTRY = table_of(Transaction), table_of(JournalEntry)
_POSTING = table_of(Posting)

# An account, and the merchant and project beside it.
Destination = tuple[int, int | None, int | None]

_NO_ONE_ACCOUNT = Choice(None)
_DATA = ("id", "feed_account_id", "booked_on", "amount_minor", "currency", "journal_entry_id")
_COLUMNS: tuple[Any, ...] = tuple(_LINE.c[name] for name in dict.fromkeys((*_DATA, *LINE_COLUMNS)))
_LEG_DATA = ("account_id", "org_merchant_id", "project_id", "transaction_id", "currency", "amount_minor")
_LEG: tuple[Any, ...] = tuple(_POSTING.c[name] for name in (*_LEG_DATA, "amount_base_minor"))
# In the rows of lines: the line's id, that of its entry, and its status; names take longer to look up.
_ID, _ENTRY_ID = _DATA.index("id"), _DATA.index("journal_entry_id")
_KEYS = itemgetter(_ID, _ENTRY_ID, len(_COLUMNS))
_DAY_AND_ID = itemgetter(_DATA.index("booked_on"), _DATA.index("id"))
# In the rows of `_newest_lines`: the id of the entry, with its leg behind it.
_FIRST_OF_LEG = len(_COLUMNS) + 1
_ACCOUNT_ID = _FIRST_OF_LEG + 1


def all_lines(organization_id: str) -> HabitBook:
    """Read all booked lines, oldest first, with the choices of those that are posted, in three statements."""
    lines = db.session.execute(*_every_line(organization_id)).all()
    legs = db.session.execute(*_all_legs(organization_id)).partitions(ROWS_AT_ONCE)
    return _habit_book(organization_id, lines, _legs(organization_id, chain.from_iterable(legs)))


def newest(organization_id: str, amounts: tuple[int, int] = ALL_AMOUNTS) -> HabitBook:
    """Read the lines posted last, newest first, with their choices, in four statements; of some amounts only those.

    They are found by the numbers of entries: an account may have more drafts than can be gone through for a page.
    """
    rows = db.session.execute(*_newest_lines(organization_id, *amounts)).all()
    lines = {row[_ID]: row for row in rows}
    # An entry may have several lines, each of which comes with all of its legs.
    first_line: dict[int, int] = {}
    own = [
        row[_FIRST_OF_LEG:]
        for row in rows
        if first_line.setdefault(row[_ENTRY_ID], row[_ID]) == row[_ID] and row[_ACCOUNT_ID] is not None
    ]
    corrected = db.session.execute(*_corrected_legs(organization_id, first_line)).all() if first_line else []
    newest_first = sorted(lines.values(), key=_DAY_AND_ID, reverse=True)
    return _habit_book(organization_id, newest_first, _legs(organization_id, [*own, *corrected]))


def _newest_entries(organization_id: str) -> sa.Subquery:
    return (
        sa.select(_ENTRY.c.organization_id, _ENTRY.c.id, _ENTRY.c.status)
        .where(
            _ENTRY.c.organization_id == organization_id,
            _ENTRY.c.number.is_not(None),
            _ENTRY.c.status == "POSTED",
            _ENTRY.c.source == "bank_feed",
        )
        .order_by(_ENTRY.c.number.desc())
        .limit(NEWEST)
        .subquery()
    )


@made_once
def _every_line(organization_id: str) -> sa.Select[Any]:
    lines = _lines(_ENTRY).where(_LINE.c.organization_id == organization_id)
    return lines.order_by(_LINE.c.booked_on, _LINE.c.id)


@made_once
def _newest_lines(organization_id: str, least: int, most: int) -> sa.Select[Any]:
    """Select the lines, each as often as its entry has counter legs, which follow its own columns."""
    entries = _newest_entries(organization_id)
    is_counter = sa.and_(refers_to(_POSTING.c.journal_entry_id, entries), _POSTING.c.is_bank_leg.is_(False))
    return (
        _lines(entries)
        .add_columns(entries.c.id, _POSTING.c.account_id.label("counter_id"), *_LEG[1:])
        .outerjoin(_POSTING, is_counter)
        .where(_LINE.c.amount_minor.between(least, most))
    )


def _lines(entries: sa.FromClause) -> sa.Select[Any]:
    """Select the booked lines of entries, each with the status of its entry."""
    return (
        sa.select(*_COLUMNS, entries.c.status.label("entry_status"))
        .join_from(entries, _LINE, refers_to(_LINE.c.journal_entry_id, entries))
        .where(_LINE.c.status == "BOOKED")
    )


@dataclass(frozen=True, slots=True)
class _Legs:
    """The counter legs of bank lines, by the entry: of one leg alone its destination, several as rows."""

    alone: dict[int, Destination]
    several: dict[int, list[Any]]


def _legs(organization_id: str, rows: Iterable[Any]) -> _Legs:
    """Gather the counter legs of posted entries and of their corrections, by the corrected entry."""
    merged = merchants.merged(organization_id)
    first: dict[int, Any] = {}
    several: dict[int, list[Any]] = {}
    for read in rows:
        row = (*read[:2], merged[read[2]], *read[3:]) if read[2] in merged else read
        if first.setdefault(row[0], row) is not row:
            several.setdefault(row[0], [first[row[0]]]).append(row)
    return _Legs({entry_id: row[1:4] for entry_id, row in first.items()}, several)


@made_once
def _all_legs(organization_id: str) -> sa.Select[Any]:
    return _counter_legs(_ENTRY, sa.func.coalesce(_ENTRY.c.corrects_id, _ENTRY.c.id)).where(
        _ENTRY.c.organization_id == organization_id,
        _ENTRY.c.status == "POSTED",
        _ENTRY.c.source.in_(("bank_feed", "correction")),
    )


@made_once
def _corrected_legs(organization_id: str, entry_ids: Collection[int]) -> sa.Select[Any]:
    return _counter_legs(_ENTRY, _ENTRY.c.corrects_id).where(
        _ENTRY.c.organization_id == organization_id,
        among(_ENTRY.c.corrects_id, entry_ids),
        _ENTRY.c.status == "POSTED",
        _ENTRY.c.source == "correction",
    )


def _counter_legs(entries: sa.FromClause, corrected_id: sa.ColumnElement[int]) -> sa.Select[Any]:
    """Select the counter legs of entries, each with the id of the entry that it counts for."""
    return (
        sa.select(corrected_id, *_LEG)
        .join_from(entries, _POSTING, refers_to(_POSTING.c.journal_entry_id, entries))
        .where(_POSTING.c.is_bank_leg.is_(False))
    )


@dataclass(frozen=True, slots=True)
class _Accounts:
    """The uncategorised accounts, those that no rule may set, and those of exchange rests."""

    uncategorised: frozenset[int]
    closed: frozenset[int]
    rests: frozenset[int]


def _accounts(organization_id: str) -> _Accounts:
    rows = db.session.execute(*_roles(organization_id)).all()

    def of(roles: Collection[Role]) -> frozenset[int]:
        return frozenset(row.id for row in rows if row.role in roles)

    return _Accounts(
        of(UNCATEGORISED),
        frozenset(row.id for row in rows if row.is_archived or row.fa_id is not None),
        of(RESTS),
    )


@made_once
def _roles(organization_id: str) -> sa.Select[Any]:
    columns: tuple[Any, ...] = (Account.id, Account.role, Account.is_archived, FeedAccount.id.label("fa_id"))
    return (
        sa.select(*columns)
        .outerjoin(FeedAccount, refers_to(FeedAccount.account_id, Account))
        .where(Account.organization_id == organization_id)
    )


def _habit_book(organization_id: str, lines: Sequence[Any], legs: _Legs) -> HabitBook:
    accounts = _accounts(organization_id)
    # Many lines have few destinations.
    choice_of: dict[Destination, Choice | None] = {}
    choices: list[Choice | None] = []
    for line_id, entry_id, status in map(_KEYS, lines):
        if status != "POSTED":
            choices.append(None)
            continue
        destination = legs.alone.get(entry_id)
        if entry_id in legs.several:
            destination = _only(line_id, legs.several[entry_id], accounts)
        if destination is None:
            choices.append(_NO_ONE_ACCOUNT)
            continue
        if destination not in choice_of:
            choice_of[destination] = _choice(destination, accounts)
        choices.append(choice_of[destination])
    return HabitBook(lines, choices)


def _choice(destination: Destination, accounts: _Accounts) -> Choice | None:
    """Make the choice of a destination; None where the line is still on an uncategorised account."""
    if destination[0] in accounts.uncategorised:
        return None
    return _NO_ONE_ACCOUNT if destination[0] in accounts.closed else Choice(*destination)


def _only(line_id: int, legs: Sequence[Any], accounts: _Accounts) -> Destination | None:
    """Add up legs by destination, and give the only one whose sum is not zero; a correction moves amounts away."""
    sums: dict[Destination, dict[str, list[int]]] = {}
    for _, *destination, transaction_id, currency, amount_minor, base_minor in legs:
        if transaction_id in (None, line_id):
            total = sums.setdefault(tuple(destination), {}).setdefault(currency, [0, 0])
            total[0] += amount_minor
            total[1] += base_minor or 0
    destinations = [destination for destination, totals in sums.items() if any(map(any, totals.values()))]
    main = [
        destination for destination in destinations if destination[0] not in accounts.rests
    ] or destinations
    return main[0] if len(main) == 1 else None
