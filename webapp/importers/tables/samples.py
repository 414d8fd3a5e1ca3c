"""A sample of a table: its first rows, and the likely roles of its columns by the names in its header."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.tables.detection import ROLES, header_in
from webapp.importers.tables.layouts import FIRST, placed, roles
from webapp.importers.tables.mappings import COLUMNS, TableMapping
from webapp.importers.tables.rows import TableRow

HeaderFinder = Callable[[Sequence[TableRow]], int | None]


@dataclass(frozen=True, slots=True)
class TableSample:
    """The first rows of a table; `header` is the index of its header among them, or None.

    `columns` are the columns with unambiguous names, by the mapping's keys (behaviour.md 2). `sheets` are the names
    of a workbook's sheets; without rows a person has yet to choose a sheet.
    """

    rows: tuple[TableRow, ...] = ()
    header: int | None = None
    columns: Mapping[str, int] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Return the names of the columns, empty ones without a header."""
        header = self.rows[self.header].cells if self.header is not None else []
        width = max((len(row.cells) for row in self.rows), default=0)
        return [header[place] if place < len(header) else "" for place in range(width)]

    @property
    def body(self) -> tuple[TableRow, ...]:
        """The rows behind the header."""
        return self.rows if self.header is None else self.rows[self.header + 1 :]


def sample_of(
    table: Sequence[TableRow],
    mapping: TableMapping,
    keys: Mapping[str, str] = COLUMNS,
    words: Mapping[str, Sequence[str]] = ROLES,
    header_in: HeaderFinder = header_in,
) -> TableSample:
    """Return the sample of a table's first rows; a mapping may set the header by its row or text.

    The words of each role find the columns; the mapping's `keys` name them.
    """
    # A text that no row begins with refuses the file, and the first rows show what to write instead.
    with contextlib.suppress(FileRefusedError):
        mapping = placed(mapping, table)
    begins = mapping.header or 0 if mapping.header_text else 0
    first = table[begins : begins + FIRST]
    header = header_in(first) if mapping.header is None else mapping.header - begins
    if mapping.has_header is False or (header is not None and header >= len(first)):
        header = None
    found = roles(first[header].cells, words) if header is not None else {}
    named = {role: key for key, role in keys.items()}
    columns = {named[role]: places[0] for role, places in found.items() if len(places) == 1}
    if "amount" in columns or ("debit" in columns) != ("credit" in columns):
        columns = {key: place for key, place in columns.items() if key not in {"debit", "credit"}}
    return TableSample(tuple(first), header, columns)
