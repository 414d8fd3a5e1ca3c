"""CSV: a row per posting, and any table of typed cells; texts are guarded against formulas, figures stay."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from webapp.exporters.books import BookAccount, BookEntry, BookLeg, ExportedBook
from webapp.ledger.canonical import camel
from webapp.ledger.matching.lines import DETAILS
from webapp.ledger.money import Money
from webapp.ledger.texts.controls import guarded, without_controls

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
# What the bank states of a line stands on its bank leg.
DETAIL_HEADS: Final = {name: camel(name) for name in ("reference", *DETAILS)}
Cell = str | Money | date | int | None


def write(book: ExportedBook) -> Iterator[str]:
    """Yield the rows of the book, with RFC 4180's line ends and quotes."""
    accounts = {account.id: account for account in book.accounts}
    yield row((*HEAD, *DETAIL_HEADS.values()))
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
        *map(leg.details.get, DETAIL_HEADS),
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


@dataclass(frozen=True, slots=True)
class Table:
    """A title, column heads, and rows of cells that are read once."""

    title: str
    heads: Sequence[str]
    rows: Iterable[Sequence[Cell]]


def as_csv(table: Table) -> Iterator[bytes]:
    r"""Yield the rows of a table in UTF-8; amounts with a decimal point and without thousands, days as YYYY-MM-DD.

    >>> rows = [("=1+1", Money(-1250, "EUR"), date(2026, 3, 1), None)]
    >>> b"".join(as_csv(Table("Rents", ("Text", "Amount", "Day", "None"), rows))).decode().splitlines()
    ['"Text","Amount","Day","None"', '"\'=1+1",-12.50,2026-03-01,']
    """
    yield row(table.heads).encode()
    for cells in table.rows:
        yield row(cells).encode()
