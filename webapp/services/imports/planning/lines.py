"""A line of a file as an import plans it: its exact amount, its key, and the verdict on it."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.importers.bank_files import StatementLine
from webapp.ledger.matching.joins import Pairing
from webapp.ledger.matching.lines import LineKey

ADDED = frozenset({"NEW", "POSSIBLY_THERE"})


@dataclass(slots=True)
class PlannedLine:
    """A line of a file and what becomes of it; `known_id` is the line that it is already, if it is one.

    `number` is its place among the lines that wait to be written (services/ingestion/staging.py).
    `twin` is the line of another source that it is, or may be.
    """

    line: StatementLine
    amount_minor: int
    key: LineKey
    verdict: str = "NEW"
    known_id: int | None = None
    reason: str = ""
    number: int | None = None
    twin: Pairing | None = None

    @property
    def is_twin(self) -> bool:
        """Tell whether it is certainly a line that the feed gave, and only another report of it."""
        return self.twin is not None and self.twin.is_certain

    @property
    def is_added(self) -> bool:
        """Tell whether it comes into the books as a new booked line."""
        return self.verdict in ADDED
