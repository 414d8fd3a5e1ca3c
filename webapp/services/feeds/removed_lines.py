"""Lines that a provider removed: they stay out until it sends them again, a posted entry until somebody voids it."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from webapp.models import FeedAccount, Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.queries.matching.feed_lines import FeedEvent
from webapp.services.feeds import feed_lines as last_events
from webapp.services.feeds import reissued_lines
from webapp.services.transactions import removals


class RemovalVerdict(NamedTuple):
    """The verdict on an id that was removed."""

    provider_transaction_id: str
    verdict: str
    line_id: int | None
    reason: str


def remove(feed_account: FeedAccount, ids: Sequence[str], *, now: datetime) -> list[RemovalVerdict]:
    """Remove the lines of ids that the provider removed, with one verdict for each id.

    An unknown id is stored too, so that its line, if it comes late, stays out.
    """
    if not ids:
        return []
    stored = feed_lines.last_events(feed_account, set(ids))
    names = list(dict.fromkeys(ids))
    last_events.add_removed(feed_account, [name for name in names if name not in stored])
    going = [stored[name] for name in names if name in stored and stored[name].event != "REMOVED"]
    last_events.remove(feed_account, [each.provider_transaction_id for each in going])
    line_ids = {each.transaction_id if each.is_pending else each.line_id for each in going}
    staying = _under_newer_ids(feed_account, going)
    rows = lookups.by_id(Transaction, feed_account.organization_id, line_ids - staying)
    staying |= reissued_lines.keep_posted(feed_account, list(rows.values()), now=now)
    leaving = [row for row in rows.values() if row.id not in staying]
    posted = removals.remove(feed_account, leaving, now=now)
    reasons = {each.provider_transaction_id: _reason(each, staying, posted) for each in going}
    return [_verdict(name, stored.get(name), reasons.get(name)) for name in ids]


def _under_newer_ids(feed_account: FeedAccount, going: Sequence[FeedEvent]) -> set[int | None]:
    """Find the lines that the feed has under an id newer than those which it removes.

    The removal of an older id of a line, which the bank replaced, does not remove the line.
    """
    removed: dict[int, int] = {}
    for each in going:
        line_id = each.transaction_id if each.is_pending else each.line_id
        if line_id is not None and each.transaction_id is not None:
            removed[line_id] = max(each.transaction_id, removed.get(line_id, 0))
    newest_ids = feed_lines.newest_booked_rows(feed_account.organization_id, removed.keys())
    return {line_id for line_id, newest in newest_ids.items() if newest > removed[line_id]}


def _reason(event: FeedEvent, staying: set[int | None], posted: set[int]) -> str:
    if event.is_pending:
        return "It was pending, and the bank removed it."
    if event.status == "DELETED":
        return "Somebody had deleted this line."
    if event.line_id in staying:
        return "The bank has this line under another id too; it stays."
    if event.line_id in posted:
        return "Its entry is posted and stays until somebody voids it."
    return "Its draft is deleted."


def _verdict(name: str, event: FeedEvent | None, reason: str | None) -> RemovalVerdict:
    if event is None:
        return RemovalVerdict(name, "UNKNOWN", None, "No line has this id; one that comes later stays out.")
    return RemovalVerdict(name, "REMOVED", event.line_id, reason or "It was removed before.")
