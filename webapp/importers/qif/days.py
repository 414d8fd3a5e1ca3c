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
_FORMATS: Final[dict[Order, str]] = {"dmy": "%d/%m/%Y", "mdy": "%m/%d/%Y"}


class DaysUnclearError(MappingNeededError):
    """The dates of the file can be read as day and month or as month and day."""

    code = "days_unclear"


def day(text: str, order: Order) -> date | None:
    """Read a date in this order, or None where it is not a date.

    Quicken writes the years from 2000 behind an apostrophe, and a space for a leading zero.

    >>> day("12/19/18", "mdy"), day("1/ 1'00", "mdy"), day("2/14'2020", "mdy")
    (datetime.date(2018, 12, 19), datetime.date(2000, 1, 1), datetime.date(2020, 2, 14))
    >>> day("31.1.99", "dmy"), day("2024-02-29", "dmy"), day("31.1.99", "mdy"), day("20240229", "dmy")
    (datetime.date(1999, 1, 31), datetime.date(2024, 2, 29), None, datetime.date(2024, 2, 29))
    """
    parts = _parts(text)
    if not parts:
        return None
    first, second, third, is_recent = parts
    if len(first) == 4:  # noqa: PLR2004
        return _date(first, second, third)
    year = third
    if len(third) <= 2:  # noqa: PLR2004
        year = str(int(third) + (2000 if is_recent or int(third) < _PIVOT else 1900))
    elif order == "ymd":
        return None
    if order == "ymd":
        return _date(str(int(first) + (2000 if int(first) < _PIVOT else 1900)), second, third)
    return _date(year, second, first) if order == "dmy" else _date(year, first, second)


def option(text: str) -> Order | None:
    r"""Read the option with which some programs state the order.

    >>> option("!Option:MDY\n!Type:Bank\nD1/2/26\n^"), option("!Option:AutoSwitch\n!Account")
    ('mdy', None)
    """
    found = _OPTION.search(text)
    return _ordered(found[1]) if found else None


def order(texts: Sequence[str], mapping: Mapping[str, object], stated: Order | None = None) -> Order:
    """Find the order of a file's dates: by the mapping, by a day after the twelfth, or by their sequence.

    The order that the file has `stated` is used, unless its dates contradict it.

    >>> order(["01/02/2024", "31/01/2024"], {}), order(["12/19/18"], {}), order(["2024-03-04"], {})
    ('dmy', 'mdy', 'ymd')
    >>> order(["03/01/26", "03/04/26", "03/04/26", "03/09/26", "03/11/26", "04/02/26"], {})
    'mdy'

    Raises DaysUnclearError where both orders are possible, give different dates, and neither is more likely.
    """
    chosen = _order_in(mapping.get("dateFormat"))
    if chosen:
        return chosen
    distinct = list(dict.fromkeys(texts))
    if stated and all(day(text, stated) for text in distinct):
        return stated
    if all(len(parts[0]) == 4 for text in distinct if (parts := _parts(text))):  # noqa: PLR2004
        return "ymd"
    readings: dict[Order, list[date | None]] = {
        each: [day(text, each) for text in distinct] for each in _FORMATS
    }
    possible = [each for each, days in readings.items() if None not in days]
    if len(possible) == 1:
        return possible[0]
    if readings["dmy"] == readings["mdy"] or not possible:
        # Where no order fits, a line is refused later with its date; mdy is the likelier one, as QIF is American.
        return "mdy"
    in_order = [each for each in possible if are_in_order(readings[each])]
    if len(in_order) == 1:
        return in_order[0]
    raise _unclear(distinct)


def _unclear(texts: Iterable[str]) -> DaysUnclearError:
    example = next((text for text in texts if day(text, "dmy") != day(text, "mdy")), "")
    formats = list(_FORMATS.values())
    return DaysUnclearError(
        f"Dates such as “{example}” can be read as day and month or as month and day; choose one in the mapping,"
        f" as dateFormat {formats[0]} or {formats[1]}.",
        "dateFormat",
        example=example,
        dateFormats=formats,
    )


def _order_in(date_format: object) -> Order | None:
    """The order of day, month and year in a format for strptime.

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
