"""What in the books explains a bank line already: an entry that was written by hand, and the other way round."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.functions import days_after
from webapp.database.sessions import db
from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.journal.entries import Leg
from webapp.ledger.matching.explanations import DAYS_APART, BankAmount
from webapp.ledger.money import Money
from webapp.models import FeedAccount, JournalEntry, Posting, Transaction, refers_to
from webapp.queries.common.feed_currencies import Feed
from webapp.queries.common.made_once import made_once

# An entry written by hand, or from a document, names the bank's account without a line of it.
BY_HAND: Final = ("manual", "document")
MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class EntryByHand:
    """An entry that has the money of a line already, though no line of the bank is in it."""

    journal_entry_id: int
    day: date
    amount: Money
    description: str

    @property
    def sentence(self) -> str:
        """Say it to a person who is about to book the line as well."""
        return (
            f"Entry {self.journal_entry_id} of {self.day:%-d %b %Y}, written by hand, has {self.amount.formatted} "
            "on this bank's account already. Posted as well, the line counts twice; void the entry if it is the same."
        )


def of_lines(
    lines: Iterable[Transaction], feeds: Mapping[int | None, Feed]
) -> dict[int, Sequence[EntryByHand]]:
    """Give for each line that is explained already the entries that explain it, the nearest first.

    `feeds` has the account of each line.
    """
    amounts, organization_id = {}, ""
    for line in lines:
        organization_id = line.organization_id
        amounts[line.id] = _amount_of(line, feeds[line.feed_account_id].account_id)
    return of_amounts(organization_id, amounts)


def of_ids(organization_id: str, line_ids: Collection[int]) -> dict[int, Sequence[EntryByHand]]:
    """Give the same for the lines with some ids."""
    rows = db.session.execute(*_amounts(organization_id, line_ids))
    return of_amounts(organization_id, {row.id: BankAmount(*row[1:]) for row in rows})


def of_amounts(organization_id: str, amounts: Mapping[int, BankAmount]) -> dict[int, Sequence[EntryByHand]]:
    """Give for each amount, by its key, the entries that have it already, the nearest first; in one statement."""
    if not amounts:
        return {}
    found: dict[int, list[tuple[BankAmount, Any]]] = {}
    for row in db.session.execute(*_entries(organization_id, *_bounds(amounts.values()))):
        booked = BankAmount(row.account_id, row.currency, row.amount_minor, row.effective_on)
        found.setdefault(booked.amount_minor, []).append((booked, row))
    explained: dict[int, Sequence[EntryByHand]] = {}
    for key, amount in amounts.items():
        others = found.get(amount.amount_minor, ())
        same = [(abs(other.day - amount.day), row) for other, row in others if amount.tells_of(other)]
        if same:
            nearest = sorted(same, key=lambda each: (each[0], each[1].id))[:MOST_NAMED]
            explained[key] = [_explanation(row) for _, row in nearest]
    return explained


def lines_of_legs(organization_id: str, legs: Iterable[Leg], day: date) -> Sequence[Transaction]:
    """List the bank lines that have the money of an entry's legs already, the nearest first."""
    amounts = [BankAmount(leg.account_id, leg.currency, leg.amount_minor, day) for leg in legs]
    found = {}
    for amount in amounts:
        for line in db.session.scalars(_lines(organization_id, amount)):
            if amount.tells_of(_amount_of(line, amount.account_id)):
                found[line.id] = line
    return sorted(found.values(), key=lambda line: (abs(line.booked_on - day), line.id))


def _amount_of(line: Transaction, account_id: int) -> BankAmount:
    return BankAmount(account_id, line.currency, line.amount_minor, line.booked_on)


def _explanation(row: Any) -> EntryByHand:
    return EntryByHand(row.id, row.effective_on, Money(row.amount_minor, row.currency), row.description)


def _bounds(amounts: Collection[BankAmount]) -> tuple[list[int], list[int], date, date]:
    """Give the accounts and the amounts, and the first and the last day, of what may tell of some amounts."""
    days = [each.day for each in amounts]
    return (
        sorted({each.account_id for each in amounts}),
        sorted({each.amount_minor for each in amounts}),
        min(days) - DAYS_APART,
        max(days) + DAYS_APART,
    )


@made_once
def _amounts(organization_id: str, line_ids: Collection[int]) -> Any:
    line, account_id = Transaction, FeedAccount.account_id
    return (
        sa.select(line.id, account_id, line.currency, line.amount_minor, line.booked_on)
        .join(FeedAccount, refers_to(line.feed_account_id, FeedAccount))
        .where(line.organization_id == organization_id, line.id.in_(line_ids))
    )


@made_once
def _entries(
    organization_id: str, account_ids: Sequence[int], minors: Sequence[int], first: date, last: date
) -> Any:
    """Select the postings outside of lines that may tell of some amounts.

    They are found by their amounts: thousands of other entries may have their day, which is therefore compared as an
    expression that no index has.
    """
    entry = JournalEntry
    return (
        sa.select(
            entry.id,
            entry.effective_on,
            entry.description,
            Posting.account_id,
            Posting.currency,
            Posting.amount_minor,
        )
        .join(Posting, refers_to(Posting.journal_entry_id, entry))
        .where(
            entry.organization_id == organization_id,
            Posting.organization_id == organization_id,
            Posting.account_id.in_(account_ids),
            Posting.transaction_id.is_(None),
            Posting.amount_minor.in_(minors),
            entry.status == "POSTED",
            entry.source.in_(BY_HAND),
            days_after(entry.effective_on, 0).between(first, last),
        )
    )


def _lines(organization_id: str, amount: BankAmount) -> sa.Select[Any]:
    """Select the lines of an account, where it is a bank's, that may tell of an amount."""
    return (
        sa.select(Transaction)
        .join(FeedAccount, refers_to(Transaction.feed_account_id, FeedAccount))
        .where(
            Transaction.organization_id == organization_id,
            FeedAccount.account_id == amount.account_id,
            Transaction.status.in_(IN_BOOKS),
            Transaction.amount_minor == amount.amount_minor,
            Transaction.booked_on.between(amount.day - DAYS_APART, amount.day + DAYS_APART),
        )
    )
