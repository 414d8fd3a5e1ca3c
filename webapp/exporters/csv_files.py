"""CSV: a row per posting; texts are quoted and guarded against formulas, figures are neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from webapp.exporters.books import BookAccount, BookEntry, BookLeg, ExportedBook
from webapp.ledger.exchange.controls import without_controls
from webapp.ledger.exchange.guards import guarded

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


def write(book: ExportedBook) -> Iterator[str]:
    """Yield the rows of the book, with RFC 4180's line ends and quotes."""
    accounts = {account.id: account for account in book.accounts}
    yield row(HEAD)
    for entry in book.entries:
        for leg in entry.legs:
            yield row(_cells(entry, leg, accounts[leg.account_id]))


def _cells(entry: BookEntry, leg: BookLeg, account: BookAccount) -> tuple[object, ...]:
    return (
        entry.id,
        entry.number,
        entry.day,
        entry.status,
        entry.source,
        entry.voids_id,
        entry.corrects_id,
        entry.description,
        account.code,
        account.name,
        account.type,
        leg.amount,
        leg.amount.currency,
        leg.base,
        leg.base.currency,
        leg.merchant,
        leg.project,
    )


def row(cells: Sequence[object]) -> str:
    """Write a row of RFC 4180: texts quoted and guarded, other values as they are, nothing for None.

    >>> print(row(("a;=1", 'A "b" c', -12, None)).strip())
    "a;'=1","A ""b"" c",-12,
    """
    return ",".join(map(_cell, cells)) + "\r\n"


def _cell(cell: object) -> str:
    if isinstance(cell, str):
        text = guarded(without_controls(cell)).replace('"', '""')
        return f'"{text}"'
    return "" if cell is None else str(cell)
