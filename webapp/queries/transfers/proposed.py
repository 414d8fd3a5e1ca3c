"""Proposed transfers: open lines of two own accounts that match, with the evidence."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal import transfers
from webapp.ledger.journal.transfer_sides import OwnAccount, TransferSide
from webapp.ledger.journal.transfers import TransferMatch
from webapp.models import Account, FeedAccount, Transaction, refers_to
from webapp.queries.common import feed_currencies, lookups
from webapp.queries.common.feed_currencies import Feed
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import portions
from webapp.queries.matching import transfer_pairs
from webapp.queries.transfers import sides
from webapp.queries.transfers.sides import BETWEEN

_Found = TypeVar("_Found")
_Matching: TypeAlias = Callable[
    [Iterable[TransferSide], Mapping[int, OwnAccount], Collection[tuple[int, int]]], _Found
]
MOST_LISTED = 250


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


@dataclass(frozen=True, slots=True)
class ProposedTransfers:
    """The first of the proposed transfers, how many there are, and how many of all may be paired in one act.

    These fit nothing else, and name no difference.
    """

    listed: list[ProposedTransfer]
    count: int
    unambiguous: int


def proposed(organization_id: str) -> ProposedTransfers:
    """List the transfers that open lines may be, the only ones that fit first, then by evidence."""
    best = partial(transfers.best_matches, most=MOST_LISTED)
    found = _matches(organization_id, sides.open_lines(organization_id), best)
    return ProposedTransfers(_with_lines(organization_id, found.matches), found.count, found.unambiguous)


def unambiguous(organization_id: str) -> list[ProposedTransfer]:
    """List all transfers that may be paired in one act: the two lines fit nothing else, and differ by nothing."""
    only = transfers.unambiguous_matches
    return _with_lines(organization_id, _matches(organization_id, sides.open_lines(organization_id), only))


def of_lines(
    organization_id: str, lines: Sequence[Any], feeds: Mapping[int | None, Feed]
) -> dict[int, list[ProposedTransfer]]:
    """Give the proposals for some lines (or records of them) by the line's id, the best first.

    `feeds` are all feed accounts.
    """
    open_lines = [line for line in lines if line.status == "BOOKED"]
    if len(feeds) < BETWEEN or not open_lines:
        return {}
    # Rivals only matter where a line fits one at all.
    if len(open_lines) == 1 and sides.is_of_one_currency(feeds):
        some = sides.fitting(organization_id, feeds, open_lines[0])
        if len(some) <= sides.MOST_NEAR and not _matches(organization_id, some, transfers.transfer_matches):
            return {}
    near = sides.near(organization_id, feeds, open_lines, is_open=True)
    found = _matches(organization_id, near, transfers.transfer_matches)
    return _by_line(organization_id, found, {line.id for line in open_lines})


def of_line(line: Transaction) -> list[ProposedTransfer]:
    """Give all proposals for one line, also those with a side that is posted to an account of its own."""
    if line.status != "BOOKED" or transfer_pairs.active(line.organization_id, line.id) is not None:
        return []
    organization_id = line.organization_id
    feeds = feed_currencies.of_books(organization_id)
    if len(feeds) < BETWEEN:
        return []
    likely, others = (
        _matches(organization_id, near, transfers.transfer_matches)
        for near in (
            sides.near(organization_id, feeds, [line], is_open=True),
            sides.near(organization_id, feeds, [line], is_open=False),
        )
    )
    listed = {(each.out_id, each.in_id) for each in likely}
    others = [replace(each, is_only=False) for each in others if (each.out_id, each.in_id) not in listed]
    return _by_line(organization_id, [*likely, *others], {line.id}).get(line.id, [])


def _matches(
    organization_id: str,
    lines: Sequence[TransferSide],
    matching: _Matching[_Found],
) -> _Found:
    if len({line.fa_id for line in lines}) < BETWEEN:
        return matching([], {}, [])
    return matching(lines, _own(organization_id), transfer_pairs.refused(organization_id))


def _own(organization_id: str) -> Mapping[int, OwnAccount]:
    return {
        fa_id: OwnAccount(number, tuple(dict.fromkeys(filter(None, (name, account_name, number, mask)))))
        for fa_id, number, name, mask, account_name in db.session.execute(*_named(organization_id))
    }


@made_once
def _named(organization_id: str) -> sa.Select[*tuple[Any, ...]]:
    feed = FeedAccount
    return (
        sa.select(feed.id, feed.external_id, feed.name, feed.mask, Account.name)
        .join(Account, refers_to(feed.account_id, Account))
        .where(feed.organization_id == organization_id)
    )


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
