"""Days of CSV: one format throughout a file, told by the mapping or found where only one reading is sound."""

import itertools
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Final

from webapp.importers.bank_files import AskedError
from webapp.importers.tables.months import in_english
from webapp.importers.tables.typed_cells import Day, Flaw
from webapp.importers.texts import quoted

_YEARS: Final = range(1900, 2200)
_MAX_LENGTH: Final = 60
_DIRECTIVES: Final = frozenset("aAbBdfHIjmMpSyYzZ%")
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
FORMATS: Final = tuple(f"{day}{time}" for day, time in itertools.product(_ORDERS, _TIMES))
# By chance, five different days stand in their order once in sixty times.
_ENOUGH: Final = 5
_ISO: Final = "%Y-%m-%d"


class Days:
    """Reads the days of one format; every text once, because a file repeats them."""

    def __init__(self, date_format: str) -> None:
        self._format = date_format
        self._is_together = bool(_TOGETHER.search(date_format))
        self._has_names = "%b" in date_format or "%B" in date_format
        self._known: dict[str, date | None] = {}

    def day(self, text: str) -> date | None:
        """Read a day as it is written, never shifted by a zone, or None where it is none.

        >>> Days("%d/%m/%Y").day("05/03/2026"), Days("%m/%d/%Y").day("31/01/2026"), Days("%Y%m%d").day("2026115")
        (datetime.date(2026, 3, 5), None, None)
        """
        if isinstance(text, Day):
            return text.day if text.day.year in _YEARS else None
        if text not in self._known:
            self._known[text] = self._read(text.strip())
        return self._known[text]

    def _read(self, text: str) -> date | None:
        # strptime takes the digits of every script, and 2026115 for November the fifth.
        if len(text) > _MAX_LENGTH or any(each.isdigit() and not each.isascii() for each in text):
            return None
        if self._has_names:
            text = in_english(text, is_whole="%B" in self._format, has_point="%b." in self._format)
        try:
            found = datetime.strptime(text, self._format)  # noqa: DTZ007
        except (ValueError, OverflowError):
            return None
        if self._is_together and found.strftime(self._format).casefold() != text.casefold():
            return None
        return found.date() if found.year in _YEARS else None


def is_format(text: str) -> bool:
    """Tell whether a text is strptime's for a whole day.

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
    """Find the one format in which every text is a day.

    >>> found_format(["01/02/2024", "31/01/2024"]), found_format(["2024-03-04 10:00:00"])
    ('%d/%m/%Y', '%Y-%m-%d %H:%M:%S')

    Raises AskedError where there is none, or where two differ and nothing speaks for one.
    """
    cells = list(texts)
    distinct = list(dict.fromkeys(cell.strip() for cell in cells if not isinstance(cell, (Day, Flaw))))
    if cells and not distinct:
        return _ISO
    sound = _sound(distinct, FORMATS)
    if not sound:
        raise AskedError(
            f"The days, such as {quoted(distinct[0] if distinct else '')}, are in no one format that is known;"
            " say it in the mapping, as dateFormat (%d.%m.%Y).",
            "dateFormat",
        )
    readings = {each: [Days(each).day(text) for text in distinct] for each in sound}
    differing = {tuple(days): each for each, days in reversed(readings.items())}
    running = [each for days, each in differing.items() if _runs(days)]
    if len(differing) == 1 or len(running) == 1:
        return running[0] if len(running) == 1 else next(iter(differing.values()))
    formats = " or ".join(sorted(differing.values()))
    raise AskedError(
        f"Days such as {quoted(distinct[0])} can be read in two ways; say which in the mapping, as dateFormat"
        f" {formats}.",
        "dateFormat",
        example=distinct[0],
        dateFormats=sorted(differing.values()),
    )


def _sound(texts: Sequence[str], formats: Iterable[str]) -> list[str]:
    """The formats in which all texts are days."""
    left = list(formats)
    for text in texts:
        left = [each for each in left if Days(each).day(text)]
        if not left:
            break
    return left if texts else []


def _runs(days: Sequence[date | None]) -> bool:
    """Tell whether enough days to speak for it run forward, or backward, throughout."""
    known = [each for each in days if each]
    return len(set(known)) >= _ENOUGH and (known == sorted(known) or known == sorted(known, reverse=True))
