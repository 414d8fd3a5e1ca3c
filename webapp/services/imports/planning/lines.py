"""A line of a file as an import plans it: its exact amount, its key, and the verdict on it."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.importers.bank_files import StatementLine
from webapp.ledger.matching.joins import Pairing
from webapp.ledger.matching.lines import LineKey

ADDED = frozenset({"NEW", "POSSIBLY_THERE"})


@dataclass(slots=True)
class PlannedLine:
    """A line of a file and the verdict on it; `existing_id` is the stored line that it is, if it is one.

    `number` is its number among the staged lines (services/ingestion/staging.py).
    `duplicate` pairs it with the line of another source that it is, or may be.
    """

    line: StatementLine
    amount_minor: int
    key: LineKey
    verdict: str = "NEW"
    existing_id: int | None = None
    reason: str = ""
    number: int | None = None
    duplicate: Pairing | None = None

    @property
    def is_duplicate(self) -> bool:
        """Tell whether it is certainly another report of a line that the feed gave."""
        return self.duplicate is not None and self.duplicate.is_certain

    @property
    def is_added(self) -> bool:
        """Tell whether it is imported as a new booked line."""
        return self.verdict in ADDED
