"""The layout of a table of invoices: by a mapping of its columns, or by the names in its header."""

from collections.abc import Sequence
from typing import Final

from webapp.importers.balance_lines import states_a_sum
from webapp.importers.bank_files import FileRefusedError, MappingNeededError
from webapp.importers.invoice_tables.columns import AMOUNTS, NEEDED, WORDS
from webapp.importers.tables.days import DayParser, chosen_format, formats_of, in_order
from webapp.importers.tables.detection import marks_of, only
from webapp.importers.tables.layouts import FIRST, Layout, header_of, index, roles
from webapp.importers.tables.mappings import TableMapping
from webapp.importers.tables.rows import TableRow
from webapp.importers.tables.typed_cells import refuse_swapped_days
from webapp.importers.tables.vocabulary import currency_of

# What each key is called in a sentence.
_CALLED: Final = {"number": "number of the invoice", "date": "date", "party": "customer or supplier"}


def layout_of(table: Sequence[TableRow], mapping: TableMapping) -> Layout:
    """Find the layout, starting from the mapping; raises FileRefusedError with the missing key."""
    header = mapping.header if mapping.header is not None else _header(table, mapping)
    if header is not None and header >= len(table):
        raise FileRefusedError(f"header of the mapping is row {header}, and the file has fewer rows.")
    names = list(table[header].cells) if header is not None else []
    layout = Layout(header, {}, currency=mapping.currency, names=names, is_mapped=bool(mapping.columns))
    body = layout.body(table)
    layout.columns = {role: index(column, names, body, role) for role, column in mapping.columns.items()}
    _find(layout, [row for row in body if not _is_sum(row)])
    rows = invoices_in(table, layout)
    layout.date_format = mapping.date_format or _date_format(rows, layout)
    refuse_swapped_days(_days(rows, layout), layout.date_format)
    amounts = [layout.columns[role] for role in AMOUNTS if role in layout.columns]
    texts = [row.cell(column) for row in rows for column in amounts]
    layout.decimal, layout.thousands = marks_of(texts, mapping)
    if layout.currency is None and "currency_column" not in layout.columns and names:
        stated = {currency_of(names[column]) for column in amounts if column < len(names)} - {None}
        layout.currency = stated.pop() if len(stated) == 1 else None
    return layout


def invoices_in(table: Sequence[TableRow], layout: Layout) -> list[TableRow]:
    """Return the invoices behind the header: rows with a number or a day that are no sum."""
    needed = [layout.columns[role] for role in ("number", "date")]
    return [
        row for row in layout.body(table) if any(row.cell(column) for column in needed) and not _is_sum(row)
    ]


def header_in(table: Sequence[TableRow]) -> int | None:
    """Find the header among the first rows, the one with a number, a day and an amount; None without one."""
    for place, row in enumerate(table[:FIRST]):
        found = roles(row.cells, WORDS)
        if found["number"] and found["date"] and (found["total"] or found["net"]):
            return place
    return None


def is_readable(table: Sequence[TableRow], mapping: TableMapping) -> bool:
    """Return whether a table has a known header, or the columns that a mapping names."""
    if not mapping.columns:
        return header_in(table) is not None
    try:
        layout_of(table[:FIRST], mapping)
    except MappingNeededError:
        return True
    except FileRefusedError:
        return False
    return True


def _header(table: Sequence[TableRow], mapping: TableMapping) -> int | None:
    if mapping.has_header is False:
        return None
    if mapping.names():
        return header_of(table, mapping)
    found = header_in(table)
    return _unknown_header(table, mapping) if found is None and mapping.columns else found


def _unknown_header(table: Sequence[TableRow], mapping: TableMapping) -> int | None:
    """Find a header with unknown names: the first row, if its cell in the column of days has no figure."""
    column = mapping.columns.get("date")
    first = next((place for place, row in enumerate(table) if any(row.cells)), None)
    if first is None or not isinstance(column, int) or any(map(str.isdigit, table[first].cell(column))):
        return None
    return first


def _days(rows: Sequence[TableRow], layout: Layout) -> list[str]:
    dated = [layout.columns[role] for role in ("date", "due_date") if role in layout.columns]
    return [cell for row in rows for column in dated if (cell := row.cell(column))]


def _date_format(rows: Sequence[TableRow], layout: Layout) -> str:
    """Find the format of the days; among several, the one in which no invoice is due before it is issued."""
    days = _days(rows, layout)
    formats = formats_of(days) if days else [""]
    if len(formats) == 1:
        return formats[0]
    issued = [cell for row in rows if (cell := row.cell(layout.columns["date"]))]
    later = [each for each in formats if _are_due_later(rows, layout, DayParser(each))]
    return chosen_format(formats, in_order(issued, later) or later, days)


def _are_due_later(rows: Sequence[TableRow], layout: Layout, parser: DayParser) -> bool:
    """Return whether no invoice is due before its date."""
    columns = [layout.columns[role] for role in ("date", "due_date") if role in layout.columns]
    pairs = [[parser.day(row.cell(column)) for column in columns] for row in rows]
    return all(each == sorted(each) for pair in pairs if (each := [day for day in pair if day]))


def _is_sum(row: TableRow) -> bool:
    return states_a_sum(next(filter(None, row.cells), ""))


def _find(layout: Layout, rows: Sequence[TableRow]) -> None:
    """Find the columns that the mapping does not name; a named column has no second role."""
    taken = set(layout.columns.values())
    for role, columns in roles(layout.names, WORDS).items():
        free = [column for column in columns if column not in taken]
        if role in layout.columns or not free:
            continue
        layout.columns[role] = only(layout, free, rows, role) if role in (*NEEDED, *AMOUNTS) else free[0]
        taken.add(layout.columns[role])
    for role in NEEDED:
        if role not in layout.columns:
            raise MappingNeededError(
                f"No column is named as the {_CALLED[role]}; name it in the mapping, as {role}.", role
            )
    if not layout.columns.keys() & {"total", "net"}:
        raise MappingNeededError(
            "No column is named as the amount of the invoice; name it in the mapping, as total.", "total"
        )
