"""A first look at a table: its first rows, and what its columns seem to be before anything of it is proved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from webapp.importers.tables.detection import ROLES, header_in
from webapp.importers.tables.layouts import roles
from webapp.importers.tables.mappings import COLUMNS, Told
from webapp.importers.tables.rows import Row


@dataclass(frozen=True, slots=True)
class Glimpse:
    """The first rows of a table; `header` is the index of its header among them, None where none is known.

    `columns` says by the mapping's keys (behaviour.md 2) where the header's words leave no choice. `sheets` are
    the names of a workbook's sheets; without rows it is still open which one is meant.
    """

    rows: tuple[Row, ...] = ()
    header: int | None = None
    columns: Mapping[str, int] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the columns, empty ones where there is no header."""
        named = self.rows[self.header].cells if self.header is not None else []
        width = max((len(row.cells) for row in self.rows), default=0)
        return [named[place] if place < len(named) else "" for place in range(width)]

    @property
    def body(self) -> tuple[Row, ...]:
        """The rows behind the header."""
        return self.rows if self.header is None else self.rows[self.header + 1 :]


def glimpse_of(first: Sequence[Row], says: Told) -> Glimpse:
    """Look at the first rows of a table, of which a mapping may say the header."""
    header = header_in(first) if says.header is None else says.header
    if says.has_header is False or (header is not None and header >= len(first)):
        header = None
    found = roles(first[header].cells, ROLES) if header is not None else {}
    keys = {role: key for key, role in COLUMNS.items()}
    columns = {keys[role]: places[0] for role, places in found.items() if len(places) == 1}
    if "amount" in columns or ("debit" in columns) != ("credit" in columns):
        columns = {key: place for key, place in columns.items() if key not in {"debit", "credit"}}
    return Glimpse(tuple(first), header, columns)
