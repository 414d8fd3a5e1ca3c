"""The layout of a table: each role's column as an index, from the names or indexes that a mapping tells."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from webapp.importers.bank_files import Columns, FileRefusedError
from webapp.importers.tables.mappings import COLUMNS, Column, Told
from webapp.importers.tables.rows import Row
from webapp.importers.tables.words import plain
from webapp.importers.texts import quoted

# Where a mapping names columns and no row, the header is one of these.
_FIRST: Final = 60


@dataclass(slots=True)
class Layout:
    """Where a table keeps what, and how it writes; `header` is the index of the header's row, None for none."""

    header: int | None
    columns: dict[str, int]
    date_format: str = ""
    decimal: str = "."
    thousands: str = ""
    flag: tuple[int, frozenset[str], frozenset[str]] | None = None
    pending: tuple[int, frozenset[str]] | None = None
    invert: bool = False
    currency: str | None = None
    balance_is_before: bool = False
    is_told: bool = False
    is_signed: bool = False
    names: list[str] = field(default_factory=list)

    @property
    def amounts(self) -> list[int]:
        """The columns that hold a line's amount."""
        return [self.columns[name] for name in ("amount", "debit", "credit") if name in self.columns]

    def named(self, column: int) -> str:
        """A column as a message names it."""
        name = self.names[column] if column < len(self.names) else ""
        return f"column {column + 1} {quoted(name)}" if name else f"column {column + 1}"

    def body(self, table: Sequence[Row]) -> Sequence[Row]:
        """The rows behind the header."""
        return table if self.header is None else table[self.header + 1 :]


def by_mapping(table: Sequence[Row], told: Told) -> Layout:
    """Find the columns that a mapping tells; raises FileRefusedError for one that is not there."""
    header = header_of(table, told)
    names = table[header].cells if header is not None else []
    body = table if header is None else table[header + 1 :]
    columns = {role: index(column, names, body, role) for role, column in told.columns.items()}
    flag = (index(told.flag[0], names, body, "flag"), *told.flag[1:]) if told.flag else None
    pending = None
    if told.pending:
        pending = index(told.pending[0], names, body, "pending"), frozenset({told.pending[1]})
    return Layout(
        header,
        columns,
        flag=flag,
        pending=pending,
        invert=bool(told.invert),
        currency=told.currency,
        balance_is_before=told.choices.get("balanceIs") == "before",
        is_told=True,
        names=names,
    )


def header_of(table: Sequence[Row], told: Told) -> int | None:
    """The row of the header that a mapping means: told, or the first that has all of the names it uses."""
    if told.header is not None:
        if told.header >= len(table):
            raise FileRefusedError(
                f"header of the mapping is row {told.header}, and the file ends before it."
            )
        return told.header
    names = {_folded(name) for name in told.names()}
    if told.has_header is False or not names:
        if names:
            raise FileRefusedError(
                "The mapping names columns and says that there is no header; give indexes."
            )
        return None
    for number, row in enumerate(table[:_FIRST]):
        if names <= {_folded(cell) for cell in row.cells}:
            return number
    raise FileRefusedError(
        f"No row of the file has the columns that the mapping names: {', '.join(map(quoted, told.names()))}."
    )


def index(column: Column, names: Sequence[str], body: Sequence[Row], role: str) -> int:
    """The index of a column; two of one name are one only where they hold the same throughout."""
    if isinstance(column, int):
        widest = max((len(row.cells) for row in body), default=column + 1)
        if column >= max(widest, len(names)):
            raise FileRefusedError(f"{role} of the mapping is column {column}, and no row has so many.")
        return column
    found = [number for number, name in enumerate(names) if name == column.strip()]
    found = found or [number for number, name in enumerate(names) if _folded(name) == _folded(column)]
    if not found:
        raise FileRefusedError(
            f"{role} of the mapping is {quoted(column)}, and the header has no such column; it has"
            f" {', '.join(filter(None, names))[:300]}."
        )
    if any(row.cell(found[0]) != row.cell(other) for other in found[1:] for row in body):
        raise FileRefusedError(
            f"The header has {quoted(column)} twice; give its index in the mapping ({role})."
        )
    return found[0]


def roles(names: Sequence[str], words: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    """The columns that have one of a role's words as their name, by the order of the words."""
    plains = [plain(name) for name in names]
    return {
        role: sorted(
            (number for number, name in enumerate(plains) if name in known),
            key=lambda number, known=tuple(known): known.index(plains[number]),  # type: ignore[misc]
        )
        for role, known in words.items()
    }


def layouts_of(first: Sequence[Row]) -> list[str]:
    """Give what a table's layout is known by: that without a header, then that of each of its first rows as one."""
    width = max((len(row.cells) for row in first), default=0)
    headers = [[_folded(cell) for cell in row.cells] for row in first]
    return [sha256(json.dumps(each).encode()).hexdigest() for each in ([str(width)], *headers)]


def columns_of(layout: Layout, told: Told, layouts: Sequence[str]) -> Columns:
    """Tell how a table was read, as a mapping that would read it in the same way."""
    place = 0 if layout.header is None else layout.header + 1
    mapping: dict[str, object] = {"header": layout.header, **_choices(layout)}
    if told.encoding:
        mapping["encoding"] = told.encoding
    if "delimiter" in told.choices:
        mapping["delimiter"] = told.choices["delimiter"]
    keys = {role: key for key, role in COLUMNS.items()}
    mapping |= {keys[role]: column for role, column in layout.columns.items()}
    if layout.flag:
        mapping["flag"] = [layout.flag[0], sorted(layout.flag[1]), sorted(layout.flag[2])]
    if layout.pending:
        mapping["pending"] = [layout.pending[0], min(layout.pending[1])]
    return Columns(layouts[place] if place < len(layouts) else "", tuple(layout.names), mapping)


def _choices(layout: Layout) -> dict[str, object]:
    said: dict[str, object] = {
        "dateFormat": layout.date_format or None,
        "decimal": layout.decimal,
        "thousands": layout.thousands or None,
        "invert": layout.invert,
        "currency": layout.currency,
        "balanceIs": "before" if layout.balance_is_before else None,
    }
    return {key: value for key, value in said.items() if value is not None}


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
