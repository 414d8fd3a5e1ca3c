"""Tables that move books in from other programs: charts of accounts, opening balances, open items, journals."""

from collections.abc import Mapping

from webapp.importers.book_tables.columns import KINDS
from webapp.importers.book_tables.rows import BookTable, StatedAccount, StatedPosting, table_of
from webapp.importers.records import record_layouts

__all__ = ["KINDS", "BookTable", "StatedAccount", "StatedPosting", "read"]


def read(data: bytes, kind: str, mapping: Mapping[str, object] | None = None) -> BookTable:
    """Read the rows of a file of a kind in KINDS, all or none of them.

    Missing keys of the mapping are found from the file. MappingNeededError asks for the others;
    FileRefusedError says what is wrong, with row, column and value.
    """
    return table_of(record_layouts.read(data, KINDS[kind], mapping), kind)
