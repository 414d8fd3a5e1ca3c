"""Days as people write them: printed in a notation, and read if they can mean only one day."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from webapp.ledger.notation.locales import DEFAULT, Notation

EARLIEST, LATEST = date(1900, 1, 1), date(2199, 12, 31)
LONGEST: Final = 40
MONTHS_IN_FULL: Final = {
    "en": (
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ),
    "de": (
        *("Januar", "Februar", "März", "April", "Mai", "Juni"),
        *("Juli", "August", "September", "Oktober", "November", "Dezember"),
    ),
}
MONTHS: Final = tuple(month[:3] for month in MONTHS_IN_FULL["en"])
# The longer names of German months are shortened with a point.
_GERMAN_SHORT: Final = (
    *("Jan.", "Feb.", "März", "Apr.", "Mai", "Juni"),
    *("Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."),
)
# The years of two digits: those of this century, and of the last one from here on.
_LAST_CENTURY: Final = 70
_FULL_YEAR: Final = 4

_NEAR: Final = {"t": 0, "today": 0, "y": -1, "yesterday": -1, "tomorrow": 1} | {
    **dict.fromkeys(("h", "heute"), 0),
    **dict.fromkeys(("g", "gestern"), -1),
    "morgen": 1,
}
_STEP: Final = re.compile(r"([+\-\N{MINUS SIGN}])([0-9]{1,4})", re.ASCII)
_END: Final = re.compile(
    r"(?:the )?(start|beginning|end) of (?:(?:the )?(this|last|previous|next) |the )?(month|quarter|year)"
)
_MONTHS_OF: Final = {"month": 1, "quarter": 3, "year": 12}
_SHIFTS: Final = {"last": -1, "previous": -1, "next": 1}
_NUMBERS: Final = re.compile(r"[0-9]{1,4}(?:[./\- ][0-9]{1,4}){0,2}\.?", re.ASCII)
_WORDS: Final = re.compile(
    r"(?P<first>[0-9]{1,2})?(?:st|nd|rd|th)?\.? ?(?P<month>[a-zä]{3,9})\.? ?"
    r"(?P<last>[0-9]{1,2}(?![0-9]))?(?:st|nd|rd|th)?(?:,? ?(?P<year>[0-9]{4}|[0-9]{2}))?",
    re.ASCII,
)


def written_day(value: date, notation: Notation = DEFAULT) -> str:
    """Print a day in full.

    >>> from webapp.ledger.notation.locales import NOTATIONS
    >>> written_day(date(2026, 10, 31)), written_day(date(2026, 11, 2), NOTATIONS["en-US"])
    ('31 Oct 2026', 'Nov 2, 2026')
    >>> from webapp.ledger.notation.locales import notation_in
    >>> written_day(date(2026, 11, 28), notation_in("de", None, "en-GB"))
    '28. Nov. 2026'
    """
    return f"{written_short_day(value, notation)}{',' if notation.is_month_first else ''} {value.year}"


def written_short_day(value: date, notation: Notation = DEFAULT) -> str:
    """Print a day without its year, which the context shows.

    >>> from webapp.ledger.notation.locales import NOTATIONS
    >>> written_short_day(date(2026, 10, 31)), written_short_day(date(2026, 10, 31), NOTATIONS["en-US"])
    ('31 Oct', 'Oct 31')
    """
    month = written_short_month(value, notation)
    if notation.is_month_first:
        return f"{month} {value.day}"
    return f"{value.day}{'.' if notation.language == 'de' else ''} {month}"


def written_short_month(value: date, notation: Notation = DEFAULT) -> str:
    """Print a month without its year.

    >>> written_short_month(date(2026, 10, 31))
    'Oct'
    """
    return (_GERMAN_SHORT if notation.language == "de" else MONTHS)[value.month - 1]


def written_month(value: date, notation: Notation = DEFAULT) -> str:
    """Print a month in full.

    >>> written_month(date(2026, 10, 31))
    'October 2026'
    """
    months = MONTHS_IN_FULL.get(notation.language, MONTHS_IN_FULL["en"])
    return f"{months[value.month - 1]} {value.year}"


def read_day(text: str, today: date, notation: Notation = DEFAULT) -> date | None:
    """Read a typed day; None if it is none, or could be several.

    A day without its month or year is the newest such day that is not after today.

    >>> today = date(2026, 11, 23)
    >>> def read(text): return str(read_day(text, today))
    >>> [read(text) for text in ("31", "23", "t", "+1", "−3", "end of last month", "start of year")]
    ['2026-10-31', '2026-11-23', '2026-11-23', '2026-11-24', '2026-11-20', '2026-10-31', '2026-01-01']
    >>> [read(text) for text in ("12/11", "31.12.", "31 Oct", "Oct 31, 2025", "2026-10-31", "31 oct 26", "10/31")]
    ['2026-11-12', '2025-12-31', '2026-10-31', '2025-10-31', '2026-10-31', '2026-10-31', '2026-10-31']
    >>> [read(text) for text in ("31. Okt. 2026", "3. März", "2. Mai 2026", "gestern")]
    ['2026-10-31', '2026-03-03', '2026-05-02', '2026-11-22']
    >>> [read(text) for text in ("30 Feb", "soon", "26/10/11/1", "0", "Oct 2026")]
    ['None', 'None', 'None', 'None', 'None']

    >>> from webapp.ledger.notation.locales import NOTATIONS
    >>> read_day("12/11", today, NOTATIONS["en-US"]), read_day("12/11", today, NOTATIONS["en-CA"])
    (datetime.date(2025, 12, 11), None)
    """
    words = " ".join(text[: LONGEST + 1].lower().split())
    if not words or len(words) > LONGEST:
        return None
    found = _relative(words, today)
    if found is None:
        found = _in_numbers(words, today, notation) if _NUMBERS.fullmatch(words) else _in_words(words, today)
    return found if found is not None and EARLIEST <= found <= LATEST else None


def _relative(words: str, today: date) -> date | None:
    if words in _NEAR:
        return _shifted(today, _NEAR[words])
    if step := _STEP.fullmatch(words):
        return _shifted(today, int(step[2]) * (1 if step[1] == "+" else -1))
    if edge := _END.fullmatch(words):
        return _edge_of(today, edge[3], _SHIFTS.get(edge[2] or "", 0), is_end=edge[1] == "end")
    return None


def _shifted(today: date, days: int) -> date | None:
    try:
        return today + timedelta(days)
    except OverflowError:
        return None


def _edge_of(today: date, unit: str, shift: int, *, is_end: bool) -> date:
    """Return the first or the last day of the month, quarter or year of today, or of the one before or after."""
    length = _MONTHS_OF[unit]
    months = today.year * 12 + today.month - 1
    first = (months // length + shift) * length
    year, month = divmod(first + (length - 1 if is_end else 0), 12)
    return date(year, month + 1, monthrange(year, month + 1)[1] if is_end else 1)


def _in_numbers(words: str, today: date, notation: Notation) -> date | None:
    numbers = re.split(r"[./\- ]", words.rstrip("."))
    if len(numbers) == 1:
        return _newest(today, day=int(words.rstrip(".")))
    if len(numbers) == 2:  # noqa: PLR2004  (a day and a month)
        return _of_orders(_pairs(numbers, today), notation)
    if len(numbers[0]) == _FULL_YEAR:
        return _day(int(numbers[0]), int(numbers[1]), int(numbers[2]))
    return _of_orders(_triples(numbers), notation)


def _of_orders(found: dict[str, date | None], notation: Notation) -> date | None:
    """Choose the reading in the notation's own order, else the only possible day."""
    if notation.order in found and found[notation.order] is not None:
        return found[notation.order]
    days = {day for day in found.values() if day is not None}
    return days.pop() if len(days) == 1 else None


def _pairs(numbers: list[str], today: date) -> dict[str, date | None]:
    # Where the year comes first in full, people write two numbers in either order.
    first, second = map(int, numbers)
    return {
        "DMY": _newest(today, day=first, month=second),
        "MDY": _newest(today, day=second, month=first),
    }


def _triples(numbers: list[str]) -> dict[str, date | None]:
    first, second, third = (int(number) for number in numbers)
    if len(numbers[2]) not in (2, 4):
        return {}
    year = _year(numbers[2])
    found = {"DMY": _day(year, second, first), "MDY": _day(year, first, second)}
    if len(numbers[0]) == len(numbers[2]) == 2:  # noqa: PLR2004  (a year of two digits may come first, too)
        found["other"] = _day(_year(numbers[0]), second, third)
    return found


def _in_words(words: str, today: date) -> date | None:
    parts = _WORDS.fullmatch(words)
    month = _month(parts["month"]) if parts else None
    if parts is None or month is None:
        return None
    # Behind the month stands the day, or the year where the day stands before it.
    numbers = [each for each in (parts["first"], parts["last"], parts["year"]) if each]
    if len(numbers) == 1 and not parts["year"]:
        return _newest(today, day=int(numbers[0]), month=month)
    is_whole = len(numbers) == 2 and len(numbers[1]) in (2, 4)  # noqa: PLR2004  (a day and a year)
    return _day(_year(numbers[1]), month, int(numbers[0])) if is_whole else None


def _month(name: str) -> int | None:
    for months in MONTHS_IN_FULL.values():
        for number, each in enumerate(months, 1):
            if each.lower().startswith(name):
                return number
    return None


def _year(digits: str) -> int:
    if len(digits) == _FULL_YEAR:
        return int(digits)
    return int(digits) + (1900 if int(digits) >= _LAST_CENTURY else 2000)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _newest(today: date, *, day: int, month: int | None = None) -> date | None:
    """Find the newest day of this number, and this month if given, that is not after today."""
    return next((each for each in _backwards(today, day, month) if each <= today), None)


def _backwards(today: date, day: int, month: int | None) -> Iterator[date]:
    # Leap days are at most eight years apart.
    for back in range(9 * 12):
        year, index = divmod(today.year * 12 + today.month - 1 - back, 12)
        found = _day(year, index + 1, day) if month in (None, index + 1) else None
        if found is not None:
            yield found


def no_such_day(written: str) -> str:
    """Say that there is no such day, and name the last day of an existing month.

    >>> no_such_day("2026-02-30"), no_such_day("2026-13-01")
    ('There is no such day: the last one of that month is 2026-02-28.', 'There is no such day.')
    """
    year, month = int(written[:4]), int(written[5:7])
    if not (year and 1 <= month <= 12):  # noqa: PLR2004  (the months of a year)
        return "There is no such day."
    last = monthrange(year, month)[1]
    return f"There is no such day: the last one of that month is {written[:8]}{last:02}."
