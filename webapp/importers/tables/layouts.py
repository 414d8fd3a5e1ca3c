"""The layout of a table: the column of each role as an index, from the names or indexes of a mapping."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import Final

from webapp.importers.bank_files import ChosenReading, Columns, FileRefusedError, RowRefusedError
from webapp.importers.tables.amounts import exact
from webapp.importers.tables.bank_layouts import amounts_by_currency
from webapp.importers.tables.mappings import COLUMNS, Column, FlagWords, TableMapping
from webapp.importers.tables.rows import DELIMITERS, TableRow
from webapp.importers.tables.statuses import StatusWords
from webapp.importers.tables.typed_cells import ErrorCell
from webapp.importers.tables.vocabulary import OF_CARDS, OF_TRANSFERS, plain
from webapp.importers.texts import quoted

# The header is searched in so many rows, where a mapping names columns and no row.
FIRST: Final = 60


@dataclass(slots=True)
class Layout:
    """The columns and formats of a table; `header` is the index of the header row, None for none.

    A bank may have a column of amounts for each currency: `in_currencies` has their codes.
    """

    header: int | None
    columns: dict[str, int]
    in_currencies: dict[int, str] = field(default_factory=dict)
    date_format: str = ""
    decimal: str = "."
    thousands: str = ""
    flag: tuple[int, FlagWords] | None = None
    status: tuple[int, StatusWords] | None = None
    leave_out: tuple[int, frozenset[str]] | None = None
    skips_without_amount: bool = False
    invert: bool = False
    currency: str | None = None
    balance_is_before: bool = False
    charges_are: str = ""
    is_mapped: bool = False
    is_signed: bool = False
    names: list[str] = field(default_factory=list)
    chosen: list[ChosenReading] = field(default_factory=list)
    _numbers: dict[str, Decimal | None] = field(default_factory=dict)

    def number(self, row: TableRow, column: int) -> Decimal | None:
        """Read an amount with the marks of the table, or None where it is not an amount; each text is read once."""
        text = row.cell(column)
        if type(text) is not str:
            return exact(text, self.decimal, self.thousands)
        if text not in self._numbers:
            self._numbers[text] = exact(text, self.decimal, self.thousands)
        return self._numbers[text]

    def choose(self, key: str, value: object, why: str) -> None:
        """Note a choice for the user."""
        self.chosen.append(ChosenReading(key, value, why))

    @property
    def amounts(self) -> list[int]:
        """The columns of a line's amount."""
        return list(self.in_currencies) or [
            self.columns[name] for name in ("amount", "debit", "credit") if name in self.columns
        ]

    def amount_of(self, row: TableRow) -> int:
        """Return which of the columns `in_currencies` has a row's amount; raises RowRefusedError for two."""
        filled = [column for column in self.in_currencies if row.cell(column)]
        moving = [column for column in filled if self.number(row, column) != 0]
        if len(moving) > 1:
            raise self.refusal(row, moving[1], "the row has an amount in another currency too")
        return next(iter(moving or filled or self.in_currencies))

    def named(self, column: int) -> str:
        """Return a column's number and name for messages."""
        name = self.names[column] if column < len(self.names) else ""
        return f"column {column + 1} {quoted(name)}" if name else f"column {column + 1}"

    @property
    def is_of_card(self) -> bool:
        """Return whether a column's name says that the table is of a card, whose balance may be what is owed."""
        return any(not OF_CARDS.isdisjoint(plain(name).split()) for name in self.names)

    @property
    def of_transfers(self) -> int | None:
        """Return the first column whose name says that the table is of an account, which transfers go to."""
        words = (plain(name).split() for name in self.names)
        return next((place for place, each in enumerate(words) if not OF_TRANSFERS.isdisjoint(each)), None)

    def has_signed_debits(self, table: Sequence[TableRow]) -> bool:
        """Return whether all debits are negative; if only some are, a minus marks a reversal."""
        column = self.columns.get("debit")
        if column is None:
            return False
        values = {self.number(row, column) for row in self.body(table)}
        return any(value and value < 0 for value in values) and not any(
            value and value > 0 for value in values
        )

    def refuse_error_cells(self, table: Sequence[TableRow]) -> None:
        """Refuse an error cell, such as #REF!, in a column of dates, amounts or statuses."""
        texts = ("description", "counterparty", "reference")
        needed = [column for role, column in self.columns.items() if role not in texts]
        needed += [each[0] for each in (self.flag, self.status, self.leave_out) if each]
        for row in self.body(table):
            if ErrorCell in map(type, row.cells):
                for column in needed:
                    if isinstance(row.cell(column), ErrorCell):
                        raise self.refusal(row, column, "the cell's value cannot be read")

    def refusal(self, row: TableRow, column: int, why: str) -> RowRefusedError:
        """Return the refusal of a row, with its column and cell."""
        named, value = self.named(column), " ".join(row.cell(column).split())
        return RowRefusedError(
            f"Row {row.number:,}, {named}: {why}: {quoted(value)}.",
            row=row.number,
            column=column,
            named=named,
            value=value,
        )

    def body(self, table: Sequence[TableRow]) -> Sequence[TableRow]:
        """Return the rows behind the header."""
        return table if self.header is None else table[self.header + 1 :]


def by_mapping(table: Sequence[TableRow], mapping: TableMapping) -> Layout:
    """Return the layout by a mapping; raises FileRefusedError for a column that does not exist."""
    header = header_of(table, mapping)
    names = table[header].cells if header is not None else []
    body = table if header is None else table[header + 1 :]
    columns = {role: index(column, names, body, role) for role, column in mapping.columns.items()}
    layout = Layout(
        header,
        columns,
        skips_without_amount=mapping.skips_without_amount,
        invert=bool(mapping.invert),
        currency=mapping.currency,
        balance_is_before=mapping.choices.get("balanceIs") == "before",
        charges_are=mapping.choices.get("chargesAre", ""),
        is_mapped=True,
        names=names,
    )
    layout.in_currencies = amounts_by_currency(names, columns.get("amount"))
    name_rows(layout, body, mapping)
    return layout


def name_rows(layout: Layout, body: Sequence[TableRow], mapping: TableMapping) -> None:
    """Set the columns whose words say of each row what it is: its direction, its status, and whether it is left out."""
    names = layout.names
    if mapping.flag:
        layout.flag = index(mapping.flag[0], names, body, "flag"), mapping.flag[1]
    if mapping.pending:
        layout.status = index(mapping.pending[0], names, body, "pending"), mapping.pending[1]
    if mapping.leave_out:
        layout.leave_out = index(mapping.leave_out[0], names, body, "leaveOut"), mapping.leave_out[1]


def placed(mapping: TableMapping, table: Sequence[TableRow]) -> TableMapping:
    """Return the mapping with the row number of its header text: the first row that begins with these cells."""
    text = mapping.header_text
    if text is None:
        return mapping
    splits = [[text], *(text.split(mark) for mark in DELIMITERS if mark in text)]
    wanted = [[_folded(name.strip(' "')) for name in names] for names in splits]
    for number, row in enumerate(table):
        if any([_folded(cell) for cell in row.cells[: len(names)]] == names for names in wanted):
            return replace(mapping, header=number)
    raise FileRefusedError(f"No row of the file begins with {quoted(text)}, the header of the mapping.")


def header_of(table: Sequence[TableRow], mapping: TableMapping) -> int | None:
    """Return the header row by a mapping: its number, or the first row with all its names."""
    if mapping.header is not None:
        if mapping.header >= len(table):
            raise FileRefusedError(
                f"header of the mapping is row {mapping.header}, and the file has fewer rows."
            )
        return mapping.header
    names = {_folded(name) for name in mapping.names()}
    if mapping.has_header is False or not names:
        if names:
            raise FileRefusedError(
                "The mapping names columns of a header but has no header; use indexes instead."
            )
        return None
    for number, row in enumerate(table[:FIRST]):
        if names <= {_folded(cell) for cell in row.cells}:
            return number
    raise FileRefusedError(
        f"No row of the file has the columns that the mapping names: {', '.join(map(quoted, mapping.names()))}."
    )


def index(column: Column, names: Sequence[str], body: Sequence[TableRow], role: str) -> int:
    """Return the index of a column; two columns of one name must have equal values."""
    if isinstance(column, int):
        widest = max((len(row.cells) for row in body), default=column + 1)
        if column >= max(widest, len(names)):
            raise FileRefusedError(
                f"{role} of the mapping is column {column}, and no row has that many columns."
            )
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
    """Return the columns named by one of a role's words, in the order of the words."""
    plains = [plain(name) for name in names]
    found = {}
    for role, accepted in words.items():
        order = _order_of(tuple(accepted))
        places = {
            number: order[plain] for number, plain in enumerate(map(_squeezed, plains)) if plain in order
        }
        found[role] = sorted(places, key=places.__getitem__)
    return found


@lru_cache(64)
def _order_of(words: tuple[str, ...]) -> Mapping[str, int]:
    return {_squeezed(word): place for place, word in reversed(list(enumerate(words)))}


def _squeezed(plain: str) -> str:
    """Return a name without its spaces: some banks write RunningBalance."""
    return plain.replace(" ", "")


def layouts_of(first: Sequence[TableRow]) -> list[str]:
    """Return the possible digests of a table's layout: without a header, then with each first row as header."""
    width = max((len(row.cells) for row in first), default=0)
    headers = [[_folded(cell) for cell in row.cells] for row in first]
    return [sha256(json.dumps(each).encode()).hexdigest() for each in ([str(width)], *headers)]


def columns_of(
    layout: Layout, mapping: TableMapping, layouts: Sequence[str], columns: Mapping[str, str] = COLUMNS
) -> Columns:
    """Return the full mapping that reads a table in the same way."""
    place = 0 if layout.header is None else layout.header + 1
    full: dict[str, object] = {"header": mapping.header_text or layout.header, **_choices(layout)}
    if mapping.encoding:
        full["encoding"] = mapping.encoding
    if "delimiter" in mapping.choices:
        full["delimiter"] = mapping.choices["delimiter"]
    keys = {role: key for key, role in columns.items()}
    full |= {keys[role]: column for role, column in layout.columns.items()}
    if layout.flag:
        words = layout.flag[1]
        neither = [sorted(words.neither)] if words.neither else []
        full["flag"] = [layout.flag[0], sorted(words.out), sorted(words.into), *neither]
    if layout.status:
        full["pending"] = [layout.status[0], *_status_words(layout.status[1])]
    if layout.leave_out:
        full["leaveOut"] = [layout.leave_out[0], sorted(layout.leave_out[1])]
    digest = layouts[place] if place < len(layouts) else ""
    chosen = tuple(replace(each, value=_named(layout, each)) for each in layout.chosen)
    return Columns(digest, tuple(layout.names), full, chosen)


def _named(layout: Layout, chosen: ChosenReading) -> object:
    """Return what was chosen as a mapping would say it: a column by its name, where no other has it."""
    value = chosen.value
    if chosen.key not in COLUMNS or not isinstance(value, int) or value >= len(layout.names):
        return value
    name = layout.names[value]
    return name if name and layout.names.count(name) == 1 else value


def _status_words(words: StatusWords) -> list[object]:
    if words.booked is None and len(words.pending) == 1:
        return [min(words.pending)]
    return [sorted(each) for each in words if each is not None]


def _choices(layout: Layout) -> dict[str, object]:
    choices: dict[str, object] = {
        "dateFormat": layout.date_format or None,
        "decimal": layout.decimal,
        "thousands": layout.thousands or None,
        "invert": layout.invert,
        "skipWithoutAmount": layout.skips_without_amount or None,
        "currency": layout.currency,
        "balanceIs": "before" if layout.balance_is_before else None,
        "chargesAre": layout.charges_are or None,
    }
    return {key: value for key, value in choices.items() if value is not None}


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
