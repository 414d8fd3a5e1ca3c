"""XLSX: the table in a workbook, read like one of CSV, but for its numbers and days, which are what they are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from webapp.importers.bank_files import AskedError, BankFile, FileRefusedError
from webapp.importers.foreign_files import what_an_archive_is
from webapp.importers.tables.glimpses import Glimpse, glimpse_of
from webapp.importers.tables.layouts import layouts_of
from webapp.importers.tables.mappings import Told, told
from webapp.importers.tables.reader import FIRST, file_of, makes_sense
from webapp.importers.texts import quoted
from webapp.importers.xlsx.archives import Archive, is_archive
from webapp.importers.xlsx.sheets import Sheet
from webapp.importers.xlsx.workbooks import ROOT, Book, SheetName

_MAX_SHEETS: Final = 50
_MAX_NAMED: Final = 6


def recognises(data: bytes) -> bool:
    """Tell whether the bytes begin as a zip archive; one that holds no workbook is refused by its reader."""
    return is_archive(data)


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:
    """Read the one table of a workbook, or raise FileRefusedError.

    The mapping is that of CSV and may name the `sheet`; its marks and its format of days hold for cells that
    are text.
    """
    says = told(mapping)
    listed, sheet = chosen(data, says)
    if sheet.unvalued:
        raise FileRefusedError(
            f"Cell {sheet.unvalued} of sheet {quoted(listed.name)} has a formula whose value was never computed;"
            " open the file in a spreadsheet, save it there, and send that."
        )
    bank_file = file_of(sheet.rows, says, bank_format="xlsx")
    hidden = [f"{sheet.hidden:,} rows of the sheet are hidden; they were read like the others."]
    warnings = (*bank_file.warnings, *(hidden if sheet.hidden else []))
    return replace(bank_file, warnings=warnings)


def layouts(data: bytes) -> Sequence[str]:
    """Give what the tables of a workbook are known by, all that a mapping may mean."""
    try:
        book = _book(data)
        sheets = [book.sheet(each) for each in book.sheets]
    except FileRefusedError:
        return ()
    return [layout for sheet in sheets if sheet.rows for layout in layouts_of(sheet.rows[:FIRST])]


def glimpse(data: bytes, mapping: Mapping[str, object] | None = None) -> Glimpse:
    """Look at the first rows of the sheet that is meant, or may be; raises FileRefusedError where there is none."""
    says = told(mapping)
    names = tuple(each.name for each in _book(data).sheets)
    try:
        sheet = chosen(data, says)[1]
    except AskedError:
        return Glimpse(sheets=names)
    return replace(glimpse_of(sheet.rows[:FIRST], says), sheets=names)


def _book(data: bytes) -> Book:
    archive = Archive(data)
    if ROOT not in archive:
        raise FileRefusedError(what_an_archive_is(archive.names()))
    book = Book(archive)
    if not book.sheets or len(book.sheets) > _MAX_SHEETS:
        raise FileRefusedError(f"The workbook has no sheets with cells, or more than {_MAX_SHEETS}.")
    return book


def chosen(data: bytes, says: Told) -> tuple[SheetName, Sheet]:
    """The sheet that the mapping names, else the only one with a table; raises AskedError where two have one."""
    book = _book(data)
    if says.sheet is not None:
        listed = _named(book.sheets, says.sheet)
        return listed, book.sheet(listed)
    # A program's own notes stand on sheets that are hidden; they count where there is nothing else.
    for are_hidden in (False, True):
        sheets = [(each, book.sheet(each)) for each in book.sheets if each.is_hidden is are_hidden]
        filled = [(each, sheet) for each, sheet in sheets if sheet.rows]
        tables = [(each, sheet) for each, sheet in filled if makes_sense(sheet.rows, says)]
        if found := tables or filled:
            return _only([each for each, _ in found], are_tables=bool(tables)), found[0][1]
    raise FileRefusedError("The workbook has no cell with a value, so there is nothing to import.")


def _named(sheets: Sequence[SheetName], name: str | int) -> SheetName:
    if isinstance(name, int):
        if name < len(sheets):
            return sheets[name]
        raise FileRefusedError(f"sheet of the mapping is {name}, and the workbook has {len(sheets)}.")
    for each in sheets:
        if each.name.casefold().strip() == name.casefold().strip():
            return each
    raise FileRefusedError(
        f"sheet of the mapping is {quoted(name)}, and the workbook has none of that name; it has {_names(sheets)}."
    )


def _only(sheets: Sequence[SheetName], *, are_tables: bool) -> SheetName:
    if len(sheets) == 1:
        return sheets[0]
    why = "may each be the statement" if are_tables else "are there, and none has a header that is known"
    raise AskedError(
        f"Several sheets {why}: {_names(sheets)}; say which in the mapping, as sheet.",
        "sheet",
        sheets=[each.name for each in sheets],
    )


def _names(sheets: Sequence[SheetName]) -> str:
    return ", ".join(quoted(each.name) for each in sheets[:_MAX_NAMED])
