"""Previews of voiding an entry: the reversal, the proofs that break, and the lines that get a new draft."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal.corrections import reversal
from webapp.ledger.money import Money
from webapp.models import (
    JournalEntry,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.journal import entries
from webapp.queries.journal.entry_details import LegNames
from webapp.queries.matching import transfer_pairs
from webapp.queries.reconciliation import verdicts


@dataclass(frozen=True, slots=True)
class ReversedLeg:
    """An effective leg, and the leg that cancels it."""

    account_name: str
    project_name: str | None
    merchant_name: str | None
    effective: Money
    reversal: Money


@dataclass(frozen=True, slots=True)
class ProofBrokenByVoid:
    """A proof that holds and would not any more."""

    id: int
    feed_account_name: str
    statement_date: date


@dataclass(frozen=True, slots=True)
class FreedLine:
    """A bank line of the entry; it gets a new draft unless it was removed or deleted.

    One that `is_linked` stays a side of its transfer, and its draft goes to the transfers account. The difference that
    the transfer realised is voided with the entry, if there is one.
    """

    id: int
    description: str
    is_removed: bool
    is_linked: bool = False
    difference_entry_id: int | None = None


@dataclass(frozen=True, slots=True)
class VoidPreview:
    """All effects of a void."""

    legs: list[ReversedLeg]
    has_currencies: bool
    proofs: list[ProofBrokenByVoid]
    lines: list[FreedLine]
    corrections: list[int]


def void_preview(entry: JournalEntry) -> VoidPreview:
    """Preview voiding an entry; the legs are those of the reversal, with the effective ones that they cancel."""
    family = entries.family_legs(entry)
    cancelling = reversal(*family)
    names = LegNames(entry.organization_id, cancelling)
    lines = _lines(entry)
    return VoidPreview(
        legs=[
            ReversedLeg(
                account_name=names.accounts[leg.account_id].name,
                project_name=names.project(leg.project_id),
                merchant_name=names.merchant(leg.merchant_id),
                effective=Money(-leg.amount_minor, leg.currency),
                reversal=Money(leg.amount_minor, leg.currency),
            )
            for leg in cancelling
        ],
        has_currencies=len({leg.currency for leg in cancelling}) > 1,
        proofs=_proofs(entry, lines),
        lines=[_freed(line, is_alone=len(lines) == 1) for line in lines],
        corrections=[correction.id for correction in entries.corrections_of(entry)],
    )


def _freed(line: Transaction, *, is_alone: bool) -> FreedLine:
    """Preview what becomes of a line; two that share the entry are no transfer after it."""
    is_removed = line.status in ("REMOVED", "DELETED")
    pair = transfer_pairs.active(line.organization_id, line.id) if is_alone else None
    return FreedLine(
        line.id,
        line.description,
        is_removed,
        is_linked=pair is not None and not is_removed,
        difference_entry_id=pair.difference_entry_id if pair is not None else None,
    )


def _lines(entry: JournalEntry) -> Sequence[Transaction]:
    return db.session.scalars(
        sa.select(Transaction).where(refers_to(Transaction.journal_entry_id, entry)).order_by(Transaction.id)
    ).all()


def _proofs(entry: JournalEntry, lines: Sequence[Transaction]) -> list[ProofBrokenByVoid]:
    """Find the standing proofs that hold and have the entry or a line of it among their items."""
    proofs = db.session.scalars(
        sa.select(Reconciliation)
        .join(ReconciliationItem, refers_to(ReconciliationItem.reconciliation_id, Reconciliation))
        .where(
            of_same_organization(Reconciliation, entry),
            Reconciliation.status == "COMPLETED",
            ReconciliationItem.is_standing,
            sa.or_(
                ReconciliationItem.transaction_id.in_([line.id for line in lines]),
                ReconciliationItem.journal_entry_id == entry.id,
            ),
        )
        .order_by(Reconciliation.statement_date, Reconciliation.id)
    ).unique()
    found = list(proofs)
    verdict_of = verdicts.of_proofs(entry.organization_id, found) if found else {}
    return [
        ProofBrokenByVoid(proof.id, proof.feed_account.name, proof.statement_date)
        for proof in found
        if verdict_of[proof.id].holds
    ]
