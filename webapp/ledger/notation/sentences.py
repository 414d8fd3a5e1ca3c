"""Sentences in a notation: services write figures and days in one form, and pages convert them."""

from __future__ import annotations

import re
from typing import Final

from webapp.ledger.notation.amounts import MINUS, written
from webapp.ledger.notation.days import MONTHS
from webapp.ledger.notation.locales import DEFAULT, Notation

# A text of a bank that holds an amount stands in quotation marks in our sentences, and keeps its own.
_QUOTED: Final = re.compile(r"(“[^”]*”)")
_FIGURE: Final = re.compile(
    rf"(?<![\w.,'])(?:{MINUS})?(?:[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?|[0-9]+\.[0-9]{{2,4}})(?!\w|[.,][0-9])"
)
_DAY: Final = re.compile(rf"\b([0-9]{{1,2}}) ({'|'.join(MONTHS)})( [0-9]{{4}})?\b")


def worded(sentence: str, notation: Notation) -> str:
    """Write the amounts, counts and days of our own sentence in a notation.

    >>> from webapp.ledger.notation.locales import NOTATIONS
    >>> worded("Debits exceed credits by 1,234.50 EUR.", NOTATIONS["en-DE"])
    'Debits exceed credits by 1.234,50 EUR.'
    >>> worded("Confirmed “Rent 1,200.00 EUR” −1.00 EUR of 3 Nov, 5,073 lines", NOTATIONS["en-DE"])
    'Confirmed “Rent 1,200.00 EUR” −1,00 EUR of 3 Nov, 5.073 lines'
    >>> worded("October is locked. Date it 1 Nov 2026.", NOTATIONS["en-US"])
    'October is locked. Date it Nov 1, 2026.'
    """
    if notation is DEFAULT:
        return sentence
    parts = _QUOTED.split(sentence)
    return "".join(part if index % 2 else _in(part, notation) for index, part in enumerate(parts))


def _in(text: str, notation: Notation) -> str:
    text = _FIGURE.sub(lambda found: written(_plain(found[0]), notation), text)
    if not notation.is_month_first:
        return text
    return _DAY.sub(lambda day: f"{day[2]} {day[1]}{f',{day[3]}' if day[3] else ''}", text)


def _plain(figure: str) -> str:
    return figure.replace(MINUS, "-").replace(",", "")
