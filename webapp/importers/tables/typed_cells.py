"""Cells with a type, as in a workbook: numbers and dates keep it, regardless of a mapping.

Each is a str, the text for messages, so that a table is rows of texts in CSV and XLSX alike.
"""

from collections.abc import Iterable
from datetime import date

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.texts import quoted


class NumberCell(str):
    """A number, written with a decimal point and without groups."""

    __slots__ = ()


class DayCell(str):
    """A date (2026-03-05), with its time of day if there is one."""

    __slots__ = ()

    @property
    def day(self) -> date:
        """The date without its time."""
        return date.fromisoformat(self[:10])


class ErrorCell(str):
    """An error value such as #REF!, which is neither a number nor a date."""

    __slots__ = ()


def untyped_cells(cells: Iterable[str]) -> list[str]:
    """Return the cells without a type, which are read by the formats of the file."""
    return [cell for cell in cells if not isinstance(cell, (NumberCell, DayCell, ErrorCell))]


def refuse_swapped_days(cells: Iterable[str], date_format: str) -> None:
    """Refuse a date column that mixes typed dates with texts that begin with the day or the month.

    A spreadsheet that opens another country's CSV reads 04/03 as the third of April and leaves 31/03 a text, so
    that the typed dates are wrong.
    """
    column = list(cells)
    text = next((cell for cell in column if not isinstance(cell, DayCell)), None)
    if text is not None and len(set(map(type, column))) > 1 and not date_format.startswith("%Y"):
        raise FileRefusedError(
            f"Some cells have dates and others, such as {quoted(text)}, text; day and month may have been swapped when"
            " the file was opened with another country's settings. Export it from the bank again."
        )
