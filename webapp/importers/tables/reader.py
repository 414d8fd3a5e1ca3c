"""CSV and TSV: the tables that banks export, read by a mapping of their columns or by what they say themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from webapp.importers.bank_files import AskedError, BankFile, FileRefusedError, StatedBalance, Statement
from webapp.importers.tables import balances
from webapp.importers.tables.detection import has_header, layout_of
from webapp.importers.tables.glimpses import Glimpse, glimpse_of
from webapp.importers.tables.layouts import Layout, columns_of, layouts_of
from webapp.importers.tables.lines import Entry, Reader
from webapp.importers.tables.mappings import Told, told
from webapp.importers.tables.rows import Row, delimiters, looks_like_a_table, rows, text_of
from webapp.importers.tables.words import plain

# So many rows show whether a mark parts the cells.
FIRST: Final = 60
_HEAD: Final = 256 * 1024

Groups = Mapping[tuple[str | None, str | None], list[Entry]]


def recognises(data: bytes) -> bool:
    """Tell whether the bytes are a text in rows of cells; asked last, after every format with a mark of its own."""
    return looks_like_a_table(data)


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:
    """Read a whole CSV file, or raise FileRefusedError.

    What the mapping (behaviour.md 2) leaves open is found in the file; where that is not certain it is asked for.
    """
    says = told(mapping)
    table = table_of(data, says)
    return file_of(table, says, layouts=layouts(data))


def glimpse(data: bytes, mapping: Mapping[str, object] | None = None) -> Glimpse:
    """Look at the first rows of a file; raises FileRefusedError where it has none."""
    says = told(mapping)
    return glimpse_of(table_of(_head(data), says)[:FIRST], says)


def table_of(data: bytes, says: Told) -> list[Row]:
    """Part a file into its rows, as a mapping tells or as they make sense."""
    return _table(text_of(data, says.encoding), says)


def layouts(data: bytes) -> Sequence[str]:
    """Give what a table is known by when another of its layout comes, for each of the first rows as the header.

    The first stands for a table of as many columns without a header. Encoding and mark are taken as they seem
    likeliest, whatever a mapping tells, so that a file is known before its mapping is.
    """
    text = text_of(_head(data), None)
    likely = delimiters(text, None)
    try:
        return layouts_of(list(islice(rows(text, likely[0]), FIRST))) if likely else ()
    except FileRefusedError:
        return ()


def _head(data: bytes) -> bytes:
    """The first lines, cut where neither a line nor a character of two bytes is parted."""
    if len(data) <= _HEAD:
        return data
    head = data[:_HEAD].rpartition(b"\n")[0] or data[:_HEAD]
    return head[: len(head) // 2 * 2] if head[:2] in {b"\xff\xfe", b"\xfe\xff"} else head


def file_of(
    table: Sequence[Row], says: Told, *, bank_format: str = "csv", layouts: Sequence[str] = ()
) -> BankFile:
    """Read the rows of a table, whatever they were kept in, or raise FileRefusedError."""
    layout = layout_of(table, says)
    entries, skipped = Reader(table, layout, may_shift=bank_format == "csv").entries()
    is_clear = layout.flag or layout.is_signed or "debit" in layout.columns
    if not (says.names_the_money or says.invert is not None or is_clear):
        entries = _signed(entries, table, layout)
    statements, warnings = _statements(_grouped(entries), is_told="balance" in says.columns)
    if not entries:
        warnings.append("The file holds no transaction, so there is nothing to import.")
    columns = columns_of(layout, says, layouts or layouts_of(table[:FIRST]))
    return BankFile(bank_format, statements, tuple(warnings), tuple(skipped), columns)


def _table(text: str, says: Told) -> list[Row]:
    """Part the text into rows by the mark that is told, or by the first under which the header makes sense."""
    refusal = None
    first = None
    for mark in delimiters(text, says.choices.get("delimiter")):
        try:
            table = list(rows(text, mark))
        except FileRefusedError as error:
            refusal = refusal or error
            continue
        if "delimiter" in says.choices or makes_sense(table, says):
            return table
        first = first or table
    if first is None:
        raise refusal or FileRefusedError("The file has no columns; it is no CSV file.")
    return first


def makes_sense(table: Sequence[Row], says: Told) -> bool:
    """Tell whether the first rows have a header that is known, or lines where the mapping says."""
    if not says.names_the_money:
        return has_header(table)
    first = table[: (says.header or 0) + FIRST]
    try:
        return bool(Reader(first, layout_of(first, says)).entries()[0])
    except FileRefusedError:
        return False


def _grouped(entries: Sequence[Entry]) -> Groups:
    """The entries of each account and currency, as the file first names them."""
    groups: dict[tuple[str | None, str | None], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.account, entry.currency), []).append(entry)
    return groups


def _signed(entries: list[Entry], table: Sequence[Row], layout: Layout) -> list[Entry]:
    """Take the amounts with the sign that the file proves; raises FileRefusedError where nothing proves one.

    Banks write money out with a minus, many cards write what was bought without one. The running balance knows;
    else a plus before every amount in, or that most lines of an account are payments.
    """
    groups = [[entry for entry in group if not entry.line.pending] for group in _grouped(entries).values()]
    groups = [group for group in groups if group]
    holds, holds_inverted = balances.proves(groups, 1), balances.proves(groups, -1)
    if holds_inverted and not holds:
        layout.invert = True
        return [replace(entry, line=replace(entry.line, amount=-entry.line.amount)) for entry in entries]
    column = layout.columns["amount"]
    texts = {row.number: row.cell(column) for row in table}
    unsigned = [entry.line for entry in entries if entry.line.amount >= 0]
    is_marked = any(line.amount for line in unsigned) and all("+" in texts[line.row] for line in unsigned)
    # What is left of a payment and its fee is the holder's, whatever else a file leaves open.
    is_marked = is_marked or plain(layout.names[column]).startswith("net")
    into = sum(entry.line.amount > 0 for entry in entries)
    out = sum(entry.line.amount < 0 for entry in entries)
    if entries and not (holds and not holds_inverted) and not is_marked and out <= into:
        raise AskedError(
            "Nothing in the file tells whether an amount without a minus is money in or money out; say so in the"
            ' mapping, {"invert": false} for money in or {"invert": true} for money out.',
            "invert",
            example=next((texts[line.row] for line in unsigned), ""),
        )
    return entries


def _statements(groups: Groups, *, is_told: bool) -> tuple[tuple[Statement, ...], list[str]]:
    statements, warnings = [], []
    for (account, currency), entries in groups.items():
        opening, closing, warning = _balances(entries, is_told=is_told)
        warnings += [warning] if warning else []
        lines = tuple(entry.line for entry in entries)
        statements.append(Statement(account, currency, lines, opening=opening, closing=closing))
    return tuple(statements), warnings


def _balances(
    entries: Sequence[Entry], *, is_told: bool
) -> tuple[StatedBalance | None, StatedBalance | None, str | None]:
    """The balances before and after the lines of an account, and a sentence where they do not follow."""
    booked = [entry for entry in entries if not entry.line.pending]
    if not any(entry.balance is not None for entry in booked):
        return None, None, None
    chain = balances.ordered(booked)
    warning = None
    if chain is None or chain.broken:
        row = chain.broken.line.row if chain and chain.broken else booked[-1].line.row
        warning = f"Row {row:,}: the running balance does not follow from the lines before it; a line may be missing."
    if chain is None or (warning and not is_told):
        return None, None, warning
    return *balances.stated(chain), warning
