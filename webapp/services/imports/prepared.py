"""An import made ready while nobody waits for it: judged in a snapshot of the books, counted and laid down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count
from typing import Any

import sqlalchemy as sa

from webapp.importers.bank_files import FileRefusedError, SkippedRow, StatedBalance
from webapp.ledger.money import Money
from webapp.models import Organization
from webapp.queries.audit import book_moves
from webapp.services.imports.planning.lines import PlannedLine
from webapp.services.imports.planning.records import AccountPlan, Plan, Target
from webapp.services.imports.progress import STEP, Progress, silent
from webapp.services.ingestion import new_lines, staging
from webapp.services.ingestion import rules as line_rules
from webapp.services.ingestion.line import NewLine
from webapp.services.ingestion.new_lines import LineTooLargeError, Mirrors
from webapp.services.ingestion.rules import Asking, LineRules
from webapp.services.ingestion.staging import StagedLine, StagedVerdict


@dataclass(frozen=True, slots=True)
class ReadyAccount:
    """What is written about an account beside its lines; `still_pending` are lines there that the file has again.

    `twins` are the lines that the feed gave, or may have given.
    """

    target: Target
    said: dict[str, Any]
    closings: list[tuple[Money, StatedBalance]]
    still_pending: frozenset[int]
    twins: list[PlannedLine]

    def as_json(self) -> dict[str, Any]:
        """Give what the import keeps about the account, which is opened by now (behaviour.md 2)."""
        return {**self.said, "fa_id": self.target.fa_id}


@dataclass(slots=True)
class _Waiting:
    """The lines of an account until they are laid down."""

    plan: AccountPlan
    lines: list[PlannedLine]
    mirrors: Mirrors


class ReadyImport:
    """A judged file; `last_act` is the last thing that had happened to the books."""

    def __init__(self, plan: Plan, organization: Organization, progress: Progress = silent) -> None:
        """Take what is written out of a plan; the transaction is the snapshot in which it was judged."""
        self.format = plan.file.format
        self.columns = plan.file.columns
        self.warnings = plan.warnings
        self.added = plan.added
        self.last_act = book_moves.last_act(organization.id)
        self.accounts = [_ready(account) for account in plan.accounts]
        self._waiting = [_waiting(account, organization) for account in plan.accounts]
        self.rules = line_rules.for_trigger(organization, "TRANSACTION_INGESTED")
        days = [each.line.booked_on for waiting in self._waiting for each in waiting.lines]
        self._asking = [_asking(self.rules, waiting, days) for waiting in self._waiting]
        self._base_currency = organization.base_currency
        self._progress = progress
        numbers = count()
        for waiting in self._waiting:
            for line in waiting.lines:
                line.number = next(numbers)

    def as_json(self) -> list[dict[str, Any]]:
        """Give what the import keeps about its accounts."""
        return [account.as_json() for account in self.accounts]

    def stage(self, connection: sa.Connection) -> None:
        """Lay the lines and verdicts down on a connection, and let go of them; once. Raises FileRefusedError."""
        staging.stage(connection, self._told(self._lines()), self._verdicts(), self.rules.choices)
        self._waiting, self.rules.choices = [], []

    def _lines(self) -> Iterator[StagedLine]:
        for batch, waiting in enumerate(self._waiting):
            first = waiting.lines[0].number if waiting.lines else 0
            lines = map(_new_line, waiting.lines)
            try:
                yield from new_lines.staged(
                    lines, waiting.mirrors, batch=batch, first=first or 0, asking=self._asking[batch]
                )
            except LineTooLargeError as error:
                row = waiting.lines[error.index].line.row
                raise FileRefusedError(f"Line {row} in {self._base_currency}: {error}") from None

    def _told(self, lines: Iterable[StagedLine]) -> Iterator[StagedLine]:
        total = sum(len(waiting.lines) for waiting in self._waiting)
        for done, line in enumerate(lines):
            if done % STEP == 0:
                self._progress("writing", done, total)
            yield line
        self._progress("writing", total, total)

    def _verdicts(self) -> Iterator[StagedVerdict]:
        positions = count()
        for waiting in self._waiting:
            for each, position in zip(waiting.plan.rows(), positions, strict=False):
                yield _verdict(position, each)


def _ready(account: AccountPlan) -> ReadyAccount:
    """Take out of a plan what is written beside its lines; the target is kept without them too."""
    account.target.statements = [replace(each, lines=()) for each in account.target.statements]
    known = (line.known_id for line in account.lines if line.line.pending)
    still_pending = frozenset(each for each in known if each is not None)
    twins = [line for line in account.lines if line.twin is not None]
    return ReadyAccount(account.target, account.as_json(), account.closings, still_pending, twins)


def _waiting(account: AccountPlan, organization: Organization) -> _Waiting:
    pending = [line for line in account.lines if line.line.pending and line.known_id is None]
    lines = [*account.added, *pending, *(line for line in account.lines if line.is_twin)]
    days = [line.line.booked_on for line in lines]
    return _Waiting(account, lines, new_lines.mirrors(organization, account.target.currency, days))


def _asking(rules: LineRules, waiting: _Waiting, days: Sequence[date]) -> Asking | None:
    """Let rules be asked of an account's lines; one that the file opens is named by no rule yet."""
    feed_account = waiting.plan.target.feed_account
    return rules.asking(waiting.mirrors.currency, None if feed_account is None else feed_account.id, days)


def _new_line(planned: PlannedLine) -> NewLine:
    line = planned.line
    return NewLine(
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
        is_pending=line.pending,
        is_joined=planned.is_twin,
    )


def _verdict(position: int, each: PlannedLine | SkippedRow) -> StagedVerdict:
    if isinstance(each, SkippedRow):
        return StagedVerdict(position, each.row, "SKIPPED", each.reason, each.text, None, None)
    return StagedVerdict(position, each.line.row, each.verdict, each.reason, None, each.known_id, each.number)
