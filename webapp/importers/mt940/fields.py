"""The fields of an MT940 file: a tag between colons at the start of a line, and the text behind it."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

END: Final = "-"

# German, Polish and Hungarian banks add NS to the fields of SWIFT.
_FIELD: Final = re.compile(r"[ \t]*:(\d{2,3}[A-Z]?|NS):")
# A time that is split between two lines at its colon looks like a field: the end of the first and the start of the
# second line.
_HOURS: Final = re.compile(r"[ T:][0-2]?\d(?::\d\d)?")
_SECONDS: Final = re.compile(r":[0-5]\d:[0-5]\d(?!\d)|:[0-5]\d:(?=\D|$)")
_FULL_LINE: Final = 60
# Home-banking programs store downloaded statements with @@ as line ends.
_LINE_END: Final = re.compile(r"\r\n?|\n|@@(?=:|-)")
_ENDS: Final = frozenset({END, "-XXX"})
_BLOCK: Final = re.compile(r"\{[1-5S]:")
_TEXT_BLOCK: Final = "{4:"


class Mt940Field(NamedTuple):
    """A field with its tag and its lines as written; `line` is the line of the file on which it begins."""

    tag: str
    lines: list[str]
    line: int


def fields(text: str) -> Iterator[Mt940Field]:
    r"""Yield the fields of a text in order, and a field END at the end of a message.

    Text outside of messages is skipped: the blocks of an envelope, and names and numbers before the first field.

    >>> [field[:2] for field in fields("ABNANL2A\n940\n:20:X\n:86:GIRO\n 428428\n-\n")]
    [('20', ['X']), ('86', ['GIRO', ' 428428']), ('-', [])]
    >>> [field[:2] for field in fields("{1:F01X}{4:\r\n:20:X\r\n-}{5:{MAC:0}}")]
    [('20', ['X']), ('-', [])]
    """
    opened: Mt940Field | None = None
    for number, line in enumerate(_LINE_END.split(text), start=1):
        content = line
        if line.strip() in _ENDS or line.startswith("-}") or _BLOCK.match(line):
            if opened:
                yield opened
                yield Mt940Field(END, [], number)
            opened = None
            if _TEXT_BLOCK not in line:
                continue
            content = line.rpartition(_TEXT_BLOCK)[2]
        found = _FIELD.match(content)
        if found and not (opened and _is_broken_time(opened.lines[-1], content)):
            if opened:
                yield opened
            opened = Mt940Field(found[1], [content[found.end() :]], number)
        elif opened:
            opened.lines.append(content)
    if opened:
        yield opened


def _is_broken_time(before: str, after: str) -> bool:
    """Return whether a full line ends within a time, so that the minutes on the next line look like a tag.

    >>> _is_broken_time("x" * 55 + " am 12-09-2014T16", ":26:37 Folgenr. 7"), _is_broken_time("T16", ":26:37")
    (True, False)
    """
    return len(before) >= _FULL_LINE and bool(_HOURS.search(before[-4:]) and _SECONDS.match(after))
