"""The page of a proof: its frozen figures and lines with their texts, and whether it still holds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money, total
from webapp.ledger.proofs.equations import BOOKED
from webapp.models import (
    JournalEntry,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.common.records import record_of
from webapp.queries.imports import statement_files
from webapp.queries.imports.statement_files import NamedFile
from webapp.queries.reconciliation import proof_breaks, reconciliations, verdicts
from webapp.queries.reconciliation.computed_verdicts import Verdict
from webapp.queries.reconciliation.proof_breaks import BreakRecord
from webapp.queries.reconciliation.statement_items import StatementItem


@dataclass(frozen=True, slots=True)
class ProofPage:
    """The figures and lines of a proof."""

    id: int
    fa_id: int
    statement_date: date
    statement_balance: Money
    opening_balance: Money
    opening_on: date | None
    cleared_balance: Money
    keep_as_new: bool
    currency: str
    in_count: int
    in_sum: Money
    out_count: int
    out_sum: Money
    completed_at: datetime | None
    completed_by: Mapping[str, Any] | None
    digest: str | None
    holds: bool
    reopened_at: datetime | None
    reopened_by: Mapping[str, Any] | None
    reopen_reason: str | None
    lines: list[StatementItem]
    lines_sum: Money
    ledger_balance: Money
    outstanding: list[StatementItem]
    in_transit: list[StatementItem]
    history: list[BreakRecord]
    files: list[NamedFile]


def proof_page(proof: Reconciliation) -> ProofPage:
    """Give the page of a proof."""
    frozen: dict[str, Any] = json.loads(proof.frozen or "{}")
    currency = proof.currency
    named = _Texts(proof.organization_id, [*frozen["lines"], *frozen["outstanding"], *frozen["inTransit"]])
    lines = [named.line(each, currency) for each in frozen["lines"]]
    ins = [line.amount for line in lines if line.amount.minor >= 0]
    outs = [line.amount for line in lines if line.amount.minor < 0]
    lines_sum = total((line.amount for line in lines), currency)
    opening = Money.of(frozen["openingBalance"], currency)
    return record_of(
        ProofPage,
        proof,
        fa_id=proof.feed_account_id,
        opening_balance=opening,
        opening_on=proof.opening_date if proof.keep_as_new else _day_before(proof),
        cleared_balance=opening + lines_sum,
        currency=currency,
        in_count=len(ins),
        in_sum=total(ins, currency),
        out_count=len(outs),
        out_sum=total(outs, currency),
        holds=verdict_of(proof).holds if proof.status == "COMPLETED" else False,
        lines=lines,
        lines_sum=lines_sum,
        ledger_balance=Money.of(frozen["ledgerBalance"], currency),
        outstanding=[named.line(each, currency) for each in frozen["outstanding"]],
        in_transit=[named.line(each, currency) for each in frozen["inTransit"]],
        history=proof_breaks.history(proof),
        files=statement_files.named(proof, frozen.get("statementDigest"), frozen.get("fileDigests", [])),
    )


def verdict_of(proof: Reconciliation) -> Verdict:
    """Give the verdict on one proof."""
    return verdicts.of_proofs(proof.organization_id, [proof])[proof.id]


def is_newest(proof: Reconciliation) -> bool:
    """Return whether a proof can be reopened: it is the newest standing one."""
    anchor = reconciliations.anchor_of(proof.feed_account)
    return anchor is not None and anchor.id == proof.id


@dataclass(frozen=True, slots=True)
class LineProof:
    """The standing proof that a line is cleared in.

    `line_is_posted` says whether an entry of the line counts in it, `line_alone` whether it is off by just this line.
    """

    id: int
    statement_date: date
    holds: bool
    line_is_posted: bool
    line_alone: bool


def of_line(line: Transaction) -> LineProof | None:
    """Find the standing proof that a line is cleared in."""
    proof = db.session.scalar(
        sa.select(Reconciliation)
        .join(ReconciliationItem, refers_to(ReconciliationItem.reconciliation_id, Reconciliation))
        .where(
            of_same_organization(Reconciliation, line),
            Reconciliation.status == "COMPLETED",
            ReconciliationItem.transaction_id == line.id,
            ReconciliationItem.is_standing,
        )
    )
    if proof is None:
        return None
    verdict, entry = verdict_of(proof), line.journal_entry
    return LineProof(
        proof.id,
        proof.statement_date,
        verdict.holds,
        line_is_posted=line.status == BOOKED and entry is not None and entry.status == "POSTED",
        line_alone=verdict.off_by_minor == line.amount_minor,
    )


def _day_before(proof: Reconciliation) -> date | None:
    """Give the day of the proof before this one: where its opening balance is from."""
    if proof.previous_id is None:
        return None
    return db.session.scalar(
        sa.select(Reconciliation.statement_date).where(
            of_same_organization(Reconciliation, proof), Reconciliation.id == proof.previous_id
        )
    )


class _Texts:
    """The texts of frozen items, which the digest leaves out."""

    def __init__(self, organization_id: str, items: Sequence[Mapping[str, Any]]) -> None:
        self._lines = lookups.by_id(Transaction, organization_id, {each["transactionId"] for each in items})
        self._entries = lookups.by_id(
            JournalEntry, organization_id, {each["journalEntryId"] for each in items}
        )

    def line(self, item: Mapping[str, Any], currency: str) -> StatementItem:
        """Give a frozen item with its texts."""
        line = self._lines.get(item["transactionId"])
        entry = self._entries.get(item["journalEntryId"])
        return StatementItem(
            transaction_id=item["transactionId"],
            journal_entry_id=item["journalEntryId"],
            booked_on=date.fromisoformat(item["bookedOn"]),
            description=line.description if line else entry.description if entry else "",
            amount=Money.of(item["amount"], currency),
            counterparty=line.counterparty if line else None,
        )
