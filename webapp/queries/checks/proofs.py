"""Proofs: each frozen document has its digest, agrees with its rows, adds up, and follows the proof before it."""

import json
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from decimal import Decimal
from itertools import groupby
from math import inf
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.canonical import instant_text, sha256_hex
from webapp.ledger.chain import GENESIS, Head
from webapp.ledger.money import Money
from webapp.models import (
    FeedAccount,
    ProofBreak,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.audit import events
from webapp.queries.checks.violations import Violation, found
from webapp.queries.reconciliation import computed_verdicts, verdicts
from webapp.queries.reconciliation.computed_verdicts import Verdict

AT_ONCE = 100
ITEMS_AT_ONCE = 2000
Item = tuple[int | None, int | None]
# The end of the items of all reconciliations.
END: tuple[float, set[Item]] = (inf, set())


def frozen() -> Iterator[Violation]:
    """Find proofs whose document is missing, was changed, contradicts its row, or does not add up."""
    previous = orm.aliased(Reconciliation)
    rows = db.session.execute(
        sa.select(Reconciliation, previous.digest)
        .outerjoin(previous, refers_to(Reconciliation.previous_id, previous))
        .where(Reconciliation.status != "DRAFT")
        .order_by(Reconciliation.id),
        execution_options={"yield_per": AT_ONCE},
    )
    for proof, previous_digest in rows:
        yield from _of_proof(proof, previous_digest)


def heads() -> Iterator[Violation]:
    """Find proofs that name another event as the last one before their own."""
    proofs = sa.select(Reconciliation).where(Reconciliation.frozen.is_not(None)).order_by(Reconciliation.id)
    named: dict[str, list[tuple[Reconciliation, Head]]] = {}
    for proof in db.session.scalars(proofs, execution_options={"yield_per": AT_ONCE}):
        if (head := json.loads(proof.frozen or "{}").get("head")) is not None:
            named.setdefault(proof.organization_id, []).append((proof, Head(**head)))
    for organization_id, of_organization in named.items():
        hashes = events.hashes(organization_id, [head.sequence for _, head in of_organization])
        for proof, head in of_organization:
            if hashes.get(head.sequence, GENESIS) != head.hash:
                yield _about(proof, "proof_head", f"does not follow event {head.sequence} of the audit trail")


def _of_proof(proof: Reconciliation, previous_digest: str | None) -> Iterator[Violation]:
    if proof.frozen is None or proof.digest != sha256_hex(proof.frozen):
        yield _about(proof, "digest_differs", "is not the document that its digest is of")
        return
    document = json.loads(proof.frozen)
    differing = [key for key, value in _columns(proof).items() if document.get(key) != value]
    if differing:
        yield _about(proof, "frozen_differs", f"does not match its row: {', '.join(differing)}")
    if document.get("previousDigest") != previous_digest:
        yield _about(proof, "proof_chain", "does not follow the proof before it")
    if not _adds_up(document):
        yield _about(proof, "proof_equation", "does not add up to its statement's balance")


def _columns(proof: Reconciliation) -> dict[str, object]:
    """Give the columns of a proof's row under the keys of its document (behaviour.md 3)."""
    return {
        "id": proof.id,
        "organizationId": proof.organization_id,
        "faId": proof.feed_account_id,
        "currency": proof.currency,
        "statementDate": proof.statement_date.isoformat(),
        "statementBalance": str(Money(proof.statement_balance_minor, proof.currency)),
        "openingDate": proof.opening_date.isoformat() if proof.opening_date else None,
        "keepAsNew": proof.keep_as_new,
        "openingEntryId": proof.opening_entry_id,
        "completedAt": instant_text(proof.completed_at) if proof.completed_at else None,
    }


def _adds_up(document: dict[str, Any]) -> bool:
    """Add both ways: the cleared lines to the opening, and the books less outstanding plus in transit."""
    statement = Decimal(document["statementBalance"])
    cleared = Decimal(document["openingBalance"]) + _total(document["lines"])
    books = (
        Decimal(document["ledgerBalance"]) - _total(document["outstanding"]) + _total(document["inTransit"])
    )
    return cleared == statement == books


def _total(items: Iterable[dict[str, Any]]) -> Decimal:
    return sum((Decimal(item["amount"]) for item in items), Decimal(0))


def standing_chain() -> Iterable[Violation]:
    """Find standing proofs that follow no earlier standing proof of their account, where there are others."""
    other = orm.aliased(Reconciliation)
    is_earlier = sa.and_(
        of_same_organization(other, Reconciliation),
        other.feed_account_id == Reconciliation.feed_account_id,
        other.status == "COMPLETED",
        other.statement_date < Reconciliation.statement_date,
    )
    newest = (
        sa.select(other.id)
        .where(is_earlier)
        .order_by(other.statement_date.desc(), other.id.desc())
        .limit(1)
        .correlate(Reconciliation)
        .scalar_subquery()
    )
    follows = sa.func.coalesce(Reconciliation.previous_id, 0) == sa.func.coalesce(newest, 0)
    return found(
        "proof_chain",
        sa.select(Reconciliation.organization_id, Reconciliation.id).where(
            Reconciliation.status == "COMPLETED", ~follows
        ),
        lambda row: f"Proof {row.id} does not follow the standing proof before it.",
        lambda row: {"reconciliationId": row.id},
    )


def items() -> Iterator[Violation]:
    """Find proofs whose items are not those of their document."""
    proofs = db.session.scalars(
        sa.select(Reconciliation).where(Reconciliation.frozen.is_not(None)).order_by(Reconciliation.id),
        execution_options={"yield_per": AT_ONCE},
    )
    # Both come by id, so that neither is in memory as a whole; items of an open draft may be left at the end.
    with closing(_cleared_items()) as cleared:
        of_id, its_items = next(cleared, END)
        for proof in proofs:
            while of_id < proof.id:
                of_id, its_items = next(cleared, END)
            if _frozen_items(proof.frozen or "{}") != (its_items if of_id == proof.id else set()):
                yield _about(proof, "proof_items", "lists other items than it cleared")


def _cleared_items() -> Generator[tuple[float, set[Item]], None, None]:
    """Give the items of one reconciliation after the other, by its id."""
    item = ReconciliationItem
    with db.session.execute(
        sa.select(item.reconciliation_id, item.transaction_id, item.journal_entry_id).order_by(
            item.reconciliation_id
        ),
        execution_options={"yield_per": ITEMS_AT_ONCE},
    ) as rows:
        for proof_id, some in groupby(rows, key=itemgetter(0)):
            yield proof_id, {(line_id, entry_id) for _, line_id, entry_id in some}


def _frozen_items(text: str) -> set[Item]:
    """Give a document's items as their rows have them: by the line, else by the entry."""
    lines = json.loads(text).get("lines", [])
    return {
        (line["transactionId"], None if line["transactionId"] is not None else line["journalEntryId"])
        for line in lines
    }


def astray_items() -> Iterable[Violation]:
    """Find items of another account than their statement's, or that count though their proof was reopened."""
    is_standing = Reconciliation.status != "REOPENED"
    return found(
        "item_astray",
        sa.select(ReconciliationItem.organization_id, ReconciliationItem.id, Reconciliation.id)
        .join(Reconciliation, refers_to(ReconciliationItem.reconciliation_id, Reconciliation))
        .outerjoin(Transaction, refers_to(ReconciliationItem.transaction_id, Transaction))
        .where(
            sa.or_(
                ReconciliationItem.feed_account_id != Reconciliation.feed_account_id,
                Transaction.feed_account_id != ReconciliationItem.feed_account_id,
                ReconciliationItem.is_standing != is_standing,
            )
        ),
        lambda row: f"Item {row[1]} does not belong to reconciliation {row[2]}.",
        lambda row: {"reconciliationId": row[2], "itemId": row[1]},
    )


def states() -> Iterable[Violation]:
    """Find drafts that look completed, proofs that do not, and statements in another currency than their account."""
    completed = Reconciliation.completed_at.is_not(None)
    reopened = Reconciliation.reopened_at.is_not(None)
    return found(
        "reconciliation_state",
        sa.select(Reconciliation.organization_id, Reconciliation.id, Reconciliation.status)
        .join(FeedAccount, refers_to(Reconciliation.feed_account_id, FeedAccount))
        .where(
            sa.or_(
                completed != (Reconciliation.status != "DRAFT"),
                reopened != (Reconciliation.status == "REOPENED"),
                Reconciliation.currency != FeedAccount.currency,
            )
        ),
        lambda row: f"Reconciliation {row.id} is {row.status}, which does not match its row.",
        lambda row: {"reconciliationId": row.id},
    )


def recorded_verdicts() -> Iterator[Violation]:
    """Find standing proofs whose recorded verdict, or by how much they are off, is not what the books give."""
    every = db.session.scalars(
        sa.select(Reconciliation)
        .where(Reconciliation.status == "COMPLETED")
        .options(orm.defer(Reconciliation.frozen))
        .order_by(Reconciliation.organization_id, Reconciliation.id)
    ).all()
    for organization_id, group in groupby(every, key=lambda proof: proof.organization_id):
        proofs = list(group)
        recorded = verdicts.of_proofs(organization_id, proofs)
        computed = computed_verdicts.of_proofs(organization_id, proofs)
        for proof in proofs:
            if _figures(recorded[proof.id]) != _figures(computed[proof.id]):
                fact = "holds" if computed[proof.id].holds else "does not hold"
                yield _about(proof, "proof_verdict", f"{fact}, which does not match its record")


def _figures(verdict: Verdict) -> tuple[bool, int, int]:
    return verdict.holds, verdict.cleared_now_minor, verdict.off_by_minor


def breaks() -> Iterable[Violation]:
    """Find breaks without a repair of proofs that were reopened."""
    return found(
        "proof_break",
        sa.select(ProofBreak.organization_id, ProofBreak.reconciliation_id)
        .join(Reconciliation, refers_to(ProofBreak.reconciliation_id, Reconciliation))
        .where(ProofBreak.repaired_at.is_(None), Reconciliation.status != "COMPLETED"),
        lambda row: f"Proof {row.reconciliation_id} is no longer valid, and is still recorded as broken.",
        lambda row: {"reconciliationId": row.reconciliation_id},
    )


def _about(proof: Reconciliation, code: str, fact: str) -> Violation:
    return Violation(code, f"Proof {proof.id} {fact}.", proof.organization_id, {"reconciliationId": proof.id})


CHECKS = (frozen, heads, standing_chain, items, astray_items, states, recorded_verdicts, breaks)
