"""Lines that a file gave as they were before a change that the feed told first: the feed's and the file's are one."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.ledger.matching.joins import LineReport, Pairing, pair_duplicates
from webapp.models import Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.services.feeds.incoming_lines import DELETED_REASON, Feeding, Judged
from webapp.services.transactions import bank_changes, join_records

REASON = "Another source gave this line as it was before the bank changed it."
PERHAPS = (
    "Another source gave a line as this one was before the bank changed it; look whether it is the same."
)


def join(feeding: Feeding, late: Sequence[Judged], arriving: Sequence[Judged]) -> None:
    """Join lines that a push says late, as they were, to those of files that say the same.

    `arriving` lines of the same push may be those of the files just as well, and count too.
    """
    rows = lookups.by_id(Transaction, feeding.organization.id, [each.row_id for each in late])
    open_ = [each for each in late if _is_alone(each, rows[each.row_id])]
    if not open_:
        return
    days = [each.line.booked_on for each in open_]
    there = feed_lines.only_in_files(feeding.feed_account, min(days), max(days))
    own = {each.row_id for each in open_ if each.row_id is not None}
    reports = [_report(each, -place) for place, each in enumerate((*open_, *arriving), 1)]
    refused = feed_lines.refused(feeding.organization.id, own)
    places = {each.row_id: -place for place, each in enumerate(open_, 1)}
    settled = {(places.get(one, one), places.get(other, other)) for one, other in refused}
    for pairing in pair_duplicates(reports, there, settled):
        place = -pairing.joined_id - 1
        if place < len(open_) and not pairing.is_certain:
            _ask(feeding, open_[place], pairing)
        elif place < len(open_):
            _join(feeding, open_[place], rows[open_[place].row_id], pairing.kept_id)


def _is_alone(each: Judged, row: Transaction) -> bool:
    """Tell whether no file's line is known to be this one, which was another one before its change."""
    is_there = each.said is not None and each.said.kept_id is None and row.status in bank_changes.IN_BOOKS
    was = each.line.booked_on, each.amount_minor
    return is_there and row.line_key is None and was != (row.booked_on, row.amount_minor)


def _report(each: Judged, number: int) -> LineReport:
    line = each.line
    return LineReport(number, line.booked_on, each.amount_minor, line.description, line.counterparty)


def _ask(feeding: Feeding, each: Judged, pairing: Pairing) -> None:
    if each.row_id is not None:
        found = pairing._replace(joined_id=each.row_id, reason=PERHAPS)
        join_records.record(feeding.organization.id, [found], now=feeding.now)
        each.settle("POSSIBLY_THERE", each.row_id, PERHAPS)


def _join(feeding: Feeding, each: Judged, row: Transaction, file_line_id: int) -> None:
    """Let one line be both: the file's with what the bank says now, save where only the feed's is posted."""
    file_line = lookups.get(Transaction, feeding.organization.id, file_line_id)
    if join_records.is_posted(row) and (join_records.is_posted(file_line) or file_line.status == "DELETED"):
        return
    kept, joined = (row, file_line) if join_records.is_posted(row) else (file_line, row)
    join_records.remove_from_books(joined, now=feeding.now)
    join_records.move_joins(joined, kept)
    pairing = Pairing(kept.id, joined.id, "TWIN", is_certain=True, reason=REASON)
    join_records.record(feeding.organization.id, [pairing], now=feeding.now)
    if kept is file_line:
        facts = bank_changes.facts_of(file_line)._replace(
            booked_on=row.booked_on, amount_minor=row.amount_minor
        )
        bank_changes.apply(file_line, facts, now=feeding.now)
    if kept.status == "DELETED":
        each.settle("DELETED", kept.id, DELETED_REASON)
    else:
        each.settle("JOINED", kept.id, REASON)
