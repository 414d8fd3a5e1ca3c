"""Cash that is expected: what is due from customers and to suppliers, by day."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from itertools import accumulate

from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import OwedSide
from webapp.queries.access import organizations
from webapp.queries.items import ageing


@dataclass(frozen=True, slots=True)
class ExpectedDay:
    """What comes in and goes out on a day, at its carrying base, and what both come to up to it."""

    due_on: date
    incoming: Money
    outgoing: Money
    running: Money


@dataclass(frozen=True, slots=True)
class ExpectedCash:
    """Cash expected by due day, as known at the close of a day; `overdue` was due by then, `undated` has no due day."""

    day: date
    base_currency: str
    overdue: Money
    undated: Money
    days: tuple[ExpectedDay, ...]


def expected(organization_id: str, day: date) -> ExpectedCash:
    """Give the cash that open items bring by the day on which they are due."""
    base = organizations.get(organization_id).base_currency
    sums: dict[date | None, dict[OwedSide, int]] = defaultdict(lambda: dict.fromkeys(OwedSide, 0))
    for side in OwedSide:
        for each in ageing.owed(organization_id, ageing.keeping(organization_id, side), day):
            sums[each.due_on][side] += each.amount_base_minor
    late = [value for due, both in sums.items() if due is not None and due <= day for value in both.values()]
    undated = sum(sums.pop(None, {}).values())
    coming = sorted(due for due in sums if due is not None and due > day)
    running = accumulate((sum(sums[due].values()) for due in coming), initial=sum(late))
    next(running)
    days = (
        ExpectedDay(
            due,
            Money(sums[due][OwedSide.RECEIVABLES], base),
            Money(sums[due][OwedSide.PAYABLES], base),
            Money(after, base),
        )
        for due, after in zip(coming, running, strict=True)
    )
    return ExpectedCash(day, base, Money(sum(late), base), Money(undated, base), tuple(days))
