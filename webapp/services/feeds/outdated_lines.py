"""Lines of a file as they were before a change by the feed: the feed's line and the file's are joined as one."""

from collections.abc import Sequence
from dataclasses import replace

from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.matching.duplicates import pair_duplicates
from webapp.ledger.matching.joins import Pairing
from webapp.models import Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.services.feeds.incoming_lines import DELETED_REASON, IncomingLine, PushContext
from webapp.services.transactions import bank_changes, join_records

REASON = "Another source has this line as it was before the bank changed it."
POSSIBLE = (
    "Another source gave a line as this one was before the bank changed it; check whether it is the same."
)


def join(context: PushContext, late: Sequence[IncomingLine], arriving: Sequence[IncomingLine]) -> None:
    """Join late lines of a push, which are as they were before a change, with equal lines of files.

    `arriving` lines of the same push may equal those of the files too, and are compared with them as well.
    """
    rows = lookups.by_id(Transaction, context.organization.id, [each.row_id for each in late])
    open_ = [each for each in late if _has_no_file_line(each, rows[each.row_id])]
    if not open_:
        return
    own = {each.row_id for each in open_ if each.row_id is not None}
    reports = [replace(each.report, id=-place) for place, each in enumerate((*open_, *arriving), 1)]
    refused = feed_lines.refused(context.organization.id, own)
    places = {each.row_id: -place for place, each in enumerate(open_, 1)}
    decided = {(places.get(one, one), places.get(other, other)) for one, other in refused}
    existing = feed_lines.only_in_files(context.feed_account, reports, decided)
    for pairing in pair_duplicates(reports, existing, decided):
        place = -pairing.joined_id - 1
        if place < len(open_) and not pairing.is_certain:
            _suggest(context, open_[place], pairing)
        elif place < len(open_):
            _join(context, open_[place], rows[open_[place].row_id], pairing.kept_id)


def _has_no_file_line(each: IncomingLine, row: Transaction) -> bool:
    """Return whether a changed line has no joined line of a file yet."""
    is_booked = each.earlier is not None and each.earlier.kept_id is None and row.status in IN_BOOKS
    was = each.line.booked_on, each.amount_minor
    return is_booked and row.line_key is None and was != (row.booked_on, row.amount_minor)


def _suggest(context: PushContext, each: IncomingLine, pairing: Pairing) -> None:
    if each.row_id is not None:
        found = pairing._replace(joined_id=each.row_id, reason=POSSIBLE)
        join_records.record(context.organization.id, [found], now=context.now)
        each.decide("POSSIBLY_THERE", each.row_id, POSSIBLE)


def _join(context: PushContext, each: IncomingLine, row: Transaction, file_line_id: int) -> None:
    """Join the two lines: the file's is kept, with the bank's present fields, unless only the feed's is posted."""
    file_line = lookups.get(Transaction, context.organization.id, file_line_id)
    if join_records.is_posted(row) and (join_records.is_posted(file_line) or file_line.status == "DELETED"):
        return
    kept, joined = (row, file_line) if join_records.is_posted(row) else (file_line, row)
    join_records.remove_from_books(joined, now=context.now)
    pairing = Pairing(kept.id, joined.id, "TWIN", is_certain=True, reason=REASON)
    join_records.record(context.organization.id, [pairing], now=context.now)
    if kept is file_line:
        facts = bank_changes.facts_of(file_line)._replace(
            booked_on=row.booked_on, amount_minor=row.amount_minor
        )
        bank_changes.apply(file_line, facts, now=context.now)
    if kept.status == "DELETED":
        each.decide("DELETED", kept.id, DELETED_REASON)
    else:
        each.decide("JOINED", kept.id, REASON)
