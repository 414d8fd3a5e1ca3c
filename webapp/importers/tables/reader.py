"""The reader of CSV and TSV, by a mapping of the columns or by detection of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Final

from webapp.importers.bank_files import (
    BankFile,
    FileRefusedError,
    MappingNeededError,
    StatedBalance,
    Statement,
)
from webapp.importers.decoding import wide_encoding
from webapp.importers.tables.detection import has_header, layout_of
from webapp.importers.tables.layouts import Layout, columns_of, layouts_of, placed
from webapp.importers.tables.lines import TableEntry, TableReader
from webapp.importers.tables.mappings import TableMapping, checked_mapping
from webapp.importers.tables.rows import TableRow, delimiters, is_table, rows, text_of
from webapp.importers.tables.samples import TableSample, sample_of
from webapp.importers.tables.vocabulary import plain

# So many rows are enough to find the delimiter and the header.
FIRST: Final = 60
_HEAD: Final = 256 * 1024

# Whether the first rows of a table are ones that a mapping can read.
Readable = Callable[[Sequence[TableRow], TableMapping], bool]
Groups = Mapping[tuple[str | None, str | None], list[TableEntry]]


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
    entries, skipped = TableReader(table, layout, may_shift=bank_format == "csv").entries()
    is_clear = layout.flag or layout.is_signed or "debit" in layout.columns
    if not (mapping.has_date_and_amount or mapping.invert is not None or is_clear):
        entries = _signed(entries, table, layout)
    statements, warnings = _statements(_grouped(entries), has_balance_column="balance" in mapping.columns)
    if not entries:
        warnings.append("The file has no transaction, so there is nothing to import.")
    columns = columns_of(layout, mapping, layouts or layouts_of(table[:FIRST]))
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


def _grouped(entries: Sequence[TableEntry]) -> Groups:
    """Return the entries of each account and currency, in the order of the file."""
    groups: dict[tuple[str | None, str | None], list[TableEntry]] = {}
    for entry in entries:
        groups.setdefault((entry.account, entry.currency), []).append(entry)
    return groups


def _signed(entries: list[TableEntry], table: Sequence[TableRow], layout: Layout) -> list[TableEntry]:
    """Return the amounts with the sign that the file confirms; raises FileRefusedError if nothing does.

    Banks write money out with a minus, many card issuers write purchases without one. The running balance confirms
    the sign; else a plus before every amount in, or that most lines are negative.
    """
    groups = [[entry for entry in group if not entry.line.pending] for group in _grouped(entries).values()]
    groups = [group for group in groups if group]
    holds, holds_inverted = confirms_sign(groups, 1), confirms_sign(groups, -1)
    if holds_inverted and not holds:
        layout.invert = True
        return [replace(entry, line=replace(entry.line, amount=-entry.line.amount)) for entry in entries]
    column = layout.columns["amount"]
    texts = {row.number: row.cell(column) for row in table}
    unsigned = [entry.line for entry in entries if entry.line.amount >= 0]
    is_marked = any(line.amount for line in unsigned) and all("+" in texts[line.row] for line in unsigned)
    # A net amount, after fees, is always from the account holder's view.
    is_marked = is_marked or plain(layout.names[column]).startswith("net")
    into = sum(entry.line.amount > 0 for entry in entries)
    out = sum(entry.line.amount < 0 for entry in entries)
    if entries and not (holds and not holds_inverted) and not is_marked and out <= into:
        raise MappingNeededError(
            "It is unknown whether an amount without a minus is money in or money out; choose in the mapping:"
            ' {"invert": false} for money in, {"invert": true} for money out.',
            "invert",
            example=next((texts[line.row] for line in unsigned), ""),
        )
    return entries


def _statements(groups: Groups, *, has_balance_column: bool) -> tuple[tuple[Statement, ...], list[str]]:
    statements, warnings = [], []
    for (account, currency), entries in groups.items():
        opening, closing, warning = _balances(entries, has_balance_column=has_balance_column)
        warnings += [warning] if warning else []
        lines = tuple(entry.line for entry in entries)
        statements.append(Statement(account, currency, lines, opening=opening, closing=closing))
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


@dataclass(frozen=True, slots=True)
class Chain:
    """Entries, oldest first, and how many of their balances agree with the previous balance and the amount."""

    entries: Sequence[TableEntry]
    agreeing: int
    broken: TableEntry | None


def chain(entries: Sequence[TableEntry], sign: int = 1) -> Chain:
    """Check the balances of entries; some may have none."""
    running: Decimal | None = None
    agreeing, broken = 0, None
    for entry in entries:
        if running is not None:
            running += sign * entry.line.amount
        if entry.balance is None:
            continue
        if running is not None:
            agreeing += running == entry.balance
            broken = broken or (entry if running != entry.balance else None)
        running = entry.balance
    return Chain(entries, agreeing, broken)


def ordered(entries: Sequence[TableEntry], sign: int = 1) -> Chain | None:
    """Return the chain in date order; if all dates are equal, the chain that agrees, or None."""
    forward, backward = chain(entries, sign), chain(entries[::-1], sign)
    first, last = entries[0].line.booked_on, entries[-1].line.booked_on
    if first != last:
        likely, other = (forward, backward) if first < last else (backward, forward)
        return other if likely.broken and not other.broken else likely
    holding = [each for each in (forward, backward) if not each.broken]
    return holding[0] if holding else None


def confirms_sign(groups: Sequence[Sequence[TableEntry]], sign: int) -> bool:
    """Return whether the balances of every account agree with amounts of this sign, and there are enough of them."""
    agreeing = 0
    for entries in groups:
        found = ordered(entries, sign)
        if found is None or found.broken:
            return False
        agreeing += found.agreeing
    return agreeing > 0


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
