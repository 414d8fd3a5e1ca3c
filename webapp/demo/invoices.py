"""The studio's open invoices and bills: what clients owe it and what it owes, as it stands on the story's day."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from webapp.demo.lines import DemoLine
from webapp.demo.story import Month, Story

TERMS: Final = timedelta(days=30)
_NUMBER: Final = re.compile(r"[0-9]{4}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class DemoInvoice:
    """An invoice to a client, or with a negative amount a bill of a supplier; `cash_minor` of it was paid in cash.

    `code` and `project` are those of the income or the expense.
    """

    party: str
    number: str
    issued_on: date
    due_on: date
    amount_minor: int
    code: str
    project: str | None
    currency: str
    cash_minor: int = 0


# Party, how many days before the story's day it was issued, its terms in days, amount, account, project, the currency
# if it is another one, and what of it was paid in cash.
_OWED: Final = (
    ("Harbour Museum", 74, 30, 312000, "4000", "Harbour Museum signage", None, 0),
    ("Fjord Coffee Roasters", 40, 14, 246000, "4000", "Fjord Coffee packaging", None, 100000),
    ("Brightwater Labs Inc", 33, 30, 295000, "4000", "Brightwater website", "USD", 0),
    ("Aurora Energi AB", 12, 30, 468000, "4000", "Aurora rebrand", None, 0),
    ("Lotte Brandt Fotografie", 51, 14, -62000, "5100", None, None, 0),
    ("Druckhaus Wandsbek", 18, 30, -84000, "5000", None, None, 0),
)


def issued(story: Story, month: Month, waiting: DemoLine | None) -> Iterator[DemoInvoice]:
    """Give what was issued in a month of what is open; `waiting` is a bank line that pays one and is not booked yet."""
    found = [*_outstanding(story), *_paid_by(waiting, story.country.currency)]
    yield from (each for each in found if month.first <= each.issued_on <= month.last)


def _outstanding(story: Story) -> Iterator[DemoInvoice]:
    own, wording = story.country.currency, story.country.wording
    for place, (party, ago, terms, amount_minor, code, project, currency, cash) in enumerate(_OWED, start=1):
        on = story.day - timedelta(days=ago)
        number = f"NS-{on:%y%m}-{place:02}" if amount_minor > 0 else f"{on:%y}/{4100 + place * 17}"
        due_on = on + timedelta(days=terms)
        yield DemoInvoice(
            wording(party), number, on, due_on, amount_minor, code, project, currency or own, cash
        )


def _paid_by(line: DemoLine | None, currency: str) -> Iterator[DemoInvoice]:
    """Give the invoice that a line names and pays in full, if there is such a line."""
    number = _NUMBER.search(line.memo) if line else None
    if line and number:
        on = line.day - TERMS
        booking = line.booking
        yield DemoInvoice(
            line.party, number[0], on, line.day, line.amount_minor, booking.code, booking.project, currency
        )
