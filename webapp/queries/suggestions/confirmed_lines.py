"""Bank lines of an organization, and of each that is confirmed where it went: what habits are found in."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.chart import RESTS, UNCATEGORISED, Role
from webapp.ledger.suggestions.habit_books import Choice, HabitBook
from webapp.models import Account, FeedAccount, JournalEntry, Posting, Transaction, refers_to
from webapp.models.base import table_of

# What people confirmed last says most about what comes next, and so much is read in no time.
NEWEST = 1500

_LINE, _ENTRY = table_of(Transaction), table_of(JournalEntry)
_POSTING = table_of(Posting)

# An account, and the merchant and project beside it.
Place = tuple[int, int | None, int | None]

_ELSEWHERE = Choice(None)
_COLUMNS: tuple[Any, ...] = (
    _LINE.c.id,
    _LINE.c.feed_account_id,
    _LINE.c.booked_on,
    _LINE.c.amount_minor,
    _LINE.c.currency,
    _LINE.c.description,
    _LINE.c.counterparty,
    _LINE.c.reference,
    _LINE.c.iban,
    _LINE.c.journal_entry_id,
    _ENTRY.c.status.label("entry_status"),
)


def all_lines(organization_id: str) -> HabitBook:
    """Read all booked lines, oldest first, with what was decided of those that are posted, in three statements."""
    lines = db.session.execute(_booked(organization_id).order_by(_LINE.c.booked_on, _LINE.c.id)).all()
    return _decided(organization_id, lines, _legs(organization_id))


def newest(organization_id: str) -> HabitBook:
    """Read the lines that are posted, the newest ones and newest first, with what was decided, in four statements."""
    lines = db.session.execute(
        _booked(organization_id)
        .where(_ENTRY.c.status == "POSTED")
        .order_by(_LINE.c.booked_on.desc(), _LINE.c.id.desc())
        .limit(NEWEST)
    ).all()
    ids = [line.journal_entry_id for line in lines]
    return _decided(organization_id, lines, _legs(organization_id, ids))


def _booked(organization_id: str) -> sa.Select[Any]:
    """Select the lines that are in the books, each with how its entry stands."""
    return (
        sa.select(*_COLUMNS)
        .join(_ENTRY, refers_to(_LINE.c.journal_entry_id, _ENTRY))
        .where(_LINE.c.organization_id == organization_id, _LINE.c.status == "BOOKED")
    )


@dataclass(frozen=True, slots=True)
class _Legs:
    """What stands opposite bank lines, by the entry: one leg alone as its place, several as they are."""

    alone: dict[int, Place]
    several: dict[int, list[Any]]


def _legs(organization_id: str, entry_ids: Sequence[int] | None = None) -> _Legs:
    """Read the counter legs of posted entries, all or some, and of their corrections, by the corrected entry."""
    statement = (
        sa.select(
            sa.func.coalesce(_ENTRY.c.corrects_id, _ENTRY.c.id),
            _POSTING.c.account_id,
            _POSTING.c.org_merchant_id,
            _POSTING.c.project_id,
            _POSTING.c.transaction_id,
            _POSTING.c.currency,
            _POSTING.c.amount_minor,
            _POSTING.c.amount_base_minor,
        )
        .join(_POSTING, refers_to(_POSTING.c.journal_entry_id, _ENTRY))
        .where(
            _ENTRY.c.organization_id == organization_id,
            _ENTRY.c.status == "POSTED",
            _ENTRY.c.source.in_(("bank_feed", "correction")),
            _POSTING.c.is_bank_leg.is_(False),
        )
    )
    parts = [statement]
    if entry_ids is not None:
        # Asked in one by OR, SQLite would not go by the index of either.
        parts = [statement.where(column.in_(entry_ids)) for column in (_ENTRY.c.id, _ENTRY.c.corrects_id)]
    first: dict[int, Any] = {}
    several: dict[int, list[Any]] = {}
    for row in chain.from_iterable(db.session.execute(part) for part in parts):
        if first.setdefault(row[0], row) is not row:
            several.setdefault(row[0], [first[row[0]]]).append(row)
    return _Legs({entry_id: row[1:4] for entry_id, row in first.items()}, several)


@dataclass(frozen=True, slots=True)
class _Accounts:
    """The accounts on which nobody decided anything, those that no rule may choose, and those of exchange rests."""

    waiting: frozenset[int]
    closed: frozenset[int]
    rests: frozenset[int]


def _accounts(organization_id: str) -> _Accounts:
    rows = db.session.execute(
        sa.select(Account.id, Account.role, Account.is_archived, FeedAccount.id.label("fa_id"))
        .outerjoin(FeedAccount, refers_to(FeedAccount.account_id, Account))
        .where(Account.organization_id == organization_id)
    ).all()

    def of(roles: Collection[Role]) -> frozenset[int]:
        return frozenset(row.id for row in rows if row.role in roles)

    return _Accounts(
        of(UNCATEGORISED),
        frozenset(row.id for row in rows if row.is_archived or row.fa_id is not None),
        of(RESTS),
    )


def _decided(organization_id: str, lines: Sequence[Any], legs: _Legs) -> HabitBook:
    accounts = _accounts(organization_id)
    # Many lines went to few places.
    known: dict[Place, Choice | None] = {}
    choices: list[Choice | None] = []
    for line in lines:
        if line.entry_status != "POSTED":
            choices.append(None)
            continue
        entry_id = line.journal_entry_id
        place = legs.alone.get(entry_id)
        if entry_id in legs.several:
            place = _only(line.id, legs.several[entry_id], accounts)
        if place is None:
            choices.append(_ELSEWHERE)
            continue
        if place not in known:
            known[place] = _choice(place, accounts)
        choices.append(known[place])
    return HabitBook(lines, choices)


def _choice(place: Place, accounts: _Accounts) -> Choice | None:
    """Tell what was decided; nothing where the line still waits on an uncategorised account."""
    if place[0] in accounts.waiting:
        return None
    return _ELSEWHERE if place[0] in accounts.closed else Choice(*place)


def _only(line_id: int, legs: Sequence[Any], accounts: _Accounts) -> Place | None:
    """Add up legs by where they went, and give the only place that is left; what was moved away is gone."""
    sums: dict[Place, dict[str, list[int]]] = {}
    for _, *place, transaction_id, currency, amount_minor, base_minor in legs:
        if transaction_id in (None, line_id):
            total = sums.setdefault(tuple(place), {}).setdefault(currency, [0, 0])
            total[0] += amount_minor
            total[1] += base_minor or 0
    places = [place for place, totals in sums.items() if any(map(any, totals.values()))]
    main = [place for place in places if place[0] not in accounts.rests] or places
    return main[0] if len(main) == 1 else None
