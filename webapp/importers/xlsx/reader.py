"""The reader of XLSX: one table of a workbook, read like CSV, with typed numbers and dates."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from webapp.importers.archives import Archive, is_archive
from webapp.importers.bank_files import BankFile, FileRefusedError, MappingNeededError
from webapp.importers.foreign_files import archive_message
from webapp.importers.tables.layouts import layouts_of
from webapp.importers.tables.mappings import TableMapping, checked_mapping
from webapp.importers.tables.reader import FIRST, Readable, file_of, is_readable
from webapp.importers.tables.samples import TableSample, sample_of
from webapp.importers.texts import quoted
from webapp.importers.xlsx.sheets import SheetParser
from webapp.importers.xlsx.workbooks import ROOT, ListedSheet, Workbook

_MAX_SHEETS: Final = 50
_MAX_NAMED: Final = 6


def recognises(data: bytes) -> bool:
    """Return whether the bytes begin like a zip archive; `read` refuses archives without a workbook."""
    return is_archive(data)


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:
    """Read the one table of a workbook, or raise FileRefusedError.

    The mapping is that of CSV and may name the `sheet`; its marks and date format apply to cells of text.
    """
    checked = checked_mapping(mapping)
    sheet = computed_sheet(data, checked)
    bank_file = file_of(sheet.rows, checked, bank_format="xlsx")
    hidden = [f"{sheet.hidden:,} rows of the sheet are hidden; they were read like the others."]
    warnings = (*bank_file.warnings, *(hidden if sheet.hidden else []))
    return replace(bank_file, warnings=warnings)


def computed_sheet(data: bytes, checked: TableMapping, readable: Readable = is_readable) -> SheetParser:
    """Return the chosen sheet with the values of its formulas; raises FileRefusedError, MappingNeededError."""
    listed, sheet = chosen_sheet(data, checked, readable)
    if sheet.uncomputed:
        raise FileRefusedError(
            f"Cell {sheet.uncomputed} of sheet {quoted(listed.name)} has a formula whose value was never computed;"
            " open the file in a spreadsheet, save it, and import that."
        )
    return sheet


def layouts(data: bytes) -> Sequence[str]:
    """Return the possible digests of the layouts of all sheets."""
    try:
        book = _book(data)
        sheets = [book.sheet(each) for each in book.sheets]
    except FileRefusedError:
        return ()
    return [layout for sheet in sheets if sheet.rows for layout in layouts_of(sheet.rows[:FIRST])]


def sample(data: bytes, mapping: Mapping[str, object] | None = None) -> TableSample:
    """Return the first rows of the chosen or likely sheet; raises FileRefusedError without one."""
    checked = checked_mapping(mapping)
    names = sheet_names(data)
    try:
        sheet = chosen_sheet(data, checked)[1]
    except MappingNeededError:
        return TableSample(sheets=names)
    return replace(sample_of(sheet.rows, checked), sheets=names)


def sheet_names(data: bytes) -> tuple[str, ...]:
    """Return the names of a workbook's sheets; raises FileRefusedError."""
    return tuple(each.name for each in _book(data).sheets)


def _book(data: bytes) -> Workbook:
    archive = Archive(data)
    if ROOT not in archive:
        raise FileRefusedError(archive_message(archive.names()))
    book = Workbook(archive)
    if not book.sheets or len(book.sheets) > _MAX_SHEETS:
        raise FileRefusedError(f"The workbook has no sheets with cells, or more than {_MAX_SHEETS}.")
    return book


def chosen_sheet(
    data: bytes, checked: TableMapping, readable: Readable = is_readable
) -> tuple[ListedSheet, SheetParser]:
    """Return the mapping's sheet, else the only one with a table; raises MappingNeededError for several."""
    book = _book(data)
    if checked.sheet is not None:
        listed = _sheet_of(book.sheets, checked.sheet)
        return listed, book.sheet(listed)
    # Programs store notes on hidden sheets; they are only read where there is no other sheet.
    for are_hidden in (False, True):
        sheets = [(each, book.sheet(each)) for each in book.sheets if each.is_hidden is are_hidden]
        filled = [(each, sheet) for each, sheet in sheets if sheet.rows]
        tables = [(each, sheet) for each, sheet in filled if readable(sheet.rows, checked)]
        if found := tables or filled:
            return _only([each for each, _ in found], are_tables=bool(tables)), found[0][1]
    raise FileRefusedError("The workbook has no cell with a value, so there is nothing to import.")


def _sheet_of(sheets: Sequence[ListedSheet], name: str | int) -> ListedSheet:
    if isinstance(name, int):
        if name < len(sheets):
            return sheets[name]
        raise FileRefusedError(f"sheet of the mapping is {name}, and the workbook has {len(sheets)}.")
    for each in sheets:
        if each.name.casefold().strip() == name.casefold().strip():
            return each
    raise FileRefusedError(
        f"sheet of the mapping is {quoted(name)}, and the workbook has no such sheet; it has {_names(sheets)}."
    )


def _only(sheets: Sequence[ListedSheet], *, are_tables: bool) -> ListedSheet:
    if len(sheets) == 1:
        return sheets[0]
    why = "may each be the statement" if are_tables else "exist, and none has a known header"
    raise MappingNeededError(
        f"Several sheets {why}: {_names(sheets)}; choose one in the mapping, as sheet.",
        "sheet",
        sheets=[each.name for each in sheets],
    )


def _names(sheets: Sequence[ListedSheet]) -> str:
    return ", ".join(quoted(each.name) for each in sheets[:_MAX_NAMED])
