"""The body of a push as it is loaded, and its incoming lines with their verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import TypedDict

from webapp.ledger.matching.joins import LineReport
from webapp.ledger.matching.lines import BankLine, details_of
from webapp.ledger.matching.pushed_lines import PushedLine, digest_of
from webapp.models import FeedAccount, Organization
from webapp.queries.matching.feed_lines import FeedEvent
from webapp.services.feeds.feed_lines import LastEvent

DELETED_REASON = "Somebody deleted this line; it stays deleted."


class BalanceBody(TypedDict):
    """A balance as PushedBalanceSchema loads it."""

    amount: Decimal | None
    currency: str | None
    as_of: date | datetime | None


class PushBody(TypedDict):
    """A push as PushSchema loads it; `removed` are provider ids, all lines pending up to `pending_until` are in it."""

    batch_id: str
    added: Sequence[PushedLine]
    modified: Sequence[PushedLine]
    removed: Sequence[str]
    balance: BalanceBody | None
    pending_until: date | None


@dataclass(frozen=True, slots=True)
class PushContext:
    """The feed account, time and act of a push, which ids it brings and removes, and the runs of rules in it."""

    organization: Organization
    feed_account: FeedAccount
    now: datetime
    act_id: str
    brought: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    run_ids: list[int] = field(default_factory=list)


@dataclass(slots=True)
class IncomingLine:
    """A line of a push with its verdict; `row_id` is its own row, `line_id` the line in the books that it is.

    `earlier` is the last event of its id. A late line is as the bank had it before a change; one that
    is returned was removed. `sent_id` is its id in the push, also where another one stands for it.
    """

    line: PushedLine
    amount_minor: int
    is_modified: bool
    digest: bytes = b""
    verdict: str = ""
    reason: str = ""
    row_id: int | None = None
    line_id: int | None = None
    earlier: FeedEvent | None = None
    is_late: bool = False
    is_returned: bool = False
    sent_id: str = ""

    def __post_init__(self) -> None:
        self.digest = digest_of(self.line, self.amount_minor)
        self.sent_id = self.line.provider_transaction_id

    def decide(self, verdict: str, line_id: int | None, reason: str = "") -> None:
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
        """Return whether the bank booked a line under the id that it was pending under."""
        return self.earlier is not None and self.earlier.is_pending and not self.line.pending

    @property
    def last_event(self) -> LastEvent:
        """The event to store under its id."""
        was_modified = self.earlier is not None and self.earlier.event == "MODIFIED"
        return LastEvent(
            self.line.provider_transaction_id,
            self.row_id,
            "MODIFIED" if self.is_modified or was_modified else "ADDED",
            self.line.pending,
            self.digest,
            self.line.pending_transaction_id,
        )

    @property
    def facts(self) -> BankLine:
        """The line's fields that come from the bank."""
        line = self.line
        return BankLine(
            line.booked_on,
            self.amount_minor,
            line.description,
            line.counterparty,
            line.iban,
            line.reference,
            line.value_on,
            line.provider_transaction_id,
            details=details_of(line),
        )
