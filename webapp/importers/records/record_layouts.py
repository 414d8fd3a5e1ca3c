"""The layout of a table of records, such as invoices: by a mapping of its columns, or by the names in its header."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from webapp.importers.balance_lines import end_of, states_a_sum
from webapp.importers.bank_files import FileRefusedError, MappingNeededError
from webapp.importers.tables import reader as csv_reader
from webapp.importers.tables.days import DayParser, chosen_format, formats_of, in_order
from webapp.importers.tables.detection import marks_of, only
from webapp.importers.tables.layouts import FIRST, Layout, columns_of, header_of, index, placed, roles
from webapp.importers.tables.mappings import FORMATS, TableMapping, checked_mapping
from webapp.importers.tables.rows import TableRow
from webapp.importers.tables.samples import TableSample, sample_of
from webapp.importers.tables.typed_cells import refuse_swapped_days
from webapp.importers.tables.vocabulary import currency_of
from webapp.importers.xlsx import reader as xlsx_reader


@dataclass(frozen=True, slots=True)
class TableKind:
    """A kind of table with a record in each row.

    `columns` are the mapping's keys with the roles that they name, and `words` the names of each role in headers. Each
    table has the roles `needed`, by what they are called in a sentence, and one of `amounts`, whose name is `amount`;
    none of them where `amount` is empty. A row is a record if it has a cell of `marks`.
    """

    noun: str
    columns: Mapping[str, str]
    words: Mapping[str, Sequence[str]]
    needed: Mapping[str, str]
    marks: Sequence[str]
    amounts: Sequence[str] = ()
    figures: Sequence[str] = ()
    amount: str = ""
    days: Sequence[str] = ("date", "due_date")


@dataclass(frozen=True, slots=True)
class RecordTable:
    """The rows of a table, in the layout that reads them, and the whole mapping that says so."""

    rows: Sequence[TableRow]
    layout: Layout
    mapping: dict[str, object]


def read(data: bytes, kind: TableKind, mapping: Mapping[str, object] | None = None) -> RecordTable:
    """Read the rows of a CSV or XLSX file, and find their layout.

    Missing keys of the mapping are found from the file. MappingNeededError asks for the others.
    """
    checked = checked_mapping(mapping, kind.columns, FORMATS)
    table = _table(data, kind, checked)
    checked = placed(checked, table)
    layout = layout_of(table, kind, checked)
    full = columns_of(layout, checked, (), kind.columns).mapping
    return RecordTable(
        table, layout, {key: value for key, value in full.items() if key in {*kind.columns, *FORMATS}}
    )


def sample(data: bytes, kind: TableKind, mapping: Mapping[str, object] | None = None) -> TableSample:
    """Return the first rows of a file with the likely roles of its columns; raises FileRefusedError without rows."""
    checked = checked_mapping(mapping, kind.columns, FORMATS)
    sheets = xlsx_reader.sheet_names(data) if xlsx_reader.recognises(data) else ()
    try:
        table = _table(data if sheets else csv_reader.head(data), kind, checked)
    except MappingNeededError:
        return TableSample(sheets=sheets)
    found = sample_of(table, checked, kind.columns, kind.words, lambda first: header_in(first, kind))
    return replace(found, sheets=sheets)


def _table(data: bytes, kind: TableKind, checked: TableMapping) -> Sequence[TableRow]:
    def is_fit(table: Sequence[TableRow], mapping: TableMapping) -> bool:
        return is_readable(table, kind, mapping)

    if not data.strip(b"\0 \t\r\n"):
        raise FileRefusedError("The file is empty; export it again.")
    if xlsx_reader.recognises(data):
        return xlsx_reader.computed_sheet(data, checked, is_fit).rows
    if not csv_reader.recognises(data):
        raise FileRefusedError(f"The file is no table of {kind.noun}s; export them as CSV or XLSX.")
    return csv_reader.table_of(data, checked, is_fit)


def layout_of(table: Sequence[TableRow], kind: TableKind, mapping: TableMapping) -> Layout:
    """Find the layout, starting from the mapping; raises FileRefusedError with the missing key."""
    header = mapping.header if mapping.header is not None else _header(table, kind, mapping)
    if header is not None and header >= len(table):
        raise FileRefusedError(f"header of the mapping is row {header}, and the file has fewer rows.")
    names = list(table[header].cells) if header is not None else []
    layout = Layout(header, {}, currency=mapping.currency, names=names, is_mapped=bool(mapping.columns))
    body = layout.body(table)
    layout.columns = {role: index(column, names, body, role) for role, column in mapping.columns.items()}
    _find(layout, kind, [row for row in body if not _is_sum(row, kind)])
    rows = records_in(table, kind, layout)
    layout.date_format = mapping.date_format or _date_format(rows, kind, layout)
    refuse_swapped_days(_days(rows, kind, layout), layout.date_format)
    amounts = [layout.columns[role] for role in kind.figures if role in layout.columns]
    texts = [row.cell(column) for row in rows for column in amounts]
    layout.decimal, layout.thousands = marks_of(texts, mapping)
    if layout.currency is None and "currency_column" not in layout.columns and names:
        stated = {currency_of(names[column]) for column in amounts if column < len(names)} - {None}
        layout.currency = stated.pop() if len(stated) == 1 else None
    return layout


def records_in(table: Sequence[TableRow], kind: TableKind, layout: Layout) -> list[TableRow]:
    """Return the records behind the header: rows with a cell that marks one, and that are no sum."""
    marks = [layout.columns[role] for role in kind.marks if role in layout.columns]
    return [
        row
        for row in layout.body(table)
        if any(row.cell(column) for column in marks) and not _is_sum(row, kind)
    ]


def header_in(table: Sequence[TableRow], kind: TableKind) -> int | None:
    """Find the header among the first rows, the one with all marks and an amount; None without one."""
    for place, row in enumerate(table[:FIRST]):
        found = roles(row.cells, kind.words)
        has_amount = not kind.amounts or any(found[role] for role in kind.amounts)
        if has_amount and all(found[role] for role in kind.marks):
            return place
    return None


def is_readable(table: Sequence[TableRow], kind: TableKind, mapping: TableMapping) -> bool:
    """Return whether a table has a known header, or the columns that a mapping names."""
    if not mapping.columns:
        return header_in(table, kind) is not None
    try:
        layout_of(table[:FIRST], kind, mapping)
    except MappingNeededError:
        return True
    except FileRefusedError:
        return False
    return True


def _header(table: Sequence[TableRow], kind: TableKind, mapping: TableMapping) -> int | None:
    if mapping.has_header is False:
        return None
    if mapping.names():
        return header_of(table, mapping)
    found = header_in(table, kind)
    return _unknown_header(table, mapping) if found is None and mapping.columns else found


def _unknown_header(table: Sequence[TableRow], mapping: TableMapping) -> int | None:
    """Find a header with unknown names: the first row, if its cell in the column of days has no figure."""
    column = mapping.columns.get("date")
    first = next((place for place, row in enumerate(table) if any(row.cells)), None)
    if first is None or not isinstance(column, int) or any(map(str.isdigit, table[first].cell(column))):
        return None
    return first


def _days(rows: Sequence[TableRow], kind: TableKind, layout: Layout) -> list[str]:
    dated = [layout.columns[role] for role in kind.days if role in layout.columns]
    return [cell for row in rows for column in dated if (cell := row.cell(column))]


def _date_format(rows: Sequence[TableRow], kind: TableKind, layout: Layout) -> str:
    """Find the format of the days; among several, the one in which nothing is due before it is issued."""
    days = _days(rows, kind, layout)
    formats = formats_of(days) if days else [""]
    if len(formats) == 1:
        return formats[0]
    issued = [cell for row in rows if (cell := row.cell(layout.columns["date"]))]
    later = [each for each in formats if _are_due_later(rows, kind, layout, DayParser(each))]
    return chosen_format(formats, in_order(issued, later) or later, days)


def _are_due_later(rows: Sequence[TableRow], kind: TableKind, layout: Layout, parser: DayParser) -> bool:
    """Return whether nothing is due before its date."""
    columns = [layout.columns[role] for role in kind.days if role in layout.columns]
    pairs = [[parser.day(row.cell(column)) for column in columns] for row in rows]
    return all(each == sorted(each) for pair in pairs if (each := [day for day in pair if day]))


def _is_sum(row: TableRow, kind: TableKind) -> bool:
    label = next(filter(None, row.cells), "")
    # Without days nothing is before the rows: there “Opening balances” is an account's name.
    return states_a_sum(label) and ("date" in kind.words or end_of(label) != "OPENING")


def _find(layout: Layout, kind: TableKind, rows: Sequence[TableRow]) -> None:
    """Find the columns that the mapping does not name; a named column has no second role.

    A column that a needed role has nothing beside is left to it.
    """
    taken, found = set(layout.columns.values()), roles(layout.names, kind.words)
    for role, columns in found.items():
        last = {
            only_one
            for needed in kind.needed
            if needed != role and needed not in layout.columns
            for only_one in found[needed]
            if {*found[needed]} - taken == {only_one}
        }
        free = [column for column in columns if column not in taken and column not in last]
        if role in layout.columns or not free:
            continue
        is_asked = role in (*kind.needed, *kind.amounts)
        layout.columns[role] = only(layout, free, rows, keyed(kind, role)) if is_asked else free[0]
        taken.add(layout.columns[role])
    for role, called in kind.needed.items():
        if role not in layout.columns:
            raise MappingNeededError(
                f"No column is named as the {called}; name it in the mapping, as {keyed(kind, role)}.",
                keyed(kind, role),
            )
    if kind.amounts and not layout.columns.keys() & {*kind.amounts}:
        raise MappingNeededError(
            f"No column is named as the amount of the {kind.noun}; name it in the mapping, as {kind.amount}.",
            kind.amount,
        )


def keyed(kind: TableKind, role: str) -> str:
    """Return the mapping's key of a role."""
    return next(key for key, each in kind.columns.items() if each == role)
