"""Proposed transfers: open lines of two own accounts that match, with the evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal import transfers
from webapp.ledger.journal.transfer_fits import fee_bounds
from webapp.ledger.journal.transfer_sides import MOST_DAYS, OwnAccount, TransferSide
from webapp.ledger.journal.transfers import TransferMatch
from webapp.ledger.rates import mirror
from webapp.models import Account, FeedAccount, JournalEntry, Transaction, refers_to
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import portions
from webapp.queries.currencies import rate_tables
from webapp.queries.matching import transfer_pairs
from webapp.queries.transfers import open_items

MOST_LISTED = 250
# Of lines among more open ones than these only the equal amounts are read, and none where even these are more: a page
# shows them beside its lines, while the list of all transfers goes through all.
MOST_NEAR = 1_000
# A transfer is between two accounts, an exchange between two currencies.
BETWEEN = 2
# A rival of a line's other side may be as far away from that one again; of a transfer with a fee also the line of equal
# amount that the rival fits, which makes it none.
WINDOW, FEE_WINDOW = timedelta(days=2 * MOST_DAYS), timedelta(days=3 * MOST_DAYS)


@dataclass(frozen=True, slots=True)
class ProposedTransfer:
    """A proposed transfer with its two lines, the one that pays first.

    `difference` is the name that pairing has to give to what they differ by: "FEE" where less arrived than was sent.
    """

    line: Transaction
    other: Transaction
    reason: str
    is_only: bool
    days_apart: int
    difference: str | None

    @property
    def is_unambiguous(self) -> bool:
        """Whether it may be paired with all others in one act: it fits nothing else, and names no difference."""
        return self.is_only and self.difference is None


def proposed(organization_id: str, *, limit: int | None = MOST_LISTED) -> list[ProposedTransfer]:
    """List the transfers that open lines may be, the only ones that fit first, then by evidence."""
    found = _matches(organization_id, _open_sides(organization_id))
    found.sort(key=lambda each: (not each.is_only, each.fee is not None))
    return _with_lines(organization_id, found[:limit])


def count(organization_id: str) -> int:
    """Count the transfers that are proposed."""
    return len(_matches(organization_id, _open_sides(organization_id)))


def of_lines(organization_id: str, lines: Sequence[Any]) -> dict[int, list[ProposedTransfer]]:
    """Give the proposals for some lines (or records of them) by the line's id, the best first."""
    open_lines = [line for line in lines if line.status == "BOOKED"]
    feeds = _feeds(organization_id) if open_lines else {}
    if len(feeds) < BETWEEN:
        return {}
    found = _matches(
        organization_id, _near_sides(organization_id, feeds, open_lines, is_open(organization_id))
    )
    return _by_line(organization_id, found, {line.id for line in open_lines})


def of_line(line: Transaction) -> list[ProposedTransfer]:
    """Give all proposals for one line, also those of which a side is posted to an account of its own."""
    if line.status != "BOOKED" or transfer_pairs.active(line.organization_id, line.id) is not None:
        return []
    organization_id = line.organization_id
    feeds = _feeds(organization_id)
    if len(feeds) < BETWEEN:
        return []
    likely = _matches(organization_id, _near_sides(organization_id, feeds, [line], is_open(organization_id)))
    listed = {(each.out_id, each.in_id) for each in likely}
    others = [
        replace(each, is_only=False)
        for each in _matches(organization_id, _near_sides(organization_id, feeds, [line]))
        if (each.out_id, each.in_id) not in listed
    ]
    return _by_line(organization_id, [*likely, *others], {line.id}).get(line.id, [])


def is_open(organization_id: str) -> sa.ColumnElement[bool]:
    """Build the condition that a line is open: its entry is a draft, or an open item of a watched account."""
    items = open_items.items_subquery(organization_id)
    has_draft = (
        sa.exists()
        .where(
            refers_to(Transaction.journal_entry_id, JournalEntry),
            JournalEntry.status == "DRAFT",
            JournalEntry.corrects_id.is_(None),
        )
        .correlate(Transaction)
    )
    return sa.or_(has_draft, Transaction.journal_entry_id.in_(sa.select(items.c.root_id)))


def _near_sides(
    organization_id: str,
    feeds: Mapping[int, str],
    lines: Sequence[Any],
    *conditions: sa.ColumnElement[bool],
) -> list[TransferSide]:
    """Read the lines that may be the other side of lines, or rivals of that, where they are not too many."""
    sizes = {abs(line.amount.minor) for line in lines}
    for near in (
        _near(feeds, lines),
        [*_near(feeds, lines), sa.func.abs(Transaction.amount_minor).in_(sizes)],
    ):
        found = _rows(organization_id, *near, *conditions, limit=MOST_NEAR + 1)
        if len(found) <= MOST_NEAR:
            return _sides(organization_id, found)
    return []


def _near(feeds: Mapping[int, str], lines: Sequence[Any]) -> list[sa.ColumnElement[bool]]:
    """Build the conditions of lines of some feed accounts that may be the other side of lines, or rivals of that."""
    days = [line.booked_on for line in lines]
    first, last, size = min(days), max(days), sa.func.abs(Transaction.amount_minor)
    ranges = _ranges({abs(line.amount.minor) for line in lines})
    near = [
        Transaction.booked_on.between(first - FEE_WINDOW, last + FEE_WINDOW),
        sa.or_(sa.false(), *(size.between(least, most) for least, most in ranges)),
    ]
    # The index of lines by day begins with the account.
    of_feeds = Transaction.feed_account_id.in_(feeds)
    if len(set(feeds.values())) == 1:
        return [of_feeds, *near]
    # What an amount is in the base currency stands in no column.
    return [of_feeds, sa.or_(sa.and_(*near), Transaction.booked_on.between(first - WINDOW, last + WINDOW))]


def _ranges(sizes: Iterable[int]) -> list[tuple[int, int]]:
    """Give what may have been sent or have arrived of some amounts, less a fee or without one, as few ranges.

    >>> _ranges([10000, 10100, 50])
    [(48, 52), (9500, 10631)]
    """
    merged: list[tuple[int, int]] = []
    for least, most in map(fee_bounds, sorted(sizes)):
        if merged and least <= merged[-1][1]:
            merged[-1] = merged[-1][0], most
        else:
            merged.append((least, most))
    return merged


def _feeds(organization_id: str) -> dict[int, str]:
    """Give the currency of each feed account by its id."""
    return dict(db.session.execute(*_currencies(organization_id)).all())


@made_once
def _currencies(organization_id: str) -> sa.Select[int, str]:
    return sa.select(FeedAccount.id, FeedAccount.currency).where(
        FeedAccount.organization_id == organization_id
    )


def _matches(organization_id: str, sides: Sequence[TransferSide]) -> list[TransferMatch]:
    if len({side.fa_id for side in sides}) < BETWEEN:
        return []
    return transfers.transfer_matches(sides, _own(organization_id), transfer_pairs.refused(organization_id))


def _open_sides(organization_id: str) -> list[TransferSide]:
    """Read the open lines that are in no pair; of a single account none may be a transfer."""
    if len(_feeds(organization_id)) < BETWEEN:
        return []
    return _sides(organization_id, _rows(organization_id, is_open(organization_id)))


def _rows(
    organization_id: str, *conditions: sa.ColumnElement[bool], limit: int | None = None
) -> Sequence[Any]:
    """Read the booked lines that are in no pair."""
    line = Transaction
    return db.session.execute(
        sa.select(
            line.id,
            line.feed_account_id,
            line.booked_on,
            line.amount_minor,
            line.currency,
            line.description,
            line.counterparty,
            line.reference,
            line.iban,
        )
        .where(
            line.organization_id == organization_id,
            line.status == "BOOKED",
            line.journal_entry_id.is_not(None),
            sa.not_(transfer_pairs.is_paired(line)),
            *conditions,
        )
        .limit(limit)
    ).all()


def _sides(organization_id: str, rows: Iterable[Any]) -> list[TransferSide]:
    sides = [
        TransferSide(
            id=row.id,
            fa_id=row.feed_account_id,
            day=row.booked_on,
            amount_minor=row.amount_minor,
            currency=row.currency,
            text=" ".join(filter(None, (row.description, row.counterparty, row.reference))),
            iban=row.iban,
        )
        for row in rows
    ]
    return _mirrored(organization_id, sides)


def _mirrored(organization_id: str, sides: list[TransferSide]) -> list[TransferSide]:
    """Convert the amounts to the base currency, where there are several currencies."""
    currencies = {side.currency for side in sides}
    if len(currencies) < BETWEEN:
        return sides
    base = organizations.get(organization_id).base_currency
    days = [side.day for side in sides]
    tables = {
        currency: rate_tables.between(organization_id, currency, base, min(days), max(days))
        for currency in currencies
    }

    def mirrored(side: TransferSide) -> int | None:
        rate = tables[side.currency].on(side.day)
        try:
            return None if rate is None else mirror(side.amount_minor, side.currency, base, rate)
        except UnprocessableError:
            return None

    return [replace(side, base_minor=mirrored(side)) for side in sides]


def _own(organization_id: str) -> Mapping[int, OwnAccount]:
    rows = db.session.execute(
        sa.select(FeedAccount.id, FeedAccount.external_id, FeedAccount.name, FeedAccount.mask, Account.name)
        .join(Account, refers_to(FeedAccount.account_id, Account))
        .where(FeedAccount.organization_id == organization_id)
    )
    return {
        fa_id: OwnAccount(number, tuple(dict.fromkeys(filter(None, (name, account_name, number, mask)))))
        for fa_id, number, name, mask, account_name in rows
    }


def _with_lines(organization_id: str, found: Sequence[TransferMatch]) -> list[ProposedTransfer]:
    ids = {line_id for each in found for line_id in (each.out_id, each.in_id)}
    lines: dict[int | None, Transaction] = {}
    for portion in portions(ids):
        lines |= lookups.by_id(Transaction, organization_id, portion)
    return [
        ProposedTransfer(
            lines[each.out_id],
            lines[each.in_id],
            each.reason,
            each.is_only,
            each.days_apart,
            "FEE" if each.fee is not None else None,
        )
        for each in found
    ]


def _by_line(
    organization_id: str, found: Iterable[TransferMatch], line_ids: set[int]
) -> dict[int, list[ProposedTransfer]]:
    """Give proposals by the line that they are for, which comes first in each."""
    of_lines = [each for each in found if each.out_id in line_ids or each.in_id in line_ids]
    by_line: dict[int, list[ProposedTransfer]] = defaultdict(list)
    for each in _with_lines(organization_id, of_lines):
        for line, other in ((each.line, each.other), (each.other, each.line)):
            if line.id in line_ids:
                by_line[line.id].append(replace(each, line=line, other=other))
    return dict(by_line)
