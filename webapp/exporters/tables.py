"""A table of typed cells as CSV: figures and days keep their form, and no text becomes a formula."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from webapp.exporters.csv_files import row as csv_row
from webapp.ledger.money import Money

Cell = str | Money | date | int | None


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
    yield csv_row(table.heads).encode()
    for row in table.rows:
        yield csv_row(row).encode()
