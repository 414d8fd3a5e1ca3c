"""Dates of QIF: in one order of day, month and year throughout a file, which is found from the dates."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final, Literal

from webapp.importers.bank_files import MappingNeededError
from webapp.importers.values import YEARS, are_in_order

Order = Literal["dmy", "mdy", "ymd"]

_DAY: Final = re.compile(r"(\d{1,4})[/.\-](\d{1,2})([/.'\-])(\d{1,4})(?:[T ].*)?", re.ASCII)
_TOGETHER: Final = re.compile(r"(\d{4})(\d\d)(\d\d)", re.ASCII)
_OPTION: Final = re.compile(r"(?:^|[\r\n])[ \t]*!option:[ \t]*([mdy]{3})[ \t]*(?=[\r\n]|$)", re.IGNORECASE)
_MAX_LENGTH: Final = 40
_PIVOT: Final = 70
_SHORT: Final = 2
_FORMATS: Final[dict[Order, str]] = {"dmy": "%d/%m/%Y", "mdy": "%m/%d/%Y", "ymd": "%Y/%m/%d"}


class DaysUnclearError(MappingNeededError):
    """The dates of the file can be read in several orders of day, month and year."""

    code = "days_unclear"


def day(text: str, order: Order) -> date | None:
    """Read a date in this order, or None where it is not a date.

    Quicken writes the years from 2000 behind an apostrophe, and a space for a leading zero.

    >>> day("12/19/18", "mdy"), day("1/ 1'00", "mdy"), day("2/14'2020", "mdy")
    (datetime.date(2018, 12, 19), datetime.date(2000, 1, 1), datetime.date(2020, 2, 14))
    >>> day("31.1.99", "dmy"), day("2024-02-29", "dmy"), day("31.1.99", "mdy"), day("20240229", "dmy")
    (datetime.date(1999, 1, 31), datetime.date(2024, 2, 29), None, datetime.date(2024, 2, 29))

    A year that comes first has four digits or two.

    >>> day("13/03/05", "ymd"), day("3/03/05", "ymd"), day("13/03'05", "ymd"), day("13/03/2005", "ymd")
    (datetime.date(2013, 3, 5), None, None, None)
    """
    parts = _parts(text)
    if not parts:
        return None
    first, second, third, is_recent = parts
    if len(first) == 4:  # noqa: PLR2004
        return _date(first, second, third)
    if order == "ymd":
        is_possible = len(first) == _SHORT and len(third) <= _SHORT and not is_recent
        return _date(_full(first), second, third) if is_possible else None
    year = _full(third, is_recent=is_recent) if len(third) <= _SHORT else third
    return _date(year, second, first) if order == "dmy" else _date(year, first, second)


def _full(year: str, *, is_recent: bool = False) -> str:
    """Return a year of two digits with its century."""
    return str(int(year) + (2000 if is_recent or int(year) < _PIVOT else 1900))


def is_day(text: str) -> bool:
    """Return whether a text is a date in any order.

    >>> is_day("13/03/2026"), is_day("Food")
    (True, False)
    """
    return any(day(text, each) for each in _FORMATS)


def option(text: str) -> Order | None:
    r"""Read the option with which some programs state the order.

    >>> option("!Option:MDY\n!Type:Bank\nD1/2/26\n^"), option("!Option:AutoSwitch\n!Account")
    ('mdy', None)
    """
    found = _OPTION.search(text)
    return _ordered(found[1]) if found else None


def order(texts: Sequence[str], mapping: Mapping[str, object], stated: Order | None = None) -> Order:
    """Find the order of a file's dates: from the mapping, the only readable order, or their sequence.

    The order that the file has `stated` is used, unless its dates contradict it.

    >>> order(["01/02/2024", "31/01/2024"], {}), order(["12/19/18"], {}), order(["2024-03-04"], {})
    ('dmy', 'mdy', 'ymd')
    >>> order(["03/01/2026", "03/04/2026", "03/04/2026", "03/09/2026", "03/11/2026", "04/02/2026"], {})
    'mdy'

    Raises DaysUnclearError where several orders are possible, give different dates, and none is more likely.
    """
    chosen = _order_in(mapping.get("dateFormat"))
    if chosen:
        return chosen
    distinct = list(dict.fromkeys(texts))
    if stated and all(day(text, stated) for text in distinct):
        return stated
    if all(len(parts[0]) == 4 for text in distinct if (parts := _parts(text))):  # noqa: PLR2004
        return "ymd"
    readings = {each: tuple(day(text, each) for text in distinct) for each in _FORMATS}
    orders = {days: each for each, days in readings.items() if None not in days}
    if not orders:
        # A line is refused later with its date; mdy is the likeliest, as QIF is American.
        return "mdy"
    in_order = [each for days, each in orders.items() if are_in_order(days)]
    if len(orders) > 1 and len(in_order) != 1:
        raise _unclear(distinct, list(orders.values()))
    return in_order[0] if len(in_order) == 1 else next(iter(orders.values()))


def _unclear(texts: Iterable[str], orders: Sequence[Order]) -> DaysUnclearError:
    """Ask for one of the orders, with an example date that differs between them."""
    example = next(text for text in texts if len({day(text, each) for each in orders}) > 1)
    parts = _parts(example)
    is_short = parts is not None and len(parts[2]) <= _SHORT
    mark = next(each for each in example if each in "/.-")
    formats = [_FORMATS[each].replace("/", mark) for each in orders]
    formats = [each.replace("%Y", "%y") if is_short else each for each in formats]
    return DaysUnclearError(
        f"Dates such as “{example}” can be read in {len(formats)} orders of day, month and year; choose one in the"
        f" mapping, as dateFormat {' or '.join(formats)}.",
        "dateFormat",
        example=example,
        dateFormats=formats,
    )


def _order_in(date_format: object) -> Order | None:
    """Return the order of day, month and year in a format for strptime.

    >>> _order_in("%d.%m.%y"), _order_in("%m/%d/%Y"), _order_in("%Y-%m-%d"), _order_in(None)
    ('dmy', 'mdy', 'ymd', None)
    """
    letters = re.findall(r"%-?([dmyY])", date_format) if isinstance(date_format, str) else []
    return _ordered("".join(letters))


def _ordered(letters: str) -> Order | None:
    lower_case = letters.lower()
    orders: tuple[Order, ...] = ("dmy", "mdy", "ymd")
    return next((each for each in orders if each == lower_case), None)


def _parts(text: str) -> tuple[str, str, str, bool] | None:
    plain = re.sub(r"(?<=[/.'\-]) +", "", text.strip()[:_MAX_LENGTH])
    if found := _DAY.fullmatch(plain):
        return found[1], found[2], found[4], found[3] == "'"
    found = _TOGETHER.fullmatch(plain)
    return (found[1], found[2], found[3], False) if found else None


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day)) if int(year) in YEARS else None
    except ValueError:
        return None
