"""The reader of CSV and TSV, by a mapping of the columns or by detection of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from typing import Final, Literal

from webapp.importers.bank_files import (
    BankFile,
    FileRefusedError,
    StatedBalance,
    Statement,
)
from webapp.importers.decoding import wide_encoding
from webapp.importers.tables.bank_layouts import bank_layout
from webapp.importers.tables.detection import has_header, layout_of
from webapp.importers.tables.layouts import columns_of, layouts_of, placed
from webapp.importers.tables.lines import TableEntry, TableReader
from webapp.importers.tables.mappings import TableMapping, checked_mapping
from webapp.importers.tables.rows import TableRow, delimiters, is_table, rows, text_of
from webapp.importers.tables.samples import TableSample, sample_of
from webapp.importers.tables.signs import (
    Chain,
    Ends,
    Groups,
    balances_after,
    contradicts_sign,
    grouped,
    ordered,
    owed_below_zero,
    signed,
    with_charges,
    without_balances,
)

# So many rows are enough to find the delimiter and the header.
FIRST: Final = 60
_HEAD: Final = 256 * 1024

# Whether the first rows of a table are ones that a mapping can read.
Readable = Callable[[Sequence[TableRow], TableMapping], bool]


def recognises(data: bytes) -> bool:
    """Return whether the bytes are text in rows of cells; used after all other formats."""
    return is_table(data)


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:
    """Read a whole CSV file, or raise FileRefusedError.

    Missing keys of the mapping (behaviour.md 2) are found from the file; if that is ambiguous, MappingNeededError
    asks for them.
    """
    checked = checked_mapping(mapping)
    table = table_of(data, checked)
    return file_of(table, checked, layouts=layouts(data))


def sample(data: bytes, mapping: Mapping[str, object] | None = None) -> TableSample:
    """Return the first rows of a file; raises FileRefusedError if it has none."""
    checked = checked_mapping(mapping)
    return sample_of(table_of(head(data), checked), checked)


def table_of(data: bytes, mapping: TableMapping, readable: Readable | None = None) -> list[TableRow]:
    """Split a file into rows, by the mapping's delimiter or the one that gives a readable table."""
    return _table(text_of(data, mapping.encoding), mapping, readable or is_readable)


def layouts(data: bytes) -> Sequence[str]:
    """Return the possible digests of the table's layout, which find a stored mapping for a later file.

    The first is that of a table without a header, the others have one of the first rows as the header. The likeliest
    encoding and delimiter are used, because the mapping is not known yet.
    """
    text = text_of(head(data), None)
    likely = delimiters(text, None)
    try:
        return layouts_of(list(islice(rows(text, likely[0]), FIRST))) if likely else ()
    except FileRefusedError:
        return ()


def head(data: bytes) -> bytes:
    """Return the first lines, cut without splitting a line or a character of two bytes."""
    if len(data) <= _HEAD:
        return data
    head = data[:_HEAD].rpartition(b"\n")[0] or data[:_HEAD]
    return head[: len(head) // 2 * 2] if wide_encoding(head) else head


def file_of(
    table: Sequence[TableRow], mapping: TableMapping, *, bank_format: str = "csv", layouts: Sequence[str] = ()
) -> BankFile:
    """Read the rows of a table of CSV or XLSX, or raise FileRefusedError."""
    mapping = placed(mapping, table)
    layout = layout_of(table, mapping)
    reader = TableReader(table, layout, may_shift=bank_format == "csv")
    entries, skipped = reader.entries()
    has_lines = bool(entries)
    is_clear = layout.flag or layout.is_signed or "debit" in layout.columns
    if not (mapping.has_date_and_amount or mapping.invert is not None or is_clear):
        entries = signed(entries, reader.stated, table, layout)
    if "charges" in layout.columns:
        entries = with_charges(entries, layout)
    if not (mapping.has_date_and_amount or "balanceIs" in mapping.choices):
        entries = balances_after(entries, layout)
    entries, owed = owed_below_zero(entries, layout)
    groups, ends, gone = without_balances(grouped(entries), reader)
    skipped = sorted((*skipped, *gone), key=lambda row: row.row)
    statements, warnings = _statements(
        groups, ends, layout.names, has_balance_column="balance" in mapping.columns
    )
    warnings += owed
    if not has_lines:
        warnings.append("The file has no transaction, so there is nothing to import.")
    columns = columns_of(layout, mapping, layouts or layouts_of(table[:FIRST]))
    if not layout.flag and mapping.invert is not None and contradicts_sign(entries):
        columns = replace(columns, contradicted=("invert",))
    return BankFile(bank_format, statements, tuple(warnings), tuple(skipped), columns)


def _table(text: str, mapping: TableMapping, readable: Readable) -> list[TableRow]:
    """Split the text into rows by the mapping's delimiter, or by the first that gives a readable table."""
    refusal = None
    first = None
    for mark in delimiters(text, mapping.choices.get("delimiter")):
        try:
            table = list(rows(text, mark))
        except FileRefusedError as error:
            refusal = refusal or error
            continue
        if "delimiter" in mapping.choices or readable(table, mapping):
            return table
        first = first or table
    if first is None:
        raise refusal or FileRefusedError("The file has no columns; it is not a CSV file.")
    return first


def is_readable(table: Sequence[TableRow], mapping: TableMapping) -> bool:
    """Return whether the first rows have a known header, or lines in the mapping's columns."""
    if not (mapping.has_date_and_amount or mapping.header_text):
        return has_header(table)
    try:
        mapping = placed(mapping, table)
        first = table[: (mapping.header or 0) + FIRST]
        return bool(TableReader(first, layout_of(first, mapping)).entries()[0])
    except FileRefusedError:
        return False


def _statements(
    groups: Groups, ends: Ends, names: Sequence[str], *, has_balance_column: bool
) -> tuple[tuple[Statement, ...], list[str]]:
    statements, warnings = [], []
    known = bank_layout(names)
    kind: Literal["BANK", "CARD"] = "CARD" if known and known.is_of_cards else "BANK"
    for (account, currency), entries in groups.items():
        opening, closing, warning = _balances(entries, has_balance_column=has_balance_column)
        if opening is closing is None:
            opening, closing = ends.get((account, currency), (None, None))
        warnings += [warning] if warning else []
        lines = tuple(entry.line for entry in entries)
        statements.append(Statement(account, currency, lines, kind, opening=opening, closing=closing))
    return tuple(statements), warnings


def _balances(
    entries: Sequence[TableEntry], *, has_balance_column: bool
) -> tuple[StatedBalance | None, StatedBalance | None, str | None]:
    """Return the opening and closing balance of an account's lines, and a warning if the running balance disagrees."""
    booked = [entry for entry in entries if not entry.line.pending]
    if not any(entry.balance is not None for entry in booked):
        return None, None, None
    chain = ordered(booked)
    warning = None
    if chain is None or chain.broken:
        row = chain.broken.line.row if chain and chain.broken else booked[-1].line.row
        warning = f"Row {row:,}: the running balance does not follow from the lines before it; a line may be missing."
    if chain is None or (warning and not has_balance_column):
        return None, None, warning
    return *opening_and_closing(chain), warning


def opening_and_closing(found: Chain) -> tuple[StatedBalance | None, StatedBalance | None]:
    """Return the balance before the first entry and the one after the last, as the balance column states them."""
    days = [entry.line.booked_on for entry in found.entries]
    before = Decimal(0)
    opening = None
    for entry in found.entries:
        before += entry.line.amount
        if entry.balance is not None:
            opening = StatedBalance(entry.balance - before, min(days))
            break
    last = found.entries[-1].balance
    return opening, None if last is None else StatedBalance(last, max(days))
