"""Ids that count the lines of a day: a line that the bank inserts shifts those behind it, and changes none of them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date

from webapp.ledger.matching.pushed_lines import SHARED
from webapp.models import FeedAccount, Transaction
from webapp.queries.common import lookups
from webapp.queries.matching.feed_lines import FeedEvent
from webapp.services.feeds import feed_lines as last_events
from webapp.services.feeds.incoming_lines import IncomingLine

REASON = "The bank gave the lines of this day other ids; the line is the same."


def settle(
    feed_account: FeedAccount, lines: Sequence[IncomingLine], stored: dict[str, FeedEvent]
) -> frozenset[str]:
    """Move known lines to the ids that a push gives them now, in `stored` and in the books; answers these ids.

    That is so for a day if each known line of it that seems to have changed is in the push as it was, under another
    id of that day.
    """
    days: dict[date, list[IncomingLine]] = defaultdict(list)
    for each in lines:
        days[each.line.booked_on].append(each)
    moved: dict[str, FeedEvent] = {}
    for of_day in days.values():
        moved |= _moved(of_day, stored)
    if moved:
        _move(feed_account, moved)
        for event in moved.values():
            stored.pop(event.provider_transaction_id, None)
        stored |= {name: event._replace(provider_transaction_id=name) for name, event in moved.items()}
    return frozenset(moved)


def _moved(of_day: Sequence[IncomingLine], stored: dict[str, FeedEvent]) -> dict[str, FeedEvent]:
    """Return the events of a day that move, by the id that each moves to; none if a line really changed."""
    first = {each.line.provider_transaction_id: each for each in reversed(of_day)}
    known = {name: stored[name] for name in first if name in stored}
    changed = {name: event for name, event in known.items() if event.digest != first[name].digest}
    if not changed or any(
        event.event == "REMOVED" or event.digest in {None, SHARED} for event in changed.values()
    ):
        return {}
    now: Counter[bytes | None] = Counter(each.digest for each in first.values())
    if Counter(event.digest for event in known.values()) - now:
        return {}
    waiting: dict[bytes | None, list[FeedEvent]] = defaultdict(list)
    for event in changed.values():
        waiting[event.digest].append(event)
    free = [name for name, each in first.items() if name not in known or name in changed]
    return {name: waiting[digest].pop() for name in free if waiting[digest := first[name].digest]}


def _move(feed_account: FeedAccount, moved: dict[str, FeedEvent]) -> None:
    last_events.rename(feed_account, {event.provider_transaction_id: name for name, event in moved.items()})
    rows = lookups.by_id(
        Transaction, feed_account.organization_id, [event.transaction_id for event in moved.values()]
    )
    for name, event in moved.items():
        if (row := rows.get(event.transaction_id)) is not None:
            row.provider_transaction_id = name
