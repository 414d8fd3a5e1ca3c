"""What becomes of lines that a provider removed: their ids stay out for good, and posted entries wait for a void."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from webapp.models import FeedAccount, Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.queries.matching.feed_lines import SaidLine
from webapp.services.feeds import feed_lines as said_lines
from webapp.services.feeds import reissued_lines
from webapp.services.transactions import bank_changes


class Removed(NamedTuple):
    """The verdict on an id that was removed."""

    provider_transaction_id: str
    verdict: str
    line_id: int | None
    reason: str


def remove(feed_account: FeedAccount, ids: Sequence[str], *, now: datetime) -> list[Removed]:
    """Take lines out that the provider removed, one verdict for each id.

    An id that was never here is remembered, so that a line of it that comes late stays out.
    """
    if not ids:
        return []
    known = feed_lines.said(feed_account, set(ids))
    names = list(dict.fromkeys(ids))
    said_lines.keep_removed(feed_account, [name for name in names if name not in known])
    going = [known[name] for name in names if name in known and known[name].said != "REMOVED"]
    said_lines.remove(feed_account, [each.provider_transaction_id for each in going])
    line_ids = {each.transaction_id if each.is_pending else each.line_id for each in going}
    elsewhere = _elsewhere(feed_account, going)
    rows = lookups.by_id(Transaction, feed_account.organization_id, line_ids - elsewhere)
    elsewhere |= reissued_lines.keep(feed_account, list(rows.values()), now=now)
    leaving = [row for row in rows.values() if row.id not in elsewhere]
    posted = bank_changes.remove(feed_account, leaving, now=now)
    reasons = {each.provider_transaction_id: _reason(each, elsewhere, posted) for each in going}
    return [_verdict(name, known.get(name), reasons.get(name)) for name in ids]


def _elsewhere(feed_account: FeedAccount, going: Sequence[SaidLine]) -> set[int | None]:
    """Find the lines that the bank gives under an id that is newer than those which it takes back.

    An older id of a line, which the bank renewed, is not the bank's word on it any more.
    """
    removed: dict[int, int] = {}
    for each in going:
        line_id = each.transaction_id if each.is_pending else each.line_id
        if line_id is not None and each.transaction_id is not None:
            removed[line_id] = max(each.transaction_id, removed.get(line_id, 0))
    given = feed_lines.said_elsewhere(feed_account.organization_id, removed.keys())
    return {line_id for line_id, newest in given.items() if newest > removed[line_id]}


def _reason(said: SaidLine, elsewhere: set[int | None], posted: set[int]) -> str:
    if said.is_pending:
        return "It waited for the bank, which took it back."
    if said.status == "DELETED":
        return "Somebody had deleted this line."
    if said.line_id in elsewhere:
        return "The bank gives this line under another id too; it stays."
    if said.line_id in posted:
        return "Its entry is posted and stays until somebody voids it."
    return "Its draft is gone."


def _verdict(name: str, said: SaidLine | None, reason: str | None) -> Removed:
    if said is None:
        return Removed(name, "UNKNOWN", None, "No line of this id is here; one that comes later stays out.")
    return Removed(name, "REMOVED", said.line_id, reason or "It was removed before.")
