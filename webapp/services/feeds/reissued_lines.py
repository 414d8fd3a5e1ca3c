"""Reissued lines: a provider sends a line again under another id, or a line that only looks like it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest

from webapp.ledger.matching.duplicates import pair_duplicates
from webapp.ledger.matching.joins import LineReport, Pairing, contradict
from webapp.models import FeedAccount, Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import booked_feed_lines, feed_lines
from webapp.services.feeds.incoming_lines import IncomingLine, PushContext
from webapp.services.transactions import join_records

TIER = "REISSUED"
CERTAIN = "The bank gives this line under another id now, and removed the old one."
POSSIBLE = "The feed gave such a line before, under another id; check whether it is the same."


def find(context: PushContext, arriving: Sequence[IncomingLine]) -> list[tuple[IncomingLine, Pairing]]:
    """Find which lines under new ids are lines that the feed sent before under ids that this push does not bring.

    It is possible with the same day and amount and a text that does not contradict; a line that a file gave too may
    have any text. It is certain where the push removes the old ids and the feed's own texts agree. A line that is
    not written yet has a negative number.
    """
    new = [each for each in arriving if each.earlier is None]
    if not new:
        return []
    reports = [replace(each.report, id=-place) for place, each in enumerate(new, 1)]
    existing = booked_feed_lines.found(
        context.feed_account, reports, brought=context.brought, removed=context.removed
    )
    if not existing:
        return []
    in_files = {each.id for each in existing if each.is_in_file}
    # What the push removes is paired first, so that an equal line beside it is left alone.
    removed = [each for each in existing if each.names <= context.removed]
    sure = _pairs(reports, removed, in_files)
    found = sure + _pairs(_unpaired(reports, sure), existing, in_files, but=sure)
    # A line that two ids of the feed were joined to has the texts of both, and either may come again.
    for same in zip_longest(*(each.others for each in existing)):
        found += _pairs(_unpaired(reports, found), [each for each in same if each is not None], in_files)
    certain = {each.joined_id for each in _agreeing(sure, removed, reports)}
    return [
        (new[-each.joined_id - 1], _with_certainty(each, is_certain=each.joined_id in certain))
        for each in found
    ]


def _pairs(
    new: list[LineReport], existing: list[LineReport], in_files: set[int], *, but: Sequence[Pairing] = ()
) -> list[Pairing]:
    """Pair new lines with existing ones that are not paired yet, unless their texts contradict."""
    taken = {each.kept_id for each in but}
    free = [each for each in existing if each.id not in taken]
    found = pair_duplicates(new, free, ())
    agreeing = {each.joined_id for each in _agreeing(found, free, new)}
    return [each for each in found if each.kept_id in in_files or each.joined_id in agreeing]


def _unpaired(reports: list[LineReport], found: Sequence[Pairing]) -> list[LineReport]:
    paired = {each.joined_id for each in found}
    return [each for each in reports if each.id not in paired]


def _agreeing(
    found: Sequence[Pairing], existing: Sequence[LineReport], new: Sequence[LineReport]
) -> Iterator[Pairing]:
    """Give the pairs whose texts do not contradict."""
    reports = {each.id: each for each in (*existing, *new)}
    for pairing in found:
        if not contradict(reports[pairing.kept_id], reports[pairing.joined_id]):
            yield pairing


def _with_certainty(pairing: Pairing, *, is_certain: bool) -> Pairing:
    return pairing._replace(tier=TIER, is_certain=is_certain, reason=CERTAIN if is_certain else POSSIBLE)


REASON = "The bank gave the line a new id; day, amount and text are the same."


def pair_exactly(
    new: Sequence[LineReport], removed: Sequence[LineReport], refused: set[tuple[int, int]]
) -> list[Pairing]:
    """Pair new reports with removed lines of the same day, amount and text."""
    texts = {each.id: each.text for each in (*new, *removed)}
    return [
        each._replace(tier=TIER, reason=REASON)
        for each in pair_duplicates(list(new), list(removed), refused)
        if each.is_certain and texts[each.kept_id] == texts[each.joined_id]
    ]


def keep_posted(
    feed_account: FeedAccount, leaving: Sequence[Transaction], *, now: datetime
) -> set[int | None]:
    """Keep posted lines that are removed where a draft under another id equals them, in place of those drafts.

    Answers the lines that stay.
    """
    posted = [each for each in leaving if join_records.is_posted(each)]
    if not posted:
        return set()
    days = [each.booked_on for each in posted]
    ids = {each.id for each in leaving}
    drafted = [
        each for each in feed_lines.with_drafts(feed_account, min(days), max(days)) if each.id not in ids
    ]
    refused = feed_lines.refused(feed_account.organization_id, ids)
    reports = [
        LineReport(each.id, each.booked_on, each.amount_minor, each.description, each.counterparty)
        for each in posted
    ]
    found = join_records.record(
        feed_account.organization_id, pair_exactly(drafted, reports, refused), now=now
    )
    rows = lookups.by_id(Transaction, feed_account.organization_id, [each.joined_id for each in found])
    for row in rows.values():
        join_records.remove_from_books(row, now=now)
    return {each.kept_id for each in found}
