"""A reconciliation in full: a proof as it was frozen and whether it still holds, or a draft as it stands now."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.money import Money
from webapp.ledger.proofs import Item
from webapp.models import JournalEntry, Reconciliation, Transaction
from webapp.queries import holds, reconciliations
from webapp.queries.culprits import BrokenBy
from webapp.queries.hub import draft_record


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """An item as a proof freezes it, with the words that a reader knows it by."""

    transaction_id: int | None
    journal_entry_id: int | None
    provider_transaction_id: str | None
    booked_on: date
    amount: Money
    description: str
    counterparty: str | None


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
    off_by: Money | None
    completed_at: datetime | None
    completed_by: Mapping[str, Any] | None
    reopened_at: datetime | None
    reopened_by: Mapping[str, Any] | None
    reopen_reason: str | None

    @property
    def money_in(self) -> list[ItemRecord]:
        """The cleared items that bring money in, one of 0.00 among them."""
        return [line for line in self.lines if line.amount.minor >= 0]

    @property
    def money_out(self) -> list[ItemRecord]:
        """The cleared items that take money out."""
        return [line for line in self.lines if line.amount.minor < 0]


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
        **facts,
    )


def _of_draft(draft: Reconciliation) -> dict[str, Any]:
    account = draft.feed_account
    anchor = reconciliations.anchor_of(account)
    ready = reconciliations.readiness(account, draft, anchor)
    now = draft_record(draft, anchor, ready.sums)
    rows = [row for row in reconciliations.open_lines(account, draft) if row.is_cleared]
    lines = reconciliations.as_items(draft.organization_id, rows)
    return {
        "opening_balance": now.opening_balance,
        "cleared_balance": now.cleared_balance,
        "difference": now.difference,
        "cleared_count": now.cleared_count,
        "ledger_balance": Money(ready.books.ledger_balance_minor, draft.currency),
        **_lists(draft, lines, ready.books.outstanding, ready.books.in_transit),
        "previous_digest": None if anchor is None else anchor.digest,
        "holds": None,
        "broken_by": None,
        "off_by": None,
    }


def _of_proof(proof: Reconciliation) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(proof.frozen or "{}")
    verdict = None
    if proof.status == "COMPLETED":
        verdict = holds.verdicts(proof.organization_id, [proof])[proof.id]
    lists = [_items(document[name], proof.currency) for name in ("lines", "outstanding", "inTransit")]
    is_off = verdict is not None and verdict.off_by_minor
    return {
        "opening_balance": Money.of(document["openingBalance"], proof.currency),
        "cleared_balance": proof.statement_balance,
        "difference": Money.zero(proof.currency),
        "cleared_count": len(document["lines"]),
        "ledger_balance": Money.of(document["ledgerBalance"], proof.currency),
        **_lists(proof, *lists),
        "previous_digest": document["previousDigest"],
        "holds": None if verdict is None else verdict.holds,
        "broken_by": None if verdict is None else verdict.broken_by,
        "off_by": Money(verdict.off_by_minor, proof.currency) if verdict is not None and is_off else None,
    }


def _items(written: Sequence[Mapping[str, Any]], currency: str) -> list[Item]:
    return [
        Item(
            each["transactionId"],
            each["journalEntryId"],
            each["providerTransactionId"],
            date.fromisoformat(each["bookedOn"]),
            Money.of(each["amount"], currency).minor,
        )
        for each in written
    ]


def _lists(
    statement: Reconciliation, lines: Sequence[Item], outstanding: Sequence[Item], in_transit: Sequence[Item]
) -> dict[str, list[ItemRecord]]:
    """Give items with the words of their line, else of their entry."""
    every = [*lines, *outstanding, *in_transit]
    words = _words(statement.organization_id, every)

    def told(items: Sequence[Item]) -> list[ItemRecord]:
        return [
            ItemRecord(
                item.transaction_id,
                item.journal_entry_id,
                item.provider_transaction_id,
                item.booked_on,
                Money(item.amount_minor, statement.currency),
                *words.get(item.key, ("", None)),
            )
            for item in items
        ]

    return {"lines": told(lines), "outstanding": told(outstanding), "in_transit": told(in_transit)}


def _words(
    organization_id: str, items: Sequence[Item]
) -> dict[tuple[str, int | None], tuple[str, str | None]]:
    lines = {item.transaction_id for item in items} - {None}
    entries = {item.journal_entry_id for item in items if item.transaction_id is None} - {None}
    found: dict[tuple[str, int | None], tuple[str, str | None]] = {}
    for line_id, description, counterparty in db.session.execute(
        sa.select(Transaction.id, Transaction.description, Transaction.counterparty).where(
            Transaction.organization_id == organization_id, Transaction.id.in_(lines)
        )
    ):
        found["transaction", line_id] = description, counterparty
    for entry_id, description in db.session.execute(
        sa.select(JournalEntry.id, JournalEntry.description).where(
            JournalEntry.organization_id == organization_id, JournalEntry.id.in_(entries)
        )
    ):
        found["entry", entry_id] = description, None
    return found
