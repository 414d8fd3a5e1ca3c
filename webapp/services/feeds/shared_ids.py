"""Ids that a provider gives several lines: day and amount identify these lines, in this push and in every later one."""

from collections.abc import Sequence
from dataclasses import replace

from webapp.ledger.matching.pushed_lines import SHARED, PushedLine
from webapp.ledger.money import Money
from webapp.models import Transaction
from webapp.queries.common import lookups
from webapp.queries.matching.feed_lines import FeedEvent
from webapp.services.feeds import feed_lines as last_events
from webapp.services.feeds.incoming_lines import IncomingLine, PushContext


def names_of(lines: Sequence[IncomingLine]) -> set[str]:
    """Return the ids under which lines may be known: as sent, shared, and by their own keys."""
    names = {each.line.provider_transaction_id for each in lines}
    shared = {each.line.shared_id for each in lines if each.line.shared_id is not None}
    return names | shared | {each.line.own_key for each in lines if each.line.shared_id is None}


def settle(context: PushContext, lines: Sequence[IncomingLine], stored: dict[str, FeedEvent]) -> PushContext:
    """Give lines under a shared id their own keys, and take the key of the line that the id named alone so far.

    An id is shared once a push had it on two lines; a line that is known by its own key shows it, too. Answers the
    context with the new keys.
    """
    named = {each.line.provider_transaction_id: each.line for each in lines if each.line.shared_id is None}
    shared = {each.line.shared_id for each in lines if each.line.shared_id is not None}
    shared |= {
        name
        for name, line in named.items()
        if (stored[name].digest == SHARED if name in stored else line.own_key in stored)
    }
    if not shared:
        return context
    _share(context, shared, stored)
    for each in lines:
        if each.line.provider_transaction_id in shared:
            each.line = each.line._replace(
                provider_transaction_id=each.line.own_key, shared_id=each.line.provider_transaction_id
            )
    return replace(
        context, brought=context.brought | {each.line.provider_transaction_id for each in lines} - shared
    )


def _share(context: PushContext, shared: set[str], stored: dict[str, FeedEvent]) -> None:
    """Store that ids are shared, for ever; lines that had them alone are known by their own keys from now on."""
    alone = {name: event for name in shared if (event := stored.get(name)) and event.digest != SHARED}
    rows = lookups.by_id(
        Transaction, context.organization.id, [each.transaction_id for each in alone.values()]
    )
    for name in sorted(shared):
        event = stored.pop(name, None)
        if event is not None and event.digest == SHARED:
            continue
        row = rows.get(event.transaction_id) if event is not None else None
        key = None if row is None or event is None else _key_of(name, row, is_pending=event.is_pending)
        key = None if key in stored else key
        last_events.share(context.feed_account, name, key, is_known=event is not None)
        if key is not None and event is not None:
            stored[key] = event._replace(provider_transaction_id=key)


def _key_of(name: str, row: Transaction, *, is_pending: bool) -> str:
    amount = Money(row.amount_minor, row.currency)
    return PushedLine(name, is_pending, row.booked_on, amount.decimal, row.currency, "").own_key
