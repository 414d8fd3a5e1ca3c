"""Lines that a provider removed and sends again: it is believed, and they are in the books again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from webapp.models import Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.services.feeds.incoming_lines import DELETED_REASON, IncomingLine, PushContext
from webapp.services.transactions import bank_changes

REASON = "The bank removed this line and sent it again."
UNDER_ANOTHER_ID = "The bank removed this id; the line is there under another one."


def recognise(context: PushContext, returned: Sequence[IncomingLine]) -> None:
    """Set the verdict on lines that do not come back: somebody deleted them, or they are there under another id."""
    if not returned:
        return
    organization_id = context.organization.id
    lines = {id(each): each.earlier.line_id for each in returned if each.earlier is not None}
    rows = lookups.by_id(Transaction, organization_id, lines.values())
    renamed = feed_lines.newest_booked_rows(organization_id, [row.id for row in rows.values()])
    for each in returned:
        line_id = lines[id(each)]
        was_pending = each.earlier is not None and each.earlier.is_pending
        is_joined = line_id != each.row_id
        if line_id in renamed or (was_pending and is_joined):
            each.settle("REMOVED", line_id, UNDER_ANOTHER_ID)
        elif rows[line_id].status == "DELETED":
            each.settle("DELETED", line_id, DELETED_REASON)


def begin(line: Transaction, *, now: datetime) -> None:
    """Make a line a booked one, before it takes the bank's present fields, and record that it came back."""
    bank_changes.change_status(line, "BOOKED", now=now)
