"""Dates of a table: one format per file, from the mapping or as the only one that fits."""

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Final

from webapp.importers.bank_files import MappingNeededError
from webapp.importers.tables.typed_cells import DayCell, ErrorCell
from webapp.importers.tables.vocabulary import MONTH_NAMES
from webapp.importers.texts import DIRECTION_MARKS, quoted
from webapp.importers.values import YEARS, are_in_order

_MAX_LENGTH: Final = 60
_ALWAYS: Final = frozenset("/-.,:")
_DIRECTIVES: Final = frozenset("aAbBdfHIjmMpSyYzZ%")
_DIRECTIVE: Final = re.compile(r"%.", re.DOTALL)
_TOGETHER: Final = re.compile(r"%[dHmMSyY]%[dHmMSyY]")
_TIMES: Final = (
    "",
    " %H:%M",
    " %H:%M:%S",
    ", %H:%M",
    ", %H:%M:%S",
    "T%H:%M:%S",
    "T%H:%M:%S%z",
    "T%H:%M:%S.%f%z",
    " %H:%M:%S.%f",
    " %H:%M:%S %z",
    " %I:%M:%S %p",
)
_ORDERS: Final = (
    *(
        day.replace("/", mark)
        for day in ("%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m/%d/%y")
        for mark in "/-. "
    ),
    *("%Y.%m.%d.", "%d.%m.%Y.", "%Y%m%d", "%Y年%m月%d日", "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d/%b/%Y"),
    *("%d. %b %Y", "%d. %B %Y", "%d %b %y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y", "%d%b%Y"),
)
_UNUSUAL: Final = re.compile(r"\d+(?P<mark>[^\w\s%]|_)\d+(?P=mark)\d+", re.ASCII)
FORMATS: Final = tuple(f"{day}{time}" for day, time in itertools.product(_ORDERS, _TIMES))
_ISO: Final = "%Y-%m-%d"
_DAY_TEXT: Final = re.compile(r"(?<![\w/.-])\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}(?![\w/.-])")
AS_OF: Final = " as of "
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}\.?")
_ENGLISH: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


class DayParser:
    """Parses dates in one format, and caches them, because a file repeats them."""

    def __init__(self, date_format: str) -> None:
        self._format = date_format
        self._is_together = bool(_TOGETHER.search(date_format))
        self._has_names = "%b" in date_format or "%B" in date_format
        self._marks = _marks_of(date_format)
        self._cache: dict[str, date | None] = {}

    def day(self, text: str) -> date | None:
        """Read a date as written, never shifted by a zone, or None where it is not a date.

        >>> DayParser("%d/%m/%Y").day("05/03/2026"), DayParser("%m/%d/%Y").day("31/01/2026")
        (datetime.date(2026, 3, 5), None)
        >>> DayParser("%Y%m%d").day("2026115") is None
        True
        """
        if isinstance(text, DayCell):
            return text.day if text.day.year in YEARS else None
        if text not in self._cache:
            self._cache[text] = self._read(_booked_part(text).strip(f" {DIRECTION_MARKS}").strip())
        return self._cache[text]

    def value_day(self, text: str) -> date | None:
        """Read the value day that some banks write behind the day of booking.

        >>> DayParser("%m/%d/%Y").value_day("03/17/2026 as of 03/15/2026")
        datetime.date(2026, 3, 15)
        """
        _, separator, behind = text.partition(AS_OF)
        return self.day(behind) if separator else None

    def beside(self, texts: Collection[str]) -> "DayParser":
        """Return a parser of the days of another column, of which some banks write the time too."""
        if not any(map(str.strip, texts)) or any(map(self.day, texts)):
            return self
        try:
            formats = formats_of(list(texts))
        except MappingNeededError:
            return self
        return DayParser(formats[0]) if len(formats) == 1 else self

    def _read(self, text: str) -> date | None:
        # strptime accepts the digits of every script, and reads 2026115 as the fifth of November.
        if not 0 < len(text) <= _MAX_LENGTH or any(each.isdigit() and not each.isascii() for each in text):
            return None
        # Most of many formats are told apart by their marks, and strptime reads each of them anew.
        if not all(mark in text for mark in self._marks):
            return None
        if self._has_names:
            text = in_english(text, is_full="%B" in self._format, has_point="%b." in self._format)
        try:
            found = datetime.strptime(text, self._format)  # noqa: DTZ007
        except (ValueError, OverflowError):
            return None
        if self._is_together and found.strftime(self._format).casefold() != text.casefold():
            return None
        return found.date() if found.year in YEARS else None


def _booked_part(text: str) -> str:
    return text.partition(AS_OF)[0]


@lru_cache(1000)
def _marks_of(date_format: str) -> str:
    """Return the separators of a date format.

    >>> _marks_of("%d. %b %Y, %H:%M")
    '.,:'
    """
    return "".join(mark for mark in dict.fromkeys(_DIRECTIVE.sub("", date_format)) if mark in _ALWAYS)


def is_format(text: str) -> bool:
    """Return whether a text is a strptime format for a full date.

    >>> [is_format(text) for text in ("%d.%m.%Y", "%Y-%m-%dT%H:%M:%S", "%m/%Y", "dd.mm.yyyy", "%d %q")]
    [True, True, False, False, False]
    """
    letters = re.findall(r"%(.?)", text, re.DOTALL)
    has = set(letters).intersection
    return (
        set(letters) <= _DIRECTIVES
        and len(letters) == len(set(letters) - {"%"}) + letters.count("%")
        and bool(has("yY") and (has("j") or (has("d") and has("mbB"))))
    )


def found_format(texts: Iterable[str]) -> str:
    """Find the one format in which every text is a date.

    >>> found_format(["01/02/2024", "31/01/2024"]), found_format(["2024-03-04 10:00:00"])
    ('%d/%m/%Y', '%Y-%m-%d %H:%M:%S')

    Raises MappingNeededError where there is none, or where two give different dates and neither is more likely.
    """
    cells = list(texts)
    formats = formats_of(cells)
    return formats[0] if len(formats) == 1 else chosen_format(formats, in_order(cells, formats), cells)


def formats_of(cells: Sequence[str]) -> list[str]:
    """List the formats in which every text is a date, one for each way to read them.

    >>> formats_of(["01/02/2024", "03/02/2024"]), formats_of(["31/01/2024"])
    (['%m/%d/%Y', '%d/%m/%Y'], ['%d/%m/%Y'])

    Raises MappingNeededError where there is none.
    """
    distinct = _distinct(cells)
    if cells and not distinct:
        return [_ISO]
    possible = _possible(distinct)
    # No country writes the month first with points between.
    if any(each.startswith("%d.%m") for each in possible):
        possible = {each: days for each, days in possible.items() if not each.startswith("%m.%d")}
    if not possible:
        unusual = _with_another_mark(distinct)
        raise MappingNeededError(
            f"The dates, such as {quoted(distinct[0] if distinct else '')}, are not all in one known format;"
            " give it in the mapping, as dateFormat (%d.%m.%Y).",
            "dateFormat",
            **({"example": distinct[0], "dateFormats": unusual} if unusual else {}),
        )
    return list({days: each for each, days in reversed(possible.items())}.values())


def are_days(texts: Iterable[str]) -> bool:
    """Return whether every text is a day, all in one format.

    >>> are_days(["01/02/2024", "03/02/2024"]), are_days(["01/02/2024", "Rent"])
    (True, False)
    """
    try:
        return bool(formats_of(list(texts)))
    except MappingNeededError:
        return False


def in_order(cells: Sequence[str], formats: Iterable[str]) -> list[str]:
    """List the formats in which dates go up, or down."""
    distinct = _distinct(cells)
    return [each for each in formats if are_in_order([DayParser(each).day(text) for text in distinct])]


def chosen_format(formats: Sequence[str], likely: Sequence[str], cells: Sequence[str]) -> str:
    """Return the only likely format; raises MappingNeededError with all of them otherwise."""
    if len(likely) == 1:
        return likely[0]
    example = _distinct(cells)[0]
    raise MappingNeededError(
        f"Dates such as {quoted(example)} can be read in two ways; choose one in the mapping, as dateFormat"
        f" {' or '.join(sorted(formats))}.",
        "dateFormat",
        example=example,
        dateFormats=sorted(formats),
    )


def chosen_by_others(
    days: Sequence[str], others: Iterable[str], above: str, *, has_comma: bool
) -> tuple[str, str]:
    """Find the one format of days, else by what else the file has; answers why it was chosen, "" where it is certain.

    `others` are the cells of other columns, `above` is the text above the header, which may state the period. No
    country that writes a comma before the cents writes the month first.

    >>> chosen_by_others(["01/02/2026", "01/02/2026"], ["Rent", "28/02/2026"], "", has_comma=False)
    ('%d/%m/%Y', 'Another day of the file, 28/02/2026, can only be read so.')
    >>> chosen_by_others(["01/02/2026", "01/02/2026"], [], "01/02/2026 - 28/02/2026", has_comma=False)[0]
    '%d/%m/%Y'
    >>> chosen_by_others(["01/02/2026", "01/02/2026"], ["-1,50"], "", has_comma=True)[0]
    '%d/%m/%Y'
    """
    formats = formats_of(days)
    if len(formats) == 1:
        return formats[0], ""
    parsers = {each: DayParser(each) for each in formats}
    for text in (*others, *_DAY_TEXT.findall(above)):
        readable = [each for each in formats if parsers[each].day(text)] if text else []
        if len(readable) == 1:
            return readable[0], f"Another day of the file, {text}, can only be read so."
    likely = in_order(days, formats)
    day_first = [each for each in formats if not each.startswith("%m")]
    if has_comma and len(day_first) == 1 and likely in ([], day_first):
        return day_first[
            0
        ], "Amounts have a comma before the cents, and no country with it writes the month first."
    return chosen_format(formats, likely, days), "Only this puts the days in order."


def are_never_later(pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether both texts of each pair are days, and the first never before the second, however they are read.

    >>> are_never_later([("03/04/2026", "03/03/2026")]), are_never_later([("2026-03-01", "2026-03-02")])
    (True, False)
    >>> are_never_later([("2026-03-02", "2026-03-01 10:20")]), are_never_later([("Rent", "2026-03-02")])
    (True, False)
    """
    distinct = list(dict.fromkeys(pairs))
    ones, others = [one for one, _ in distinct], [other for _, other in distinct]
    try:
        if are_days([*ones, *others]):
            formats = [(each, each) for each in formats_of([*ones, *others])]
        else:
            # One of them may have the time of day too.
            formats = list(itertools.product(formats_of(ones), formats_of(others)))
    except MappingNeededError:
        return False
    parsers = [(DayParser(one), DayParser(other)) for one, other in formats]
    days = (
        (one.day(text), other.day(text_of_other))
        for one, other in parsers
        for text, text_of_other in distinct
    )
    return all(one and other and one >= other for one, other in days)


def _distinct(cells: Iterable[str]) -> list[str]:
    texts = (_booked_part(cell).strip() for cell in cells if not isinstance(cell, (DayCell, ErrorCell)))
    return list(dict.fromkeys(texts))


def _possible(texts: Sequence[str]) -> dict[str, tuple[date, ...]]:
    """Return the formats in which all texts are dates, and these."""
    found = {}
    for each in FORMATS if texts else ():
        parser = DayParser(each)
        # Most formats are told apart by the first texts.
        days = tuple(day for day in itertools.takewhile(bool, map(parser.day, texts)) if day)
        if len(days) == len(texts):
            found[each] = days
    return found


def _with_another_mark(texts: Sequence[str]) -> list[str]:
    """Return the formats of dates with a year of four digits and an unusual mark between their numbers.

    >>> _with_another_mark(["2026:03:02"]), _with_another_mark(["28_03_2026"]), _with_another_mark(["10:05:20"])
    (['%Y:%m:%d'], ['%d_%m_%Y'], [])
    """
    found = _UNUSUAL.match(texts[0]) if texts else None
    if not found:
        return []
    mark = found["mark"]
    usual = _possible([text.replace(mark, "-") for text in texts])
    return sorted(each.replace("-", mark) for each in usual if "%Y" in each)


def _abbreviated() -> dict[str, int]:
    months_of: dict[str, set[int]] = {}
    full_names: dict[str, int] = {}
    for month, (english, names) in enumerate(zip(_ENGLISH, MONTH_NAMES, strict=True)):
        for name in (english.casefold(), *names.split()):
            full_names[name] = month
            for end in range(3, len(name)):
                months_of.setdefault(name[:end], set()).add(month)
    return {short: min(months) for short, months in months_of.items() if len(months) == 1} | full_names


_MONTHS: Final = _abbreviated()


def in_english(text: str, *, is_full: bool, has_point: bool = False) -> str:
    """Write the month of a date in English, in full or by its first three letters, with or without a point.

    >>> in_english("1. März 2024", is_full=True), in_english("2 févr. 2024", is_full=False)
    ('1. March 2024', '2 Feb 2024')
    >>> in_english("30-dez-2023", is_full=False), in_english("Tuesday, 3 mai", is_full=True)
    ('30-Dec-2023', 'Tuesday, 3 May')
    """

    def english(found: re.Match[str]) -> str:
        month = _MONTHS.get(found[0].rstrip(".").casefold())
        name = found[0] if month is None else _ENGLISH[month]
        short = name[:3] + ("." if has_point and found[0].endswith(".") else "")
        return name if is_full or month is None else short

    return _LETTERS.sub(english, text)
