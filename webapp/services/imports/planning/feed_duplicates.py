"""Lines of a file that the feed gave already: found before the import, and stored as joined reports."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.matching.duplicates import pair_duplicates
from webapp.ledger.matching.joins import LineReport, Pairing
from webapp.models import FeedAccount
from webapp.queries.matching import booked_feed_lines, feed_lines, pending_lines
from webapp.services.imports.planning.records import PlannedLine
from webapp.services.ingestion.staging import LINES
from webapp.services.transactions import join_records, pending_matches

REPORT = (
    LINES.c.transaction_id,
    LINES.c.booked_on,
    LINES.c.amount_minor,
    LINES.c.description,
    LINES.c.counterparty,
)


def set_verdicts(planned: Sequence[PlannedLine], feed_account: FeedAccount, bank_format: str) -> None:
    """Set the verdicts on new lines of a file that the feed gave already, or may have given.

    A line that the bank removed stays out only where the text is the same too.
    """
    new = [each for each in planned if each.verdict == "NEW"]
    if not new or not feed_lines.has_feed_lines(feed_account):
        return
    days = [each.line.booked_on for each in new]
    existing = booked_feed_lines.only_in_feed(feed_account, min(days), max(days), bank_format)
    removed = feed_lines.removed(feed_account, min(days), max(days))
    # Rows that are not written yet have no ids; their places stand in, below all ids.
    reports = [_report(each, -place) for place, each in enumerate(new, 1)]
    found = pair_duplicates(reports, existing, ())
    left = {each.joined_id for each in found}
    texts = {each.id: each.text for each in (*reports, *removed)}
    found += [
        each
        for each in pair_duplicates([report for report in reports if report.id not in left], removed, ())
        if each.is_certain and texts[each.kept_id] == texts[each.joined_id]
    ]
    deleted = feed_lines.deleted_among(feed_account.organization_id, [each.kept_id for each in found])
    for pairing in found:
        _recognise(new[-pairing.joined_id - 1], pairing, deleted, {each.id for each in removed})


def _recognise(line: PlannedLine, pairing: Pairing, deleted: set[int], removed: set[int]) -> None:
    line.duplicate = pairing
    if not pairing.is_certain:
        line.verdict, line.reason = "POSSIBLY_THERE", pairing.reason
        return
    line.verdict, line.existing_id = "ALREADY_THERE", pairing.kept_id
    line.reason = pairing.reason
    if pairing.kept_id in deleted:
        line.reason = "Somebody deleted this line; it stays deleted."
    elif pairing.kept_id in removed:
        line.reason = "The bank removed this line by its feed; it stays out."


def _report(planned: PlannedLine, number: int) -> LineReport:
    line = planned.line
    return LineReport(number, line.booked_on, planned.amount_minor, line.description, line.counterparty)


def store_joins(
    feed_account: FeedAccount, duplicates: Sequence[PlannedLine], *, portion: int, now: datetime
) -> None:
    """Store the joins of a written portion of lines with the feed's lines, and match pending lines."""
    pairings = [
        (line.number, line.duplicate)
        for line in duplicates
        if line.number is not None and line.duplicate is not None
    ]
    if pairings:
        rows = dict(_staged(portion, LINES.c.number, LINES.c.transaction_id))
        found = [pairing._replace(joined_id=rows[number]) for number, pairing in pairings]
        join_records.record(feed_account.organization_id, found, now=now)
    if pending_lines.waiting(feed_account):
        reports = {
            state: [
                LineReport(*row)
                for each_state, *row in _staged(portion, LINES.c.state, *REPORT)
                if each_state == state
            ]
            for state in ("PENDING", "BOOKED")
        }
        pending_matches.match_pending(feed_account, reports["PENDING"], reports["BOOKED"], now=now)


def _staged(portion: int, *columns: sa.ColumnElement[Any]) -> list[tuple[Any, ...]]:
    statement = sa.select(*columns).where(LINES.c.portion == portion).order_by(LINES.c.number)
    return [tuple(row) for row in db.session.connection().execute(statement)]
