"""Days of QIF: in one order throughout a file, which only the days themselves can tell."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final, Literal

from webapp.importers.bank_files import AskedError

Order = Literal["dmy", "mdy", "ymd"]

_DAY: Final = re.compile(r"(\d{1,4})[/.\-](\d{1,2})([/.'\-])(\d{1,4})(?:[T ].*)?", re.ASCII)
_TOGETHER: Final = re.compile(r"(\d{4})(\d\d)(\d\d)", re.ASCII)
_OPTION: Final = re.compile(r"(?:^|[\r\n])[ \t]*!option:[ \t]*([mdy]{3})[ \t]*(?=[\r\n]|$)", re.IGNORECASE)
_MAX_LENGTH: Final = 40
_YEARS: Final = range(1900, 2200)
_PIVOT: Final = 70
# By chance, five different days stand in their order once in sixty times.
_ENOUGH: Final = 5
_FORMATS: Final[dict[Order, str]] = {"dmy": "%d/%m/%Y", "mdy": "%m/%d/%Y"}


class DaysUnclearError(AskedError):
    """The days of the file can be read as day and month or as month and day."""

    code = "days_unclear"


def day(text: str, order: Order) -> date | None:
    """Read a day in the order that is known, or None where it is none in it.

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
    r"""Read the option by which some programs say the order themselves.

    >>> option("!Option:MDY\n!Type:Bank\nD1/2/26\n^"), option("!Option:AutoSwitch\n!Account")
    ('mdy', None)
    """
    found = _OPTION.search(text)
    return _ordered(found[1]) if found else None


def order(texts: Sequence[str], mapping: Mapping[str, object], said: Order | None = None) -> Order:
    """Find the order in which a file writes its days: as told, by a day past the twelfth, or by their running.

    What the file itself has `said` goes before its days, unless they contradict it.

    >>> order(["01/02/2024", "31/01/2024"], {}), order(["12/19/18"], {}), order(["2024-03-04"], {})
    ('dmy', 'mdy', 'ymd')
    >>> order(["03/01/26", "03/04/26", "03/04/26", "03/09/26", "03/11/26", "04/02/26"], {})
    'mdy'

    Raises DaysUnclearError where both readings are sound, differ, and nothing speaks for one.
    """
    told = _told(mapping.get("dateFormat"))
    if told:
        return told
    distinct = list(dict.fromkeys(texts))
    if said and all(day(text, said) for text in distinct):
        return said
    if all(len(parts[0]) == 4 for text in distinct if (parts := _parts(text))):  # noqa: PLR2004
        return "ymd"
    readings: dict[Order, list[date | None]] = {
        each: [day(text, each) for text in distinct] for each in _FORMATS
    }
    sound = [each for each, days in readings.items() if None not in days]
    if len(sound) == 1:
        return sound[0]
    if readings["dmy"] == readings["mdy"] or not sound:
        # Without a sound reading the line that is refused says so; an American format has the likelier one.
        return "mdy"
    running = [each for each in sound if _runs(readings[each])]
    if len(running) == 1:
        return running[0]
    raise _unclear(distinct)


def _unclear(texts: Iterable[str]) -> DaysUnclearError:
    example = next((text for text in texts if day(text, "dmy") != day(text, "mdy")), "")
    formats = list(_FORMATS.values())
    return DaysUnclearError(
        f"Days such as “{example}” can be read as day and month or as month and day; say which in the mapping,"
        f" as dateFormat {formats[0]} or {formats[1]}.",
        "dateFormat",
        example=example,
        dateFormats=formats,
    )


def _told(date_format: object) -> Order | None:
    """The order of a format for strptime.

    >>> _told("%d.%m.%y"), _told("%m/%d/%Y"), _told("%Y-%m-%d"), _told(None)
    ('dmy', 'mdy', 'ymd', None)
    """
    letters = re.findall(r"%-?([dmyY])", date_format) if isinstance(date_format, str) else []
    return _ordered("".join(letters))


def _ordered(letters: str) -> Order | None:
    told = letters.lower()
    orders: tuple[Order, ...] = ("dmy", "mdy", "ymd")
    return next((each for each in orders if each == told), None)


def _parts(text: str) -> tuple[str, str, str, bool] | None:
    plain = re.sub(r"(?<=[/.'\-]) +", "", text.strip()[:_MAX_LENGTH])
    if found := _DAY.fullmatch(plain):
        return found[1], found[2], found[4], found[3] == "'"
    found = _TOGETHER.fullmatch(plain)
    return (found[1], found[2], found[3], False) if found else None


def _runs(days: Iterable[date | None]) -> bool:
    """Tell whether enough days to speak for it run forward, or backward, throughout."""
    known = [each for each in days if each]
    return len(set(known)) >= _ENOUGH and (known == sorted(known) or known == sorted(known, reverse=True))


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day)) if int(year) in _YEARS else None
    except ValueError:
        return None
