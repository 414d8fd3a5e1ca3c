"""A line of a push on its way to a verdict, and the feed that it comes by."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from webapp.ledger.matching.joins import LineReport
from webapp.ledger.matching.pushed_lines import PushedLine, digest_of
from webapp.models import FeedAccount, Organization
from webapp.queries.matching.feed_lines import SaidLine
from webapp.services.feeds.feed_lines import Word
from webapp.services.transactions.bank_changes import Facts

DELETED_REASON = "Somebody deleted this line; it stays deleted."


@dataclass(frozen=True, slots=True)
class Feeding:
    """Whose feed is taken, into which account, when, by which act; which ids its batch gives and takes back."""

    organization: Organization
    feed_account: FeedAccount
    now: datetime
    act_id: str
    repeated: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()


@dataclass(slots=True)
class Judged:
    """A line of a push and what becomes of it; `row_id` is its own row, `line_id` the line in the books that it is.

    A late one says how the line was before it changed.
    """

    line: PushedLine
    amount_minor: int
    is_modified: bool
    digest: bytes = b""
    verdict: str = ""
    reason: str = ""
    row_id: int | None = None
    line_id: int | None = None
    said: SaidLine | None = None
    is_late: bool = False

    def __post_init__(self) -> None:
        self.digest = digest_of(self.line, self.amount_minor)

    def settle(self, verdict: str, line_id: int | None, reason: str = "") -> None:
        """Give the line its verdict."""
        self.verdict, self.line_id, self.reason = verdict, line_id, reason

    @property
    def report(self) -> LineReport:
        """The line as joins compare it; one that has no row yet goes by a negative number."""
        line = self.line
        return LineReport(
            self.row_id or 0, line.booked_on, self.amount_minor, line.description, line.counterparty
        )

    @property
    def is_booked_now(self) -> bool:
        """Tell whether the bank booked a line under the id that it was pending under."""
        return self.said is not None and self.said.is_pending and not self.line.pending

    @property
    def word(self) -> Word:
        """What is remembered of it."""
        was_modified = self.said is not None and self.said.said == "MODIFIED"
        return Word(
            self.line.provider_transaction_id,
            self.row_id,
            "MODIFIED" if self.is_modified or was_modified else "ADDED",
            self.line.pending,
            self.digest,
            self.line.pending_id,
        )

    @property
    def facts(self) -> Facts:
        """What the bank says of it."""
        line = self.line
        return Facts(
            line.booked_on,
            line.value_on,
            self.amount_minor,
            line.description,
            line.counterparty,
            line.reference,
            line.iban,
        )
