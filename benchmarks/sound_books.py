"""Books of any size in which every check holds: with an act and its event for each entry, and whole proofs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from itertools import islice
from typing import Any

import sqlalchemy as sa

from benchmarks import histories
from webapp.db import db
from webapp.ledger import chain
from webapp.ledger.canonical import canonical_json, instant_text, sha256_hex
from webapp.ledger.money import Money
from webapp.models import ActionRequest, AuditEvent, Reconciliation, ReconciliationItem, Transaction

FIRST_ACT = 100_000_000_001
ROWS_AT_ONCE = 5000
ACTOR: dict[str, object] = {"kind": "TOKEN", "id": 1, "name": "A program"}


def write(organization_id: str, postings: int) -> None:
    """Fill an organization's books, and make them sound."""
    histories.write(organization_id, postings)
    with histories.without_triggers():
        _acts(organization_id, postings // 2)
        _freeze(organization_id)
    db.session.commit()


def _acts(organization_id: str, count: int) -> None:
    """Write the act that confirmed each line, with its event in the chain."""
    head = db.session.execute(
        sa.select(AuditEvent.sequence, AuditEvent.body, AuditEvent.previous_hash, AuditEvent.hash)
        .where(AuditEvent.organization_id == organization_id)
        .order_by(AuditEvent.sequence.desc())
        .limit(1)
    ).one()
    links = _links(organization_id, count, chain.Link(*head))
    while some := list(islice(links, ROWS_AT_ONCE)):
        db.session.execute(sa.insert(ActionRequest), [request for request, _ in some])
        db.session.execute(sa.insert(AuditEvent), [event for _, event in some])


def _links(
    organization_id: str, count: int, last: chain.Link
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for number in range(1, count + 1):
        facts: dict[str, Any] = {
            "kind": "confirm_transaction",
            "status": "EXECUTED",
            "note": "",
            "payload": {"note": ""},
            "before": {"status": "DRAFT"},
            "after": {"status": "POSTED", "journalEntryIds": [number]},
            "result": {
                "journalEntryIds": [number],
                "documentRelationIds": [],
                "deletedJournalEntryIds": [],
                "voidedJournalEntryIds": [],
            },
            "error": "",
        }
        act_id = f"ar_{FIRST_ACT + number - 1}"
        body = {
            **facts,
            "organizationId": organization_id,
            "at": instant_text(histories.AT),
            "actionRequestId": act_id,
            "actor": {**ACTOR, "userId": 1},
            "requestId": f"{number:024x}",
            "address": "127.0.0.1",
            "target": {"kind": "transaction", "id": str(number)},
        }
        last = chain.link(body, after=last)
        sequence, text, previous_hash, hash_ = astuple(last)
        yield (
            {
                **facts,
                "id": act_id,
                "organization_id": organization_id,
                "actor": ACTOR,
                "target_kind": "transaction",
                "target_id": str(number),
                "title": "Confirmed Line of 2 Mar as Uncategorised expenses",
                "created_at": histories.AT,
                "decided_at": histories.AT,
            },
            {
                "organization_id": organization_id,
                "sequence": sequence,
                "at": histories.AT,
                "kind": "confirm_transaction",
                "action_request_id": act_id,
                "body": text,
                "previous_hash": previous_hash,
                "hash": hash_,
            },
        )


def _freeze(organization_id: str) -> None:
    """Give each proof its balance, its document and the proof before it."""
    previous: Reconciliation | None = None
    for proof in db.session.scalars(
        sa.select(Reconciliation)
        .where(Reconciliation.organization_id == organization_id)
        .order_by(Reconciliation.feed_account_id, Reconciliation.statement_date)
    ).all():
        if previous is not None and previous.feed_account_id != proof.feed_account_id:
            previous = None
        lines = _lines(proof)
        opening = previous.statement_balance_minor if previous else 0
        closing = opening + sum(amount for _, _, _, amount in lines)
        proof.statement_balance_minor = closing
        proof.previous_id = previous.id if previous else None
        proof.frozen = canonical_json(_document(proof, opening, lines, previous.digest if previous else None))
        proof.digest = sha256_hex(proof.frozen)
        db.session.flush()
        previous = proof


def _lines(proof: Reconciliation) -> list[Any]:
    return list(
        db.session.execute(
            sa.select(
                Transaction.id, Transaction.journal_entry_id, Transaction.booked_on, Transaction.amount_minor
            )
            .join(ReconciliationItem, ReconciliationItem.transaction_id == Transaction.id)
            .where(
                ReconciliationItem.organization_id == proof.organization_id,
                ReconciliationItem.reconciliation_id == proof.id,
            )
            .order_by(Transaction.booked_on, Transaction.id)
        )
    )


def _document(
    proof: Reconciliation, opening: int, lines: list[Any], previous_digest: str | None
) -> dict[str, object]:
    closing = str(Money(proof.statement_balance_minor, proof.currency))
    return {
        "id": proof.id,
        "organizationId": proof.organization_id,
        "faId": proof.feed_account_id,
        "currency": proof.currency,
        "statementDate": proof.statement_date.isoformat(),
        "statementBalance": closing,
        "openingDate": None,
        "openingBalance": str(Money(opening, proof.currency)),
        "ledgerBalance": closing,
        "keepAsNew": False,
        "openingEntryId": None,
        "completedAt": instant_text(histories.AT),
        "previousDigest": previous_digest,
        "outstanding": [],
        "inTransit": [],
        "lines": [
            {
                "transactionId": line_id,
                "journalEntryId": entry_id,
                "date": day.isoformat(),
                "amount": str(Money(amount, proof.currency)),
                "description": "Line",
            }
            for line_id, entry_id, day, amount in lines
        ],
    }
