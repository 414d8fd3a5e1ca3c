"""Tables of invoices from other programs: one row per invoice."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from webapp.importers.bank_files import FileRefusedError, MappingNeededError
from webapp.importers.invoice_tables.columns import COLUMNS, OTHERS, WORDS
from webapp.importers.invoice_tables.layouts import header_in, is_readable, layout_of
from webapp.importers.invoice_tables.rows import InvoiceTable, StatedRow, table_of
from webapp.importers.tables import reader as csv_reader
from webapp.importers.tables.layouts import columns_of, placed
from webapp.importers.tables.mappings import TableMapping, checked_mapping
from webapp.importers.tables.rows import TableRow
from webapp.importers.tables.samples import TableSample, sample_of
from webapp.importers.xlsx import reader as xlsx_reader

__all__ = ["InvoiceTable", "StatedRow", "read", "sample"]


def read(data: bytes, mapping: Mapping[str, object] | None = None) -> InvoiceTable:
    """Read the invoices of a file, all or none of them.

    Missing keys of the mapping are found from the file. MappingNeededError asks for the others;
    FileRefusedError says what is wrong, with row, column and value.
    """
    checked = checked_mapping(mapping, COLUMNS, OTHERS)
    table = _table(data, checked)
    checked = placed(checked, table)
    layout = layout_of(table, checked)
    return table_of(table, layout, _mapping(columns_of(layout, checked, (), COLUMNS).mapping))


def sample(data: bytes, mapping: Mapping[str, object] | None = None) -> TableSample:
    """Return the first rows of a file with the likely roles of its columns; raises FileRefusedError without rows."""
    checked = checked_mapping(mapping, COLUMNS, OTHERS)
    sheets = xlsx_reader.sheet_names(data) if xlsx_reader.recognises(data) else ()
    try:
        table = _table(data if sheets else csv_reader.head(data), checked)
    except MappingNeededError:
        return TableSample(sheets=sheets)
    return replace(sample_of(table, checked, COLUMNS, WORDS, header_in), sheets=sheets)


def _table(data: bytes, checked: TableMapping) -> Sequence[TableRow]:
    if not data.strip(b"\0 \t\r\n"):
        raise FileRefusedError("The file is empty; export it again.")
    if xlsx_reader.recognises(data):
        return xlsx_reader.computed_sheet(data, checked, is_readable).rows
    if not csv_reader.recognises(data):
        raise FileRefusedError("The file is no table of invoices; export them as CSV or XLSX.")
    return csv_reader.table_of(data, checked, is_readable)


def _mapping(found: Mapping[str, object]) -> dict[str, object]:
    """Remove the keys for bank lines from a mapping."""
    return {key: value for key, value in found.items() if key in {*COLUMNS, *OTHERS}}
