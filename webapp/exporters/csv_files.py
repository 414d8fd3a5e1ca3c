"""CSV: a row for each posting; text that a spreadsheet could take for a formula is guarded, figures are not."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterator
from typing import Final

from webapp.exporters.books import BookAccount, BookEntry, BookLeg, ExportedBook

HEAD: Final = (
    "entry",
    "number",
    "day",
    "status",
    "source",
    "voids",
    "corrects",
    "description",
    "accountCode",
    "accountName",
    "accountType",
    "amount",
    "currency",
    "amountBase",
    "baseCurrency",
    "merchant",
    "project",
)
_FORMULA: Final = tuple("=+-@\t\r\n\0")


def write(book: ExportedBook) -> Iterator[str]:
    """Give the book row by row, in UTF-8 with RFC 4180's line ends and quotes."""
    accounts = {account.id: account for account in book.accounts}
    yield _row(HEAD)
    for entry in book.entries:
        for leg in entry.legs:
            yield _row(_cells(entry, leg, accounts[leg.account_id]))


def _cells(entry: BookEntry, leg: BookLeg, account: BookAccount) -> tuple[object, ...]:
    return (
        entry.id,
        entry.number,
        entry.day,
        entry.status,
        entry.source,
        entry.voids_id,
        entry.corrects_id,
        guarded(entry.description),
        guarded(account.code or ""),
        guarded(account.name),
        account.type,
        leg.amount,
        leg.amount.currency,
        leg.base,
        leg.base.currency,
        guarded(leg.merchant or ""),
        guarded(leg.project or ""),
    )


def guarded(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula, also behind spaces or in full width.

    >>> [guarded(text) for text in ("=1+1", "  @SUM(A1)", "\uff1dcmd", "-12.50", "Rent", "'=1")]
    ["'=1+1", "'  @SUM(A1)", "'\uff1dcmd", "'-12.50", 'Rent', "'=1"]
    """
    first = unicodedata.normalize("NFKC", text.lstrip(" \u00a0\u3000")[:1])
    return f"'{text}" if first.startswith(_FORMULA) else text


def _row(cells: tuple[object, ...]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
