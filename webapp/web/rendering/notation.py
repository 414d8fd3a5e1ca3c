"""The notation of the viewer's pages, their own or the organization's, and sentences written in it."""

import re
from datetime import UTC, date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from flask import has_request_context

from webapp.ledger.money import NotAnAmountError
from webapp.ledger.notation.amounts import MINUS, written
from webapp.ledger.notation.days import MONTHS, MONTHS_IN_FULL, written_day, written_month, written_short_day
from webapp.ledger.notation.locales import DEFAULT, NOTATIONS, Notation, notation_in
from webapp.schemas.fields import AMOUNT_WANTED, DAY_WANTED, RATE_WANTED
from webapp.web.access import requests
from webapp.web.access.request_state import begun, state
from webapp.web.rendering.figures import UNCLEAR
from webapp.web.rendering.languages import gettext, language, translated

# What the schemas and the ledger ask for, in the notation of the API, and what pages ask for instead.
_AMOUNT_SENTENCES: Final = frozenset({AMOUNT_WANTED, str(NotAnAmountError.__doc__)})
# How a program answers what a file leaves open; a person does it on the page of the import.
_IN_MAPPING: Final = re.compile(r"; [^;]*\bin (?:a|the) mapping\b.*", re.DOTALL)
# How a program insists or chooses; a person has a button or a box for it.
_FOR_PROGRAMS: Final = re.compile(
    r"[;.,] (?:or |and )?[Ss]end (?:it as )?`?(?:force|late)\b[^.]*\."
    r"| \(force\)|, as [a-z]+[A-Z]\w+| in the mapping(?= whether)"
)
# Ids stand in brackets, for programs.
_ID: Final = re.compile(
    r" \((?:(?:faId|documents?|imports?|items?|lines?|proofs?) [0-9]+(?:(?:,| and) [0-9]+)*|ar_\w+)\)"
)
# A text of a bank that holds an amount stands in quotation marks in our sentences, and keeps its own.
_QUOTED: Final = re.compile(r"(“[^”]*”|„[^“]*“)")
_FIGURE: Final = re.compile(
    rf"(?<![\w.,'])(?:{MINUS})?(?:[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?|[0-9]+\.[0-9]{{2,4}})(?!\w|[.,][0-9])"
)
_LEAP_YEAR: Final = 2000
_DAY: Final = re.compile(rf"\b([0-9]{{1,2}}) ({'|'.join(MONTHS)})( [0-9]{{4}})?\b")
# Files have these at the head of a column.
_ISO: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAYS: Final = re.compile(f"{_ISO.pattern}(?: to {_ISO.pattern})?")
_MONTH: Final = re.compile(rf"\b({'|'.join(MONTHS_IN_FULL['en'])}) ([0-9]{{4}})\b")


def notation() -> Notation:
    """Give the notation of the page that is being rendered or read."""
    current = begun()
    if current is None or current.principal is None:
        return DEFAULT
    if current.notation is None:
        found = current.principal
        current.notation = notation_in(language(), found.own_locale, found.locale)
    return current.notation


def in_zone(value: Any) -> Any:
    """Give an instant as it is in the time zone of the books; everything else stays."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        return value
    found = state().principal if has_request_context() else None
    return value.astimezone(ZoneInfo(found.time_zone) if found else UTC)


def today() -> date:
    """Give the current day in the time zone of the books."""
    day: date = in_zone(requests.now()).date()
    return day


def notations() -> list[dict[str, str]]:
    """List the notations to choose from, by region, each with an amount and a day of its kind."""
    day = today()
    return [
        {
            "id": each.locale,
            "name": f"{each.region}: {written('1234567.50', each)}, {written_day(day, each)}",
        }
        for each in sorted(NOTATIONS.values(), key=lambda each: each.region)
    ]


def sentence(text: str) -> str:
    """Write one of our sentences in the notation of the page: its figures and days, and how to write one."""
    chosen = notation()
    if text in _AMOUNT_SENTENCES:
        return gettext("Write an amount like %(figure)s.") % {"figure": written("1234.50", chosen)}
    if text == RATE_WANTED:
        return gettext("Write a rate above zero, like %(figure)s.") % {"figure": written("1.0842", chosen)}
    if text == DAY_WANTED:
        return gettext("Write a day like %(day)s, or 31, +1, t, end of last month.") % {
            "day": written_day(today(), chosen)
        }
    if _DAYS.fullmatch(text):
        text = _ISO.sub(lambda found: f"{date.fromisoformat(found[0]):%-d %b %Y}", text)
    plain = for_people(_ID.sub("", text.replace(UNCLEAR, "")))
    return worded(translated(plain), chosen)


def for_people(sentence: str) -> str:
    """Write a sentence without what a program is to send, where a page has a control for it.

    >>> for_people("Both may be the amount; name one in a mapping, as amount.")
    'Both may be the amount; choose how to read it.'
    >>> for_people("The books have it already. Look at it, or send force if this is another one.")
    'The books have it already. Look at it.'
    """
    said = _IN_MAPPING.sub("; choose how to read it.", sentence)
    return _FOR_PROGRAMS.sub(lambda found: "." if found[0].endswith(".") else "", said)


def worded(sentence: str, notation: Notation) -> str:
    """Write the amounts, counts and days of our own sentence in a notation.

    >>> from webapp.ledger.notation.locales import NOTATIONS
    >>> worded("Debits exceed credits by 1,234.50 EUR.", NOTATIONS["en-DE"])
    'Debits exceed credits by 1.234,50 EUR.'
    >>> worded("Confirmed “Rent 1,200.00 EUR” −1.00 EUR of 3 Nov, 5,073 lines", NOTATIONS["en-DE"])
    'Confirmed “Rent 1,200.00 EUR” −1,00 EUR of 3 Nov, 5.073 lines'
    >>> worded("October is locked. Date it 1 Nov 2026.", NOTATIONS["en-US"])
    'October is locked. Date it Nov 1, 2026.'
    >>> from webapp.ledger.notation.locales import notation_in
    >>> worded("Abschluss March 2026 vorbereitet am 3 May", notation_in("de", None, "en-GB"))
    'Abschluss März 2026 vorbereitet am 3. Mai'
    >>> worded("Wo beginnen die Cent in „1,234“?", notation_in("de", None, "en-GB"))
    'Wo beginnen die Cent in „1,234“?'
    """
    if notation is DEFAULT:
        return sentence
    parts = _QUOTED.split(sentence)
    return "".join(part if index % 2 else _in(part, notation) for index, part in enumerate(parts))


def _in(text: str, notation: Notation) -> str:
    text = _FIGURE.sub(lambda found: written(_plain(found[0]), notation), text)
    text = _MONTH.sub(lambda found: _month(found, notation), text)
    return _DAY.sub(lambda found: _day(found, notation), text)


def _month(found: re.Match[str], notation: Notation) -> str:
    return written_month(date(int(found[2]), MONTHS_IN_FULL["en"].index(found[1]) + 1, 1), notation)


def _day(found: re.Match[str], notation: Notation) -> str:
    month, year = MONTHS.index(found[2]) + 1, found[3]
    try:
        day = date(int(year or _LEAP_YEAR), month, int(found[1]))
    except ValueError:
        return found[0]
    return written_day(day, notation) if year else written_short_day(day, notation)


def _plain(figure: str) -> str:
    return figure.replace(MINUS, "-").replace(",", "")
