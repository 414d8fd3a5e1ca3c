"""What an import of a file would do to the books, account by account, before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from webapp import importers
from webapp.importers.bank_files import BankFile, FileRefusedError, SkippedRow, StatedBalance
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import MAX_MINOR, Money
from webapp.models import FeedAccount, Organization
from webapp.services.imports.planning import batch_splits as batches
from webapp.services.imports.planning import choices as import_choices
from webapp.services.imports.planning import verdicts as import_lines
from webapp.services.imports.planning.accounts import Assignment, Target
from webapp.services.imports.planning.choices import NOTHING_SAID, Choices
from webapp.services.imports.planning.verdicts import PlannedLine


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that was read whole, before the books were asked; `measured` has its lines by account and currency."""

    file: BankFile
    measured: dict[tuple[str | None, str | None], list[PlannedLine]]

    @property
    def lines(self) -> int:
        """Count its lines."""
        return sum(len(statement.lines) for statement in self.file.statements)


@dataclass(slots=True)
class AccountPlan:
    """What a file says about one account, each line with its verdict."""

    target: Target
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
        """Give what the import keeps about the account (behaviour.md 2)."""
        booked = self.booked
        days = [line.line.booked_on for line in booked]
        # Of two on one day the last in the file is the close, so that it has to come first here.
        closing = max(reversed(self.closings), key=_place, default=None)
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
            "first_date": _iso(min(days, default=None)),
            "last_date": _iso(max(days, default=None)),
            "opening_balance": str(self.opening[0]) if self.opening else None,
            "opening_date": _iso(self.opening[1].day) if self.opening else None,
            "closing_balance": str(closing[0]) if closing else None,
            "closing_date": _iso(closing[1].day) if closing else None,
        }


@dataclass(slots=True)
class Plan:
    """What an import of a file would do."""

    organization_id: str
    file: BankFile
    accounts: list[AccountPlan]
    warnings: list[str]

    @property
    def added(self) -> int:
        """Count the lines that come into the books."""
        return sum(len(account.added) for account in self.accounts)


def read(data: bytes, mapping: dict[str, object] | None = None) -> Reading:
    """Read a file as far as that needs no books, so that nobody waits for it; raises FileRefusedError."""
    file = importers.read(data, mapping=mapping)
    grouped: dict[tuple[str | None, str | None], list[Any]] = {}
    for statement in file.statements:
        if statement.currency is not None:
            grouped.setdefault((statement.external_id, statement.currency), []).append(statement)
    measured = {key: import_lines.measured(statements, key[1] or "") for key, statements in grouped.items()}
    return Reading(file, measured)


def plan(
    organization: Organization,
    reading: Reading,
    chosen: FeedAccount | None,
    choices: Choices = NOTHING_SAID,
) -> Plan:
    """Judge a file against the books as they are now; raises FileRefusedError where it cannot come in.

    Choices that do not fit it raise NotDoubtfulError or AccountChoiceError.
    """
    assignment = Assignment(organization, reading.file, chosen, choices)
    warnings = [*reading.file.warnings, *assignment.warnings]
    accounts = [_account(target, reading, warnings) for target in assignment.targets]
    for account in accounts:
        feed_account = account.target.feed_account
        account.lines, said = batches.judge(account.lines, feed_account, reading.file.format)
        warnings += said
        _refuse_too_large(account)
    _attribute(reading.file.skipped, accounts)
    import_choices.decide(accounts, choices)
    possible = sum(line.verdict == "POSSIBLY_THERE" for account in accounts for line in account.lines)
    if possible:
        warnings.append(
            f"{possible:,} of the lines may be there already from another source; look at them before confirming."
        )
    return Plan(organization.id, reading.file, accounts, warnings)


def _refuse_too_large(account: AccountPlan) -> None:
    """Refuse lines whose sum 64 bits cannot hold, for no balance could be told after them."""
    if sum(abs(line.amount_minor) for line in account.lines) > MAX_MINOR:
        raise FileRefusedError(f"The lines of {account.target.name} add up to more than the books can hold.")


def _account(target: Target, reading: Reading, warnings: list[str]) -> AccountPlan:
    openings = [_stated(each.opening, target, warnings) for each in target.statements if each.opening]
    closings = [_stated(each.closing, target, warnings) for each in target.statements if each.closing]
    return AccountPlan(target, _measured(target, reading), min(openings, key=_place, default=None), closings)


def _measured(target: Target, reading: Reading) -> list[PlannedLine]:
    """Take the lines as they were measured, or measure them now where only the books told their currency."""
    first = target.statements[0]
    key = first.external_id, first.currency
    found = reading.measured.get(key)
    if found is None or any((each.external_id, each.currency) != key for each in target.statements):
        found = import_lines.measured(target.statements, target.currency)
    return found


def _stated(balance: StatedBalance, target: Target, warnings: list[str]) -> tuple[Money, StatedBalance]:
    """Take a stated balance in the currency's digits; one that has more is rounded, and said so."""
    try:
        amount = Money.rounded(balance.amount, target.currency)
    except UnprocessableError as error:
        raise FileRefusedError(f"The balance of {target.name}: {error}") from None
    if amount.decimal != balance.amount:
        warnings.append(f"{target.name}: the balance {balance.amount:f} was rounded to {amount.said}.")
    return amount, balance


def _place(stated: tuple[Money, StatedBalance]) -> tuple[bool, str, bool, str]:
    """Order stated balances by day and time, unknown ones first."""
    day, at = stated[1].day, stated[1].stated_at
    return day is not None, _iso(day) or "", at is not None, at.isoformat() if at else ""


def _attribute(skipped: Iterable[SkippedRow], accounts: Sequence[AccountPlan]) -> None:
    """Count each skipped row with the account whose lines it stands among, the first where it stands before all."""
    if not accounts:
        return
    begins = [(min((line.line.row for line in account.lines), default=0), account) for account in accounts]
    for row in skipped:
        before = [pair for pair in begins if pair[0] <= row.row]
        (max(before, key=lambda pair: pair[0])[1] if before else accounts[0]).skipped.append(row)


def _row(each: PlannedLine | SkippedRow) -> int:
    return each.row if isinstance(each, SkippedRow) else each.line.row


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
