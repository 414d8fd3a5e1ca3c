"""Lines that a provider gives under another id than before: the same line, or one that only looks like it."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.ledger.joins import Pairing, Report, contradict, pair_twins
from webapp.queries import given_lines
from webapp.services.judged_lines import Feeding, Judged

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
        for each in given_lines.given(feeding.feed_account, min(days), max(days), amounts)
        if each.report.amount_minor in amounts and not each.names & feeding.repeated
    ]
    if not there:
        return []
    reports = [_report(each, -place) for place, each in enumerate(new, 1)]
    taken_back = {each.report.id for each in there if each.names <= feeding.removed}
    in_files = {each.report.id for each in there if each.is_in_file}
    by_id = {report.id: report for report in (*reports, *(each.report for each in there))}
    found: list[Pairing] = []
    # What the batch takes back is spoken for first, so that a twin beside it is left alone.
    for kept in ([each for each in there if each.report.id in taken_back], there):
        open_ = [each for each in reports if each.id not in {pairing.joined_id for pairing in found}]
        free = [each.report for each in kept if each.report.id not in {pairing.kept_id for pairing in found}]
        found += [
            pairing for pairing in pair_twins(open_, free, ())
            if pairing.kept_id in in_files or not contradict(by_id[pairing.kept_id], by_id[pairing.joined_id])
        ]  # fmt: skip
    sure = {
        pairing.joined_id
        for pairing in found
        if pairing.kept_id in taken_back and not contradict(by_id[pairing.kept_id], by_id[pairing.joined_id])
    }
    return [(new[-each.joined_id - 1], _judged(each, is_certain=each.joined_id in sure)) for each in found]


def _report(each: Judged, number: int) -> Report:
    line = each.line
    return Report(number, line.booked_on, each.amount_minor, line.description, line.counterparty)


def _judged(pairing: Pairing, *, is_certain: bool) -> Pairing:
    return pairing._replace(tier=TIER, is_certain=is_certain, reason=CERTAIN if is_certain else PERHAPS)
