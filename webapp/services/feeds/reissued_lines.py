"""Lines that a provider gives under another id than before: the same line, or one that only looks like it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import zip_longest

from webapp.ledger.matching.joins import LineReport, Pairing, contradict, pair_duplicates
from webapp.models import FeedAccount, Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import booked_feed_lines, feed_lines
from webapp.queries.reconciliation import openings
from webapp.services.feeds.incoming_lines import Feeding, Judged
from webapp.services.transactions import join_records

TIER = "REISSUED"
CERTAIN = "The bank gives this line under another id now, and took the old one back."
PERHAPS = "The feed gave such a line before, under another id; look whether it is the same."


def of(feeding: Feeding, arriving: Sequence[Judged]) -> list[tuple[Judged, Pairing]]:
    """Find which lines under new ids are lines that the feed gave under ids that this batch does not give too.

    Day, amount and a text that does not contradict make it possible, and of a line that a file gave too any text,
    for files have words of their own. It is certain where the batch takes the old ids back
    and the feed's own words agree. A line that is not
    written yet goes by a negative number.
    """
    new = [each for each in arriving if each.said is None]
    if not new:
        return []
    days = [each.line.booked_on for each in new]
    amounts = {each.amount_minor for each in new}
    there = [
        each
        for each in booked_feed_lines.given(feeding.feed_account, min(days), max(days), amounts)
        if each.report.amount_minor in amounts and not each.names & feeding.repeated
    ]
    if not there:
        return []
    reports = [_report(each, -place) for place, each in enumerate(new, 1)]
    in_files = {each.report.id for each in there if each.is_in_file}
    # What the batch takes back is spoken for first, so that a twin beside it is left alone.
    gone = [each.report for each in there if each.names <= feeding.removed]
    sure = _pairs(reports, gone, in_files)
    found = sure + _pairs(_left(reports, sure), [each.report for each in there], in_files, but=sure)
    # A line that two ids of the feed were settled to be has the words of both, and either may come again.
    for same in zip_longest(*(each.others for each in there)):
        found += _pairs(_left(reports, found), [each for each in same if each is not None], in_files)
    certain = {each.joined_id for each in _agreeing(sure, gone, reports)}
    return [(new[-each.joined_id - 1], _judged(each, is_certain=each.joined_id in certain)) for each in found]


def _pairs(
    new: list[LineReport], there: list[LineReport], in_files: set[int], *, but: Sequence[Pairing] = ()
) -> list[Pairing]:
    """Pair new lines with lines that are there and not spoken for, unless their words are against it."""
    taken = {each.kept_id for each in but}
    free = [each for each in there if each.id not in taken]
    found = pair_duplicates(new, free, ())
    agreeing = {each.joined_id for each in _agreeing(found, free, new)}
    return [each for each in found if each.kept_id in in_files or each.joined_id in agreeing]


def _left(reports: list[LineReport], found: Sequence[Pairing]) -> list[LineReport]:
    paired = {each.joined_id for each in found}
    return [each for each in reports if each.id not in paired]


def _agreeing(
    found: Sequence[Pairing], there: Sequence[LineReport], new: Sequence[LineReport]
) -> Iterator[Pairing]:
    """Give the pairs whose words are not against each other."""
    reports = {each.id: each for each in (*there, *new)}
    for pairing in found:
        if not contradict(reports[pairing.kept_id], reports[pairing.joined_id]):
            yield pairing


def _report(each: Judged, number: int) -> LineReport:
    line = each.line
    return LineReport(number, line.booked_on, each.amount_minor, line.description, line.counterparty)


def _judged(pairing: Pairing, *, is_certain: bool) -> Pairing:
    return pairing._replace(tier=TIER, is_certain=is_certain, reason=CERTAIN if is_certain else PERHAPS)


REASON = "The bank gave the line a new id; day, amount and text are the same."


def pairs(
    new: Sequence[LineReport], there: Sequence[LineReport], refused: set[tuple[int, int]]
) -> list[Pairing]:
    """Find which new reports say exactly what lines said that were taken back."""
    texts = {each.id: each.text for each in (*new, *there)}
    return [
        each._replace(tier="REISSUED", reason=REASON)
        for each in pair_duplicates(list(new), list(there), refused)
        if each.is_certain and texts[each.kept_id] == texts[each.joined_id]
    ]


def keep(feed_account: FeedAccount, leaving: Sequence[Transaction], *, now: datetime) -> set[int | None]:
    """Keep posted lines that are leaving and that a draft of another id says again, in place of those drafts.

    Answers the lines that stay.
    """
    posted = [each for each in leaving if join_records.is_posted(each)]
    if not posted:
        return set()
    days = [each.booked_on for each in posted]
    ids = {each.id for each in leaving}
    drafted = [each for each in feed_lines.drafted(feed_account, min(days), max(days)) if each.id not in ids]
    refused = feed_lines.refused(feed_account.organization_id, ids)
    there = [
        LineReport(each.id, each.booked_on, each.amount_minor, each.description, each.counterparty)
        for each in posted
    ]
    found = join_records.record(feed_account.organization_id, pairs(drafted, there, refused), now=now)
    rows = lookups.by_id(Transaction, feed_account.organization_id, [each.joined_id for each in found])
    for row in rows.values():
        join_records.remove_from_books(row, now=now)
    return {each.kept_id for each in found}


def revive(line: Transaction, *, now: datetime) -> None:
    """Let a line that was taken back be a booked one again; its posted entry never left."""
    line.status, line.updated_at = openings.state_of(line), now
