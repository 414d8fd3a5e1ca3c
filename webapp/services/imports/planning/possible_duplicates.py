"""New lines of a file that another source may have given: suspected, and left to a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from webapp.ledger.matching.joins import Pairing
from webapp.models import FeedAccount
from webapp.queries.matching import feed_lines
from webapp.queries.matching.existing_lines import KnownLine
from webapp.services.imports.planning.lines import PlannedLine

THERE = frozenset({"BOOKED", "SET_ASIDE", "DELETED"})
REASON = "Another source gave a line of this day and amount."

Key = tuple[date, int]


def judge(
    planned: Sequence[PlannedLine], known: Sequence[KnownLine], feed_account: FeedAccount, bank_format: str
) -> None:
    """Mark the new lines that another source gave already: same day and amount, not more often than there."""
    new = {(each.line.booked_on, each.amount_minor) for each in planned if each.verdict == "NEW"}
    if not new:
        return
    others = [
        line for line in known if line.status in THERE and line.source != bank_format and _key(line) in new
    ]
    if not others:
        return
    given = _given(known, bank_format) | {each.twin.kept_id for each in planned if each.twin is not None}
    given |= _suggested(others, known, feed_account, bank_format)
    left: dict[Key, list[int]] = defaultdict(list)
    for line in others:
        if line.id not in given:
            left[_key(line)].append(line.id)
    for each in planned:
        there = left[each.line.booked_on, each.amount_minor]
        if each.verdict == "NEW" and there:
            each.verdict, each.reason = "POSSIBLY_THERE", REASON
            each.twin = Pairing(there.pop(0), 0, "TWIN", is_certain=False, reason=REASON)


def _key(line: KnownLine) -> Key:
    return line.booked_on, line.amount_minor


def _given(known: Sequence[KnownLine], bank_format: str) -> set[int]:
    """Find the lines that a file of this format gave too, as they are now."""
    by_id = {line.id: line for line in known}
    return {
        line.kept_id
        for line in known
        if line.kept_id in by_id and line.source == bank_format and _key(line) == _key(by_id[line.kept_id])
    }


def _suggested(
    others: Sequence[KnownLine], known: Sequence[KnownLine], feed_account: FeedAccount, bank_format: str
) -> set[int]:
    """Find the lines that a line of this format was suspected to be before, which nobody has settled."""
    mine = {line.id for line in known if line.source == bank_format and line.status in THERE}
    pairs = feed_lines.pairs(feed_account.organization_id, {line.id for line in others})
    open_ = {pair for pair, status in pairs.items() if status == "SUGGESTED"}
    return {one if other in mine else other for one, other in open_ if mine & {one, other}}
