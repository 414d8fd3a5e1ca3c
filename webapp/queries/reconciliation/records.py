"""Records of reconciliations in full: a proof as it was frozen and whether it still holds, or a draft with its sums."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from webapp.ledger.money import Money, total
from webapp.ledger.proofs.proofs import Item
from webapp.models import Reconciliation
from webapp.queries.common.records import record_of
from webapp.queries.imports import statement_files
from webapp.queries.reconciliation import proof_breaks, reconciliations, verdicts
from webapp.queries.reconciliation.break_causes import BrokenBy
from webapp.queries.reconciliation.hub import draft_record
from webapp.queries.reconciliation.proof_breaks import BreakRecord


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """An item as a proof freezes it."""

    transaction_id: int | None
    journal_entry_id: int | None
    provider_transaction_id: str | None
    booked_on: date
    amount: Money


@dataclass(frozen=True, slots=True)
class ReconciliationRecord:
    """A draft or proof; `holds`, `digest` and what follows from completion are none while it is a draft.

    A reopened proof keeps its frozen figures; its `holds` is none too.
    """

    id: int
    organization_id: str
    fa_id: int
    status: str
    currency: str
    statement_date: date
    statement_balance: Money
    opening_balance: Money
    opening_date: date | None
    keep_as_new: bool
    opening_entry_id: int | None
    cleared_balance: Money
    difference: Money
    cleared_count: int
    in_count: int
    in_sum: Money
    out_count: int
    out_sum: Money
    ledger_balance: Money
    outstanding: list[ItemRecord]
    in_transit: list[ItemRecord]
    lines: list[ItemRecord]
    version: int
    opened_at: datetime
    opened_by: Mapping[str, Any]
    reopened_from_id: int | None
    previous_id: int | None
    previous_digest: str | None
    document_id: int | None
    statement_digest: str | None
    file_digests: list[str]
    head: Mapping[str, Any] | None
    digest: str | None
    holds: bool | None
    broken_by: BrokenBy | None
    history: list[BreakRecord]
    completed_at: datetime | None
    completed_by: Mapping[str, Any] | None
    reopened_at: datetime | None
    reopened_by: Mapping[str, Any] | None
    reopen_reason: str | None


def record(reconciliation: Reconciliation) -> ReconciliationRecord:
    """Give the record of one reconciliation."""
    figures = _of_draft(reconciliation) if reconciliation.status == "DRAFT" else _of_proof(reconciliation)
    # An item of 0.00 counts as money in.
    money_in = [line.amount for line in figures["lines"] if line.amount.minor >= 0]
    money_out = [line.amount for line in figures["lines"] if line.amount.minor < 0]
    return record_of(
        ReconciliationRecord,
        reconciliation,
        fa_id=reconciliation.feed_account_id,
        document_id=statement_files.document_id_of(reconciliation),
        history=proof_breaks.history(reconciliation),
        in_count=len(money_in),
        in_sum=total(money_in, reconciliation.currency),
        out_count=len(money_out),
        out_sum=total(money_out, reconciliation.currency),
        **figures,
    )


def _of_draft(draft: Reconciliation) -> dict[str, Any]:
    account = draft.feed_account
    anchor = reconciliations.anchor_of(account)
    ready = reconciliations.readiness(account, draft, anchor)
    now = draft_record(draft, anchor, ready.sums)
    rows = reconciliations.open_lines(account, draft, is_cleared=True)
    return {
        "opening_balance": now.opening_balance,
        "cleared_balance": now.cleared_balance,
        "difference": now.difference,
        "cleared_count": now.cleared_count,
        "ledger_balance": Money(ready.books.ledger_balance_minor, draft.currency),
        "lines": _item_records(reconciliations.as_items(rows), draft.currency),
        "outstanding": _item_records(ready.books.outstanding, draft.currency),
        "in_transit": _item_records(ready.books.in_transit, draft.currency),
        "previous_digest": None if anchor is None else anchor.digest,
        "statement_digest": statement_files.statement_digest(draft),
        "file_digests": statement_files.file_digests(draft),
        "head": None,
        "holds": None,
        "broken_by": None,
    }


def _of_proof(proof: Reconciliation) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(proof.frozen or "{}")
    verdict = None
    if proof.status == "COMPLETED":
        verdict = verdicts.of_proofs(proof.organization_id, [proof])[proof.id]
    return {
        "opening_balance": Money.of(document["openingBalance"], proof.currency),
        "cleared_balance": proof.statement_balance,
        "difference": Money.zero(proof.currency),
        "cleared_count": len(document["lines"]),
        "ledger_balance": Money.of(document["ledgerBalance"], proof.currency),
        "lines": _frozen_items(document["lines"], proof.currency),
        "outstanding": _frozen_items(document["outstanding"], proof.currency),
        "in_transit": _frozen_items(document["inTransit"], proof.currency),
        "previous_digest": document["previousDigest"],
        "statement_digest": document.get("statementDigest"),
        "file_digests": document.get("fileDigests", []),
        "head": document.get("head"),
        "holds": None if verdict is None else verdict.holds,
        "broken_by": None if verdict is None else verdict.broken_by,
    }


def _frozen_items(frozen: Sequence[Mapping[str, Any]], currency: str) -> list[ItemRecord]:
    return [
        ItemRecord(
            each["transactionId"],
            each["journalEntryId"],
            each["providerTransactionId"],
            date.fromisoformat(each["bookedOn"]),
            Money.of(each["amount"], currency),
        )
        for each in frozen
    ]


def _item_records(items: Sequence[Item], currency: str) -> list[ItemRecord]:
    return [record_of(ItemRecord, item, amount=Money(item.amount_minor, currency)) for item in items]
