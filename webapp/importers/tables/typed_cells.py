"""Cells whose kind a file states, as a workbook does: numbers and days are what they are, whatever a mapping says.

Each is the text that a message would show, so that a table is rows of texts whatever it was kept in.
"""

from collections.abc import Iterable
from datetime import date

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.texts import quoted


class Number(str):
    """A number, written plainly with a point."""

    __slots__ = ()


class Day(str):
    """A day in the Gregorian calendar (2026-03-05), a time of day behind it where there is one."""

    __slots__ = ()

    @property
    def day(self) -> date:
        """The day without its time."""
        return date.fromisoformat(self[:10])


class Flaw(str):
    """What stands where a value could not be had, such as #REF!; it is no figure and no day."""

    __slots__ = ()


def untyped(cells: Iterable[str]) -> list[str]:
    """Give the cells that are nothing but text, which is to be read by the file's own habits."""
    return [cell for cell in cells if not isinstance(cell, (Number, Day, Flaw))]


def refuse_swapped(cells: Iterable[str], date_format: str) -> None:
    """Refuse days of which some are days and some are texts with the day or the month first.

    A spreadsheet that opens another country's CSV makes the third of April of 04/03 and leaves 31/03 a text, so
    that the days which it did understand are the wrong ones.
    """
    given = list(cells)
    text = next((cell for cell in given if not isinstance(cell, Day)), None)
    if text is not None and len(set(map(type, given))) > 1 and not date_format.startswith("%Y"):
        raise FileRefusedError(
            f"Some days are kept as days and others, such as {quoted(text)}, as text; day and month may have been"
            " swapped when the file was opened with another country's settings. Export it from the bank again."
        )
