"""Posted lines that a bank takes back under one id and gives under another: the same line, and its entry stands."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from webapp.ledger.joins import Pairing, Report, pair_twins
from webapp.models import FeedAccount, Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.queries.reconciliation import openings
from webapp.services.transactions import joins

REASON = "The bank gave the line a new id; day, amount and text are the same."


def pairs(new: Sequence[Report], there: Sequence[Report], refused: set[tuple[int, int]]) -> list[Pairing]:
    """Find which new reports say exactly what lines said that were taken back."""
    texts = {each.id: each.text for each in (*new, *there)}
    return [
        each._replace(tier="REISSUED", reason=REASON)
        for each in pair_twins(list(new), list(there), refused)
        if each.is_certain and texts[each.kept_id] == texts[each.joined_id]
    ]


def keep(feed_account: FeedAccount, leaving: Sequence[Transaction], *, now: datetime) -> set[int | None]:
    """Keep posted lines that are leaving and that a draft of another id says again, in place of those drafts.

    Answers the lines that stay.
    """
    posted = [each for each in leaving if joins.is_posted(each)]
    if not posted:
        return set()
    days = [each.booked_on for each in posted]
    ids = {each.id for each in leaving}
    drafted = [each for each in feed_lines.drafted(feed_account, min(days), max(days)) if each.id not in ids]
    refused = feed_lines.refused(feed_account.organization_id, ids)
    there = [
        Report(each.id, each.booked_on, each.amount_minor, each.description, each.counterparty)
        for each in posted
    ]
    found = joins.record(feed_account.organization_id, pairs(drafted, there, refused), now=now)
    rows = lookups.by_id(Transaction, feed_account.organization_id, [each.joined_id for each in found])
    for row in rows.values():
        joins.leave_books(row, now=now)
    return {each.kept_id for each in found}


def revive(line: Transaction, *, now: datetime) -> None:
    """Let a line that was taken back be a booked one again; its posted entry never left."""
    line.status, line.updated_at = openings.state_of(line), now
