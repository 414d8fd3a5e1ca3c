"""What an import of a file would do, as records: the reading, its lines and accounts, and the whole plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from webapp.importers.bank_files import BankFile, FileLine, SkippedRow, StatedBalance, Statement
from webapp.ledger.matching.joins import Pairing
from webapp.ledger.matching.lines import LineKey
from webapp.ledger.money import Money
from webapp.models import FeedAccount
from webapp.services.accounts.feed_accounts import Opening

ADDED = frozenset({"NEW", "POSSIBLY_THERE"})


def iso(day: date | None) -> str | None:
    """Write a day as JSON has it."""
    return day.isoformat() if day else None


def place(stated: tuple[Money, StatedBalance]) -> tuple[bool, str, bool, str]:
    """Order stated balances by day and time, unknown ones first."""
    day, at = stated[1].day, stated[1].stated_at
    return day is not None, iso(day) or "", at is not None, at.isoformat() if at else ""


def _row(each: PlannedLine | SkippedRow) -> int:
    return each.row if isinstance(each, SkippedRow) else each.line.row


@dataclass(slots=True)
class PlannedLine:
    """A line of a file and the verdict on it; `existing_id` is the stored line that it is, if it is one.

    `number` is its number among the staged lines (services/ingestion/staging.py).
    `duplicate` pairs it with the line of another source that it is, or may be.
    """

    line: FileLine
    amount_minor: int
    key: LineKey
    verdict: str = "NEW"
    existing_id: int | None = None
    reason: str = ""
    number: int | None = None
    duplicate: Pairing | None = None

    @property
    def is_duplicate(self) -> bool:
        """Return whether it is certainly another report of a line that the feed gave."""
        return self.duplicate is not None and self.duplicate.is_certain

    @property
    def is_added(self) -> bool:
        """Return whether it is imported as a new booked line."""
        return self.verdict in ADDED


@dataclass(slots=True)
class TargetAccount:
    """The feed account of statements in a file; without a `feed_account` it is yet to be opened.

    With `takes_number` the account had no number until this file brought one; with `is_decided` the file's number
    decides the feed account, so that nobody can choose. `named` is the account as the file names it, and `opening`
    what it opens with. `question` asks a person which of the `candidates` it is, or a new one.
    """

    currency: str
    external_id: str | None
    name: str
    feed_account: FeedAccount | None = None
    statements: list[Statement] = field(default_factory=list)
    takes_number: bool = False
    is_decided: bool = False
    named: tuple[str | None, str | None] = (None, None)
    type: str | None = None
    opening: Opening | None = None
    question: str = ""
    candidates: list[FeedAccount] = field(default_factory=list)

    @property
    def fa_id(self) -> int | None:
        """The feed account's id, if there is one already."""
        return self.feed_account.id if self.feed_account else None


@dataclass(slots=True)
class AccountPlan:
    """The lines of one account in a file, each with its verdict, and the balances that the file states."""

    target: TargetAccount
    lines: list[PlannedLine]
    opening: tuple[Money, StatedBalance] | None
    closings: list[tuple[Money, StatedBalance]]
    skipped: list[SkippedRow] = field(default_factory=list)

    @property
    def booked(self) -> list[PlannedLine]:
        """The lines that the bank has booked."""
        return [line for line in self.lines if not line.line.pending]

    @property
    def added(self) -> list[PlannedLine]:
        """The lines that come into the books."""
        return [line for line in self.lines if line.is_added]

    def rows(self) -> list[PlannedLine | SkippedRow]:
        """The lines and the skipped rows, in the order of the file."""
        rows: list[PlannedLine | SkippedRow] = [*self.lines, *self.skipped]
        return sorted(rows, key=_row)

    def as_json(self) -> dict[str, Any]:
        """Give what the import stores about the account (behaviour.md 2)."""
        booked = self.booked
        days = [line.line.booked_on for line in booked]
        # Of two on one day the last in the file is the close, so that it has to come first here.
        closing = max(reversed(self.closings), key=place, default=None)
        return {
            "fa_id": self.target.fa_id,
            "external_id": self.target.external_id,
            "name": self.target.name,
            "currency": self.target.currency,
            "added": len(self.added),
            "already_there": len(booked) - len(self.added),
            "pending": len(self.lines) - len(booked),
            "skipped": len(self.skipped),
            "sum": str(Money(sum(line.amount_minor for line in booked), self.target.currency)),
            "first_date": iso(min(days, default=None)),
            "last_date": iso(max(days, default=None)),
            "opening_balance": str(self.opening[0]) if self.opening else None,
            "opening_date": iso(self.opening[1].day) if self.opening else None,
            "closing_balance": str(closing[0]) if closing else None,
            "closing_date": iso(closing[1].day) if closing else None,
            "question": self.target.question,
        }


@dataclass(slots=True)
class Plan:
    """What an import of a file would do; of `closed` days it warns by a code and a sentence."""

    organization_id: str
    file: BankFile
    accounts: list[AccountPlan]
    warnings: list[str]
    closed: list[tuple[str, str]]

    @property
    def all_warnings(self) -> list[str]:
        """The warnings of the file, and those of closed days."""
        return [*self.warnings, *(sentence for _, sentence in self.closed)]

    @property
    def added(self) -> int:
        """Count the lines that come into the books."""
        return sum(len(account.added) for account in self.accounts)


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that was read whole, without the books; `measured` has its lines by account and currency."""

    file: BankFile
    measured: dict[tuple[str | None, str | None], list[PlannedLine]]

    @property
    def lines(self) -> int:
        """Count its lines."""
        return sum(len(statement.lines) for statement in self.file.statements)
