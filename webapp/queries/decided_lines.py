"""Bank lines of an organization, and of each that is confirmed where it went: what habits are found in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.chart import Role
from webapp.ledger.habit_books import Book, Choice
from webapp.models import Account, FeedAccount, JournalEntry, Posting, Transaction

# What people confirmed last says most about what comes next, and so much is read in no time.
NEWEST = 1500

# An account, and the merchant and project beside it.
Place = tuple[int, int | None, int | None]

_ELSEWHERE = Choice(None)
_COLUMNS: tuple[Any, ...] = (
    Transaction.id,
    Transaction.feed_account_id,
    Transaction.booked_on,
    Transaction.amount_minor,
    Transaction.currency,
    Transaction.description,
    Transaction.counterparty,
    Transaction.reference,
    Transaction.iban,
    Transaction.journal_entry_id,
    JournalEntry.status.label("entry_status"),
)


def all_lines(organization_id: str) -> Book:
    """Read all booked lines, oldest first, with what was decided of those that are posted, in three statements."""
    lines = db.session.execute(_booked(organization_id).order_by(Transaction.booked_on, Transaction.id)).all()
    return _decided(organization_id, lines, _legs(organization_id))


def newest(organization_id: str) -> Book:
    """Read the lines that are posted, the newest ones and newest first, with what was decided, in three statements."""
    lines = db.session.execute(
        _booked(organization_id)
        .where(JournalEntry.status == "POSTED")
        .order_by(Transaction.booked_on.desc(), Transaction.id.desc())
        .limit(NEWEST)
    ).all()
    ids = [line.journal_entry_id for line in lines]
    of_lines = sa.or_(JournalEntry.id.in_(ids), JournalEntry.corrects_id.in_(ids))
    return _decided(organization_id, lines, _legs(organization_id, of_lines))


def _booked(organization_id: str) -> sa.Select[Any]:
    """Select the lines that are in the books, each with how its entry stands."""
    return (
        sa.select(*_COLUMNS)
        .join(
            JournalEntry,
            sa.and_(
                JournalEntry.organization_id == Transaction.organization_id,
                JournalEntry.id == Transaction.journal_entry_id,
            ),
        )
        .where(Transaction.organization_id == organization_id, Transaction.status == "BOOKED")
    )


@dataclass(frozen=True, slots=True)
class _Legs:
    """What stands opposite bank lines, by the entry: one leg alone as its place, several as they are."""

    alone: dict[int, Place]
    several: dict[int, list[Any]]


def _legs(organization_id: str, *conditions: sa.ColumnElement[bool]) -> _Legs:
    """Read the counter legs of posted entries and of their corrections, by the entry that is corrected."""
    rows = db.session.execute(
        sa.select(
            sa.func.coalesce(JournalEntry.corrects_id, JournalEntry.id),
            Posting.account_id,
            Posting.org_merchant_id,
            Posting.project_id,
            Posting.transaction_id,
            Posting.currency,
            Posting.amount_minor,
            Posting.amount_base_minor,
        )
        .join(
            Posting,
            sa.and_(
                Posting.organization_id == JournalEntry.organization_id,
                Posting.journal_entry_id == JournalEntry.id,
            ),
        )
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status == "POSTED",
            JournalEntry.source.in_(("bank_feed", "correction")),
            Posting.is_bank_leg.is_(False),
            *conditions,
        )
        .order_by(Posting.id)
    )
    first: dict[int, Any] = {}
    several: dict[int, list[Any]] = {}
    for row in rows:
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
        .outerjoin(
            FeedAccount,
            sa.and_(
                FeedAccount.organization_id == Account.organization_id, FeedAccount.account_id == Account.id
            ),
        )
        .where(Account.organization_id == organization_id)
    ).all()

    def of(*roles: Role) -> frozenset[int]:
        return frozenset(row.id for row in rows if row.role in {role.value for role in roles})

    return _Accounts(
        of(Role.UNCATEGORISED_INCOME, Role.UNCATEGORISED_EXPENSES),
        frozenset(row.id for row in rows if row.is_archived or row.fa_id is not None),
        of(Role.ROUNDING, Role.REALISED_EXCHANGE),
    )


def _decided(organization_id: str, lines: Sequence[Any], legs: _Legs) -> Book:
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
    return Book(lines, choices)


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
