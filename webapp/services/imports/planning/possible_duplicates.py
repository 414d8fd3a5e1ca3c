"""Possible duplicates: new lines of a file that another source may have given, for a person to decide."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.ledger.matching.joins import Pairing
from webapp.models import FeedAccount
from webapp.queries.matching import feed_lines
from webapp.services.imports.planning.records import PlannedLine

STORED = frozenset({"BOOKED", "SET_ASIDE", "DELETED"})
REASON = "Another source has a line with this day and amount."

Key = tuple[date, int]


def set_verdicts(
    planned: Sequence[PlannedLine],
    existing: Sequence[sa.Row[Any]],
    feed_account: FeedAccount,
    bank_format: str,
) -> None:
    """Mark new lines with the day and amount of another source's line, each of those lines once."""
    new = {(each.line.booked_on, each.amount_minor) for each in planned if each.verdict == "NEW"}
    if not new:
        return
    others = [
        line
        for line in existing
        if line.status in STORED and line.source != bank_format and _key(line) in new
    ]
    if not others:
        return
    paired = _of_format(existing, bank_format) | {
        each.duplicate.kept_id for each in planned if each.duplicate is not None
    }
    paired |= _suggested(others, existing, feed_account, bank_format)
    left: dict[Key, list[int]] = defaultdict(list)
    for line in others:
        if line.id not in paired:
            left[_key(line)].append(line.id)
    for each in planned:
        free = left[each.line.booked_on, each.amount_minor]
        if each.verdict == "NEW" and free:
            each.verdict, each.reason = "POSSIBLY_THERE", REASON
            each.duplicate = Pairing(free.pop(0), 0, "TWIN", is_certain=False, reason=REASON)


def _key(line: sa.Row[Any]) -> Key:
    return line.booked_on, line.amount_minor


def _of_format(existing: Sequence[sa.Row[Any]], bank_format: str) -> set[int]:
    """Find the lines that a file of this format gave too, as they are now."""
    by_id = {line.id: line for line in existing}
    return {
        line.kept_id
        for line in existing
        if line.kept_id in by_id and line.source == bank_format and _key(line) == _key(by_id[line.kept_id])
    }


def _suggested(
    others: Sequence[sa.Row[Any]],
    existing: Sequence[sa.Row[Any]],
    feed_account: FeedAccount,
    bank_format: str,
) -> set[int]:
    """Find the lines that a line of this format may be by an earlier suggestion, which nobody has decided."""
    mine = {line.id for line in existing if line.source == bank_format and line.status in STORED}
    pairs = feed_lines.join_statuses(feed_account.organization_id, {line.id for line in others})
    open_ = {pair for pair, status in pairs.items() if status == "SUGGESTED"}
    return {one if other in mine else other for one, other in open_ if mine & {one, other}}
