"""The records of a QIF file: lines of a letter and a value; a line with a caret ends a record."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from webapp.importers.bank_files import MAX_LINES, FileRefusedError
from webapp.importers.texts import MAX_TEXT

_LINE: Final = re.compile(r"([^\r\n]*)(?:\r\n?|\n|$)")
# A split begins with its category; a date behind it belongs to the split and not to the record.
_SPLIT: Final = "S"
_OF_A_SPLIT: Final = frozenset("SE$%D")
_MAX_VALUES: Final = 20


@dataclass(slots=True)
class QifRecord:
    """A record of a section (the heading's type in lower case), with its number `row` and its `line` of the file."""

    section: str
    row: int
    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    is_split: bool = False

    def first(self, letters: str) -> str | None:
        """Return the first value of the first filled letter."""
        return next((values[0] for letter in letters if (values := self.fields.get(letter))), None)

    def has_any(self, letters: str) -> bool:
        """Return whether any of the letters has a value."""
        return any(letter in self.fields for letter in letters)

    def texts(self) -> Iterator[str]:
        """Yield all of its values."""
        for values in self.fields.values():
            yield from values

    def written(self) -> Iterator[str]:
        """Yield its values with their letters, as the file has them."""
        return (f"{letter}{value}" for letter, values in self.fields.items() for value in values)

    def add(self, text: str) -> None:
        """Add a line of the record."""
        letter, value = text[0].upper(), " ".join(text[1 : MAX_TEXT + 1].split())
        self.is_split = self.is_split or letter == _SPLIT
        if not value or (self.is_split and letter in _OF_A_SPLIT):
            return
        values = self.fields.setdefault(letter, [])
        if len(values) < _MAX_VALUES:
            values.append(value)

    def error(self, why: str) -> FileRefusedError:
        """Return an error that names the record."""
        return FileRefusedError(f"Record {self.row:,} (line {self.line:,} of the file): {why}")


def records(text: str) -> Iterator[QifRecord]:
    r"""Yield the records of a text in order, including accounts and lists.

    >>> [(each.section, each.first("T")) for each in records("!Type:Bank\nD1/2/26\nT5\n^\n!Type:Cat\nNFood\n^")]
    [('bank', '5'), ('cat', None)]

    Raises FileRefusedError for a record without an end or without a heading. Other text before the first heading is
    skipped.
    """
    section, row = "", 0
    record: QifRecord | None = None
    for number, line in enumerate(_LINE.finditer(text), start=1):
        content = line[1].strip()
        if content.startswith("!"):
            if record and section:
                raise record.error("it has no end (^); the file is damaged, download it again.")
            section, record = _section(content) or section, None
        elif content.startswith("^"):
            if record and not section:
                raise record.error("it has no heading (!Type:Bank); the beginning of the file is missing.")
            if record:
                yield record
            record = None
        elif content:
            row += not record and bool(section)
            record = record or _new_record(section, max(row, 1), number)
            record.add(content)
    if record and section:
        raise FileRefusedError(
            "The file is cut off before the end of its last record (^); download it again."
        )


def _new_record(section: str, row: int, line: int) -> QifRecord:
    if row > MAX_LINES:
        raise FileRefusedError(f"The file has more than {MAX_LINES:,} records; export it in shorter periods.")
    return QifRecord(section, row, line)


def _section(heading: str) -> str | None:
    """Return the type of the records that follow, or None for an option, which begins no section.

    >>> _section("!Type:CCard"), _section("!Account"), _section("!Option:AutoSwitch")
    ('ccard', 'account', None)
    """
    name, _, kind = heading[1:].partition(":")
    if name.strip().lower() == "account":
        return "account"
    return kind.strip().lower() if name.strip().lower() == "type" else None
