"""The rows of the table: what is asked, how often at once, and what is promised of it beside a greeting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from benchmarks.serving.books import Books

Measure = Literal["rate", "p50"]
MANY, ONE = 8, 1
HELLO: Final = "/"


@dataclass(frozen=True)
class Row:
    """A request: in its path and body {n} is any number and {next} the next one; others are of the books.

    A `rate` is to be at least `must` times a greeting's, a `p50` at most so many times a greeting's; `p99` is the most
    for the slowest. `server` names who answers; `confirms` says that the next number is a line that waits.
    """

    name: str
    path: str
    measure: Measure
    must: float
    stretch: float
    p99: float | None = None
    body: str | None = None
    server: Literal["books", "own hello"] = "books"
    confirms: bool = False

    @property
    def clients(self) -> int:
        """How many ask at once."""
        return MANY if self.measure == "rate" else ONE

    def path_in(self, books: Books) -> str:
        """Give the path with the ids of books."""
        words = {
            "fa": books.fa_id,
            "account": books.account_id,
            "day": books.as_of,
            "n": "{n}",
            "next": "{next}",
        }
        return self.path.format(**words)

    def is_held(self, ratio: float) -> bool:
        """Tell whether a ratio to the greeting keeps what is promised."""
        return ratio >= self.must if self.measure == "rate" else ratio <= self.must


# What a request costs without its view: 1.25 times a greeting is a rate of 0.8.
FIXED: Final = (
    Row("our server, plain greeting", HELLO, "rate", 0.95, 1.1, server="own hello"),
    Row("nothing behind the whole stack", "/api/nothing", "rate", 0.80, 0.87),
)
READS: Final = (
    Row("G5 journal entry", "/api/journal-entries/{n}", "rate", 0.45, 0.55, p99=2.5),
    Row("G6 hub", "/api/reconciliations/accounts", "rate", 0.40, 0.55, p99=2.0),
    Row(
        "G7 hub as of a day",
        "/api/reconciliations/accounts?providerBalanceAsOf={day}",
        "rate",
        0.35,
        0.50,
    ),
    Row("G14 register, first page", "/api/accounts/{account}/postings", "rate", 0.25, 0.35),
    Row("G14 register, deep page", "/api/accounts/{account}/postings?to=2025-01-01", "rate", 0.25, 0.35),
    Row("G17 list of 50 lines", "/api/transactions?faId={fa}", "rate", 0.15, 0.25),
    Row("G13 trial balance", "/api/reports/trial-balance", "p50", 8, 5),
    Row("G13 balance sheet", "/api/reports/balance-sheet", "p50", 8, 5),
)
