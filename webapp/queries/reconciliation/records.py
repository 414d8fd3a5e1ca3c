"""A reconciliation in full: a proof as it was frozen and whether it still holds, or a draft as it stands now."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from webapp.ledger.money import Money, total
from webapp.ledger.proofs.proofs import Item
from webapp.models import Reconciliation
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

    A reopened proof keeps what it froze, and claims nothing any more: its `holds` is none too.
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
    """Tell all about one reconciliation."""
    facts = _of_draft(reconciliation) if reconciliation.status == "DRAFT" else _of_proof(reconciliation)
    return ReconciliationRecord(
        id=reconciliation.id,
        organization_id=reconciliation.organization_id,
        fa_id=reconciliation.feed_account_id,
        status=reconciliation.status,
        currency=reconciliation.currency,
        statement_date=reconciliation.statement_date,
        statement_balance=reconciliation.statement_balance,
        opening_date=reconciliation.opening_date,
        keep_as_new=reconciliation.keep_as_new,
        opening_entry_id=reconciliation.opening_entry_id,
        version=reconciliation.version,
        opened_at=reconciliation.opened_at,
        opened_by=reconciliation.opened_by,
        reopened_from_id=reconciliation.reopened_from_id,
        previous_id=reconciliation.previous_id,
        digest=reconciliation.digest,
        completed_at=reconciliation.completed_at,
        completed_by=reconciliation.completed_by,
        reopened_at=reconciliation.reopened_at,
        reopened_by=reconciliation.reopened_by,
        reopen_reason=reconciliation.reopen_reason,
        history=proof_breaks.history(reconciliation),
        **_totals(facts["lines"], reconciliation.currency),
        **facts,
    )


def _totals(lines: Sequence[ItemRecord], currency: str) -> dict[str, Any]:
    """Add up money in and money out; an item of 0.00 counts as money in."""
    ins = [line.amount for line in lines if line.amount.minor >= 0]
    outs = [line.amount for line in lines if line.amount.minor < 0]
    return {
        "in_count": len(ins),
        "in_sum": total(ins, currency),
        "out_count": len(outs),
        "out_sum": total(outs, currency),
    }


def _of_draft(draft: Reconciliation) -> dict[str, Any]:
    account = draft.feed_account
    anchor = reconciliations.anchor_of(account)
    ready = reconciliations.readiness(account, draft, anchor)
    now = draft_record(draft, anchor, ready.sums)
    rows = [row for row in reconciliations.open_lines(account, draft) if row.is_cleared]
    return {
        "opening_balance": now.opening_balance,
        "cleared_balance": now.cleared_balance,
        "difference": now.difference,
        "cleared_count": now.cleared_count,
        "ledger_balance": Money(ready.books.ledger_balance_minor, draft.currency),
        "lines": _told(reconciliations.as_items(rows), draft.currency),
        "outstanding": _told(ready.books.outstanding, draft.currency),
        "in_transit": _told(ready.books.in_transit, draft.currency),
        "previous_digest": None if anchor is None else anchor.digest,
        "holds": None,
        "broken_by": None,
    }


def _of_proof(proof: Reconciliation) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(proof.frozen or "{}")
    verdict = None
    if proof.status == "COMPLETED":
        verdict = verdicts.verdicts(proof.organization_id, [proof])[proof.id]
    return {
        "opening_balance": Money.of(document["openingBalance"], proof.currency),
        "cleared_balance": proof.statement_balance,
        "difference": Money.zero(proof.currency),
        "cleared_count": len(document["lines"]),
        "ledger_balance": Money.of(document["ledgerBalance"], proof.currency),
        "lines": _read(document["lines"], proof.currency),
        "outstanding": _read(document["outstanding"], proof.currency),
        "in_transit": _read(document["inTransit"], proof.currency),
        "previous_digest": document["previousDigest"],
        "holds": None if verdict is None else verdict.holds,
        "broken_by": None if verdict is None else verdict.broken_by,
    }


def _read(written: Sequence[Mapping[str, Any]], currency: str) -> list[ItemRecord]:
    return [
        ItemRecord(
            each["transactionId"],
            each["journalEntryId"],
            each["providerTransactionId"],
            date.fromisoformat(each["bookedOn"]),
            Money.of(each["amount"], currency),
        )
        for each in written
    ]


def _told(items: Sequence[Item], currency: str) -> list[ItemRecord]:
    return [
        ItemRecord(
            item.transaction_id,
            item.journal_entry_id,
            item.provider_transaction_id,
            item.booked_on,
            Money(item.amount_minor, currency),
        )
        for item in items
    ]
