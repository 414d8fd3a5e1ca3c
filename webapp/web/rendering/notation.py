"""The notation of the viewer's pages: the person's own, or else that of the organization."""

from __future__ import annotations

import re
from typing import Final

from flask import has_request_context

from webapp.ledger.money import NotAnAmountError
from webapp.ledger.notation.amounts import written
from webapp.ledger.notation.days import written_day
from webapp.ledger.notation.locales import DEFAULT, NOTATIONS, Notation, notation_of
from webapp.ledger.notation.sentences import worded
from webapp.schemas.fields import AMOUNT_WANTED, DAY_WANTED, RATE_WANTED
from webapp.web.access import requests
from webapp.web.access.request_state import state
from webapp.web.rendering.figures import UNCLEAR

# What the schemas and the ledger ask for, in the notation of the API, and what pages ask for instead.
_AMOUNT_SENTENCES: Final = frozenset({AMOUNT_WANTED, str(NotAnAmountError.__doc__)})
# How a program answers what a file leaves open; a person does it on the page of the import.
_IN_MAPPING: Final = re.compile(r"; [^;]*\bin the mapping\b.*", re.DOTALL)


def notation() -> Notation:
    """Give the notation of the page that is being rendered or read."""
    found = state().principal if has_request_context() else None
    return notation_of(found.locale) if found else DEFAULT


def notations() -> list[dict[str, str]]:
    """List the notations to choose from, by region, each with an amount and a day of its kind."""
    today = requests.now().date()
    return [
        {
            "id": each.locale,
            "name": f"{each.region}: {written('1234567.50', each)}, {written_day(today, each)}",
        }
        for each in sorted(NOTATIONS.values(), key=lambda each: each.region)
    ]


def sentence(text: str) -> str:
    """Write one of our sentences in the notation of the page: its figures and days, and how to write one."""
    chosen = notation()
    if text in _AMOUNT_SENTENCES:
        return f"Write an amount like {written('1234.50', chosen)}."
    if text == RATE_WANTED:
        return f"Write a rate above zero, like {written('1.0842', chosen)}."
    if text == DAY_WANTED:
        return (
            f"Write a day like {written_day(requests.now().date(), chosen)}, or 31, +1, t, end of last month."
        )
    return worded(_IN_MAPPING.sub("; choose how to read it.", text.replace(UNCLEAR, "")), chosen)
