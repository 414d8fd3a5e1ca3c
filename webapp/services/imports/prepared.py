"""An import prepared while nobody waits for the books: compared with a snapshot of them, counted and staged."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count
from typing import Any

import sqlalchemy as sa

from webapp.importers.bank_files import FileRefusedError, SkippedRow, StatedBalance
from webapp.ledger.matching.lines import BankLine, state_of_new
from webapp.ledger.money import Money
from webapp.models import Organization
from webapp.queries.audit import book_moves
from webapp.services.imports.planning.records import AccountPlan, Plan, PlannedLine, TargetAccount
from webapp.services.imports.progress import STEP, Progress, silent
from webapp.services.ingestion import new_lines, staging
from webapp.services.ingestion import rules as line_rules
from webapp.services.ingestion.new_lines import LineTooLargeError, Mirrors
from webapp.services.ingestion.rules import AccountRules, LineRules
from webapp.services.ingestion.staging import StagedVerdict


@dataclass(frozen=True, slots=True)
class ReadyAccount:
    """What is written about an account beside its lines; `still_pending` are pending lines that the file has again.

    `duplicates` are the lines that the feed gave, or may have given.
    """

    target: TargetAccount
    summary: dict[str, Any]
    closings: list[tuple[Money, StatedBalance]]
    still_pending: frozenset[int]
    duplicates: list[PlannedLine]

    def as_json(self) -> dict[str, Any]:
        """Give what the import stores about the account, which is opened by now (behaviour.md 2)."""
        return {**self.summary, "fa_id": self.target.fa_id}


@dataclass(slots=True)
class _AccountLines:
    """The lines of an account that are to be staged."""

    plan: AccountPlan
    lines: list[PlannedLine]
    mirrors: Mirrors


class ReadyImport:
    """A file compared with the books; `last_act` is the newest act of the books then."""

    def __init__(self, plan: Plan, organization: Organization, progress: Progress = silent) -> None:
        """Take from a plan what is to be written; the transaction is the snapshot that it was compared with."""
        self.format = plan.file.format
        self.columns = plan.file.columns
        self.closed = plan.closed
        self.warnings = plan.all_warnings
        self.added = plan.added
        added = [(each.target.currency, line) for each in plan.accounts for line in each.added]
        self.days_added = [line.line.booked_on for _, line in added]
        self.sums_added: dict[str, int] = {}
        for currency, line in added:
            self.sums_added[currency] = self.sums_added.get(currency, 0) + line.amount_minor
        self.last_act = book_moves.last_act(organization.id)
        self.accounts = [_ready_account(account) for account in plan.accounts]
        self._account_lines = [_account_lines(account, organization) for account in plan.accounts]
        self.rules = line_rules.for_trigger(organization, "TRANSACTION_INGESTED")
        days = [each.line.booked_on for account in self._account_lines for each in account.lines]
        self._account_rules = [_account_rules(self.rules, account, days) for account in self._account_lines]
        self._base_currency = organization.base_currency
        self._progress = progress
        numbers = count()
        for account in self._account_lines:
            for line in account.lines:
                line.number = next(numbers)

    def as_json(self) -> list[dict[str, Any]]:
        """Give what the import stores about its accounts."""
        return [account.as_json() for account in self.accounts]

    def stage(self, connection: sa.Connection) -> None:
        """Stage the lines and verdicts on a connection, and forget them; once. Raises FileRefusedError."""
        lines = self._reported(self._lines())
        staging.stage(connection, lines, self.rules.legs, self.rules.staged(), self._verdicts())
        self._account_lines, self.rules.choices = [], {}

    def _lines(self) -> Iterator[BankLine]:
        for portion, account in enumerate(self._account_lines):
            first = account.lines[0].number if account.lines else 0
            lines = map(_new_line, account.lines)
            try:
                yield from new_lines.staged_lines(
                    lines,
                    account.mirrors,
                    portion=portion,
                    first=first or 0,
                    rules=self._account_rules[portion],
                )
            except LineTooLargeError as error:
                row = account.lines[error.index].line.row
                raise FileRefusedError(f"Line {row} in {self._base_currency}: {error}") from None

    def _reported(self, lines: Iterable[BankLine]) -> Iterator[BankLine]:
        total = sum(len(account.lines) for account in self._account_lines)
        for done, line in enumerate(lines):
            if done % STEP == 0:
                self._progress("writing", done, total)
            yield line
        self._progress("writing", total, total)

    def _verdicts(self) -> Iterator[StagedVerdict]:
        positions = count()
        for account in self._account_lines:
            for each, position in zip(account.plan.rows(), positions, strict=False):
                yield _verdict(position, each)


def _ready_account(account: AccountPlan) -> ReadyAccount:
    """Take from a plan what is written beside its lines; the target's statements are kept without lines."""
    account.target.statements = [replace(each, lines=()) for each in account.target.statements]
    existing = (line.existing_id for line in account.lines if line.line.pending)
    still_pending = frozenset(each for each in existing if each is not None)
    duplicates = [line for line in account.lines if line.duplicate is not None]
    return ReadyAccount(account.target, account.as_json(), account.closings, still_pending, duplicates)


def _account_lines(account: AccountPlan, organization: Organization) -> _AccountLines:
    pending = [line for line in account.lines if line.line.pending and line.existing_id is None]
    lines = [*account.added, *pending, *(line for line in account.lines if line.is_duplicate)]
    days = [line.line.booked_on for line in lines]
    return _AccountLines(account, lines, new_lines.mirrors(organization, account.target.currency, days))


def _account_rules(rules: LineRules, account: _AccountLines, days: Sequence[date]) -> AccountRules | None:
    """Prepare the rules for an account's lines; no rule names an account that the file opens."""
    feed_account = account.plan.target.feed_account
    return rules.for_account(
        account.mirrors.currency, None if feed_account is None else feed_account.id, days
    )


def _new_line(planned: PlannedLine) -> BankLine:
    line = planned.line
    return BankLine(
        provider_transaction_id=line.provider_transaction_id,
        booked_on=line.booked_on,
        value_on=line.value_on,
        amount_minor=planned.amount_minor,
        description=line.description,
        counterparty=line.counterparty,
        reference=line.reference,
        iban=line.iban,
        line_key=planned.key.digest,
        occurrence=planned.key.occurrence,
        state=state_of_new(is_pending=line.pending, is_joined=planned.is_duplicate),
        details=line.details,
    )


def _verdict(position: int, each: PlannedLine | SkippedRow) -> StagedVerdict:
    if isinstance(each, SkippedRow):
        return StagedVerdict(position, each.row, "SKIPPED", each.reason, each.text, None, None)
    return StagedVerdict(
        position, each.line.row, each.verdict, each.reason, None, each.existing_id, each.number
    )
