"""Whether an entry may be voided, and if not, what stands against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from webapp.db import db
from webapp.models import OF_ITS_FEED, FeedAccount, JournalEntry, Reconciliation, Transaction

VOIDABLE_SOURCES = frozenset({"bank_feed", "document", "manual"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an entry stays, and what to void or reopen instead."""

    sentence: str
    code: str = "not_voidable"
    details: dict[str, object] = field(default_factory=dict)


def refusal(entry: JournalEntry) -> Refusal | None:
    """Tell why the void operation would refuse this entry; None when it would succeed."""
    if entry.status == "DRAFT":
        return Refusal(
            f"Entry {entry.id} is a draft; it counts nowhere. Change or delete it instead.", "draft"
        )
    if entry.status == "VOIDED":
        by = entry.voided_by_id
        return Refusal(f"Entry {entry.id} was voided by entry {by} already.", "voided", {"voidedById": by})
    if entry.source == "correction":
        named: dict[str, object] = {"journalEntryId": entry.corrects_id}
        return Refusal(
            f"Entry {entry.id} corrects entry {entry.corrects_id}; void that one.", "correction", named
        )
    if entry.source == "opening":
        return _opening(entry)
    if entry.source not in VOIDABLE_SOURCES:
        return Refusal(f"Entry {entry.id} was written by the books themselves and stays.")
    return absorbed(entry)


def _opening(entry: JournalEntry) -> Refusal:
    proof_id = db.session.scalar(
        sa.select(Reconciliation.id).where(
            Reconciliation.organization_id == entry.organization_id,
            Reconciliation.opening_entry_id == entry.id,
            Reconciliation.status == "COMPLETED",
        )
    )
    return Refusal(
        f"Entry {entry.id} opens the books of an account; reopen proof {proof_id} instead.",
        "opening",
        {"reconciliationId": proof_id},
    )


def absorbed(entry: JournalEntry) -> Refusal | None:
    """Tell whether a standing keep-as-new proof has taken this entry into its opening balance."""
    lines = {posting.transaction_id for posting in entry.postings if posting.transaction_id is not None}
    touched = {posting.account_id for posting in entry.postings}
    proof = db.session.execute(
        sa.select(Reconciliation.id, Reconciliation.opening_date)
        .join(FeedAccount, OF_ITS_FEED)
        .where(
            Reconciliation.organization_id == entry.organization_id,
            Reconciliation.status == "COMPLETED",
            Reconciliation.keep_as_new,
            sa.or_(
                sa.and_(
                    FeedAccount.account_id.in_(touched), Reconciliation.opening_date >= entry.effective_on
                ),
                _set_aside(entry.organization_id, lines),
            ),
        )
        .limit(1)
    ).one_or_none()
    if proof is None:
        return None
    return Refusal(
        f"The opening balance of {proof.opening_date:%-d %b %Y} holds entry {entry.id}; reopen proof {proof.id} first.",
        "before_opening",
        {"reconciliationId": proof.id},
    )


def _set_aside(organization_id: str, lines: set[int]) -> sa.ColumnElement[bool]:
    return sa.exists().where(
        Transaction.organization_id == organization_id,
        Transaction.id.in_(lines),
        Transaction.status == "SET_ASIDE",
        Transaction.feed_account_id == Reconciliation.feed_account_id,
    )


def refused(organization_id: str, entries: Sequence[JournalEntry]) -> set[int]:
    """Tell which of these entries the void operation would refuse."""
    is_opened = db.session.scalar(
        sa.select(
            sa.exists().where(
                Reconciliation.organization_id == organization_id,
                Reconciliation.status == "COMPLETED",
                Reconciliation.keep_as_new,
            )
        )
    )
    by_itself = {
        entry.id for entry in entries if entry.status != "POSTED" or entry.source not in VOIDABLE_SOURCES
    }
    if not is_opened:
        return by_itself
    return by_itself | {
        entry.id for entry in entries if entry.id not in by_itself and absorbed(entry) is not None
    }
