"""Whether an entry may be voided, and the reason if not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    FeedAccount,
    JournalEntry,
    Posting,
    Reconciliation,
    TaxStamp,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.currencies import revaluations
from webapp.queries.items import settlements
from webapp.queries.matching import transfer_pairs
from webapp.queries.reconciliation import openings

VOIDABLE_SOURCES = frozenset({"bank_feed", "document", "manual"})


@dataclass(frozen=True, slots=True)
class VoidRefusal:
    """Why an entry stays, and what to void or reopen instead."""

    sentence: str
    code: str = "not_voidable"
    details: dict[str, object] = field(default_factory=dict)


def refusal(entry: JournalEntry) -> VoidRefusal | None:
    """Give the reason why this entry cannot be voided; None where it can."""
    if entry.status == "DRAFT":
        return VoidRefusal(
            f"Entry {entry.id} is a draft and counts in no balance. Edit or delete it instead.", "draft"
        )
    if entry.status == "VOIDED":
        by = entry.voided_by_id
        return VoidRefusal(
            f"Entry {entry.id} was voided by entry {by} already.", "voided", {"voidedById": by}
        )
    if entry.source in _OF_SOURCES and (found := _OF_SOURCES[entry.source](entry)) is not None:
        return found
    if entry.source not in {*VOIDABLE_SOURCES, "opening"}:
        return VoidRefusal(f"Entry {entry.id} was written by the system and cannot be voided.")
    return _stamped(entry.organization_id, [entry]).get(entry.id) or opened(
        entry.organization_id, [entry]
    ).get(entry.id)


def _stamped(organization_id: str, entries: Sequence[JournalEntry]) -> dict[int, VoidRefusal]:
    """Refuse adjustments of taxes that a standing return has."""
    adjusting = [entry.id for entry in entries if entry.tax_reason is not None]
    if not adjusting:
        return {}
    statement = (
        sa.select(Posting.journal_entry_id)
        .join(
            TaxStamp, sa.and_(TaxStamp.organization_id == organization_id, TaxStamp.posting_id == Posting.id)
        )
        .where(
            Posting.organization_id == organization_id,
            Posting.journal_entry_id.in_(adjusting),
            TaxStamp.ended_at.is_(None),
        )
    )
    return {
        entry_id: VoidRefusal(
            f"Entry {entry_id} is in a filed tax return. Withdraw that return first, or adjust the next one.",
            "stamped",
        )
        for entry_id in db.session.scalars(statement)
    }


def _correction(entry: JournalEntry) -> VoidRefusal:
    named: dict[str, object] = {"journalEntryId": entry.corrects_id}
    return VoidRefusal(
        f"Entry {entry.id} corrects entry {entry.corrects_id}; void that one.", "correction", named
    )


def _revaluation(entry: JournalEntry) -> VoidRefusal:
    pair = [each.id for each in revaluations.of_entry(entry)]
    return VoidRefusal(
        f"Entries {' and '.join(map(str, pair))} are one revaluation. Take that back instead.",
        "revaluation",
        {"journalEntryIds": pair},
    )


def _exchange(entry: JournalEntry) -> VoidRefusal:
    pair = transfer_pairs.of_difference(entry)
    if pair is None:
        return _realisation(entry)
    return VoidRefusal(
        f"Entry {entry.id} is the exchange difference of the transfer of lines {pair.transaction_id} and "
        f"{pair.other_id}. End that transfer, or void the entry of one of its lines.",
        "transfer",
        {"transactionId": pair.transaction_id, "otherId": pair.other_id},
    )


def _realisation(entry: JournalEntry) -> VoidRefusal:
    """Name the entries whose act brought an account to nil: they are what somebody may void."""
    leg = entry.postings[0]
    causes = db.session.scalars(
        sa.select(JournalEntry.id)
        .where(
            of_same_organization(JournalEntry, entry),
            JournalEntry.action_request_id == entry.action_request_id,
            JournalEntry.source != entry.source,
            sa.exists().where(
                refers_to(Posting.journal_entry_id, JournalEntry),
                Posting.account_id == leg.account_id,
                Posting.currency == leg.currency,
            ),
        )
        .order_by(JournalEntry.id)
    ).all()
    named = f"{'entry' if len(causes) == 1 else 'entries'} {' and '.join(map(str, causes))}"
    return VoidRefusal(
        f"Entry {entry.id} realises what was left when {named} brought the account to 0.00 {leg.currency}. Void "
        f"{named} instead; what is then left is realised when the account next comes to 0.00 {leg.currency}.",
        "exchange",
        {"journalEntryIds": list(causes)},
    )


def _opening(entry: JournalEntry) -> VoidRefusal | None:
    """Refuse what opens the books of a bank account; what was moved in opens those of others."""
    proof_id = db.session.scalar(
        sa.select(Reconciliation.id).where(
            refers_to(Reconciliation.opening_entry_id, entry),
            Reconciliation.status == "COMPLETED",
        )
    )
    if proof_id is None:
        return None
    return VoidRefusal(
        f"Entry {entry.id} opens the books of an account; reopen proof {proof_id} instead.",
        "opening",
        {"reconciliationId": proof_id},
    )


def _settlement(entry: JournalEntry) -> VoidRefusal:
    cause = settlements.causing(entry)
    if cause is None:
        return VoidRefusal(
            f"Entry {entry.id} is of taxes. Withdraw the return that wrote it; else it stays.", "settlement"
        )
    settlement_id = cause.settlement_id
    return VoidRefusal(
        f"Entry {entry.id} was posted with settlement {settlement_id}. Undo that settlement instead.",
        "settlement",
        {"settlementId": settlement_id},
    )


_OF_SOURCES: Mapping[str, Callable[[JournalEntry], VoidRefusal | None]] = {
    "correction": _correction,
    "exchange": _exchange,
    "opening": _opening,
    settlements.SOURCE: _settlement,
    revaluations.SOURCE: _revaluation,
}


def refused(organization_id: str, entries: Sequence[JournalEntry]) -> set[int]:
    """Give those of these entries that cannot be voided, in at most two statements, and one for each opening."""
    by_itself = {
        entry.id
        for entry in entries
        if entry.status != "POSTED"
        or (entry.source not in VOIDABLE_SOURCES and (entry.source != "opening" or _opening(entry)))
    }
    others = [each for each in entries if each.id not in by_itself]
    return by_itself | {*opened(organization_id, others), *_stamped(organization_id, others)}


def opened(organization_id: str, entries: Sequence[JournalEntry]) -> dict[int, VoidRefusal]:
    """Refuse each entry that an opening balance includes, naming the latest standing keep-as-new proof of it."""
    proofs = db.session.execute(*_openings(organization_id)).all() if entries else []
    if not proofs:
        return {}
    held = _held_lines(organization_id, entries)
    refusals = {}
    for entry in entries:
        touched = {posting.account_id for posting in entry.postings}
        lines = {posting.transaction_id for posting in entry.postings} - {None}
        for proof in proofs:
            is_before = proof.account_id in touched and entry.effective_on <= proof.opening_date
            if is_before or any((line_id, proof.id) in held for line_id in lines):
                refusals[entry.id] = _opening_refusal(entry, proof.id, proof.opening_date)
                break
    return refusals


@made_once
def _openings(organization_id: str) -> sa.Select[Any]:
    """Select the standing proofs that keep an account as new, latest opening first."""
    proof = Reconciliation
    columns: list[Any] = [proof.id, proof.opening_date, FeedAccount.account_id]
    return (
        sa.select(*columns)
        .join(FeedAccount, refers_to(Reconciliation.feed_account_id, FeedAccount))
        .where(proof.organization_id == organization_id, proof.status == "COMPLETED", proof.keep_as_new)
        .order_by(proof.opening_date.desc(), proof.id.desc())
    )


def _held_lines(organization_id: str, entries: Sequence[JournalEntry]) -> set[tuple[int, int]]:
    """List the lines of these entries that a standing opening holds, each with its proof."""
    named = {posting.transaction_id for entry in entries for posting in entry.postings} - {None}
    if not named:
        return set()
    rows = db.session.execute(*_held(organization_id, [each for each in named if each is not None])).all()
    return {(line_id, proof_id) for line_id, proof_id in rows}


@made_once
def _held(organization_id: str, line_ids: Sequence[int]) -> sa.Select[Any]:
    columns: list[Any] = [Transaction.id, Reconciliation.id]
    return (
        sa.select(*columns)
        .join(Reconciliation, of_same_organization(Reconciliation, Transaction))
        .where(
            Transaction.organization_id == organization_id,
            among(Transaction.id, line_ids),
            Reconciliation.status == "COMPLETED",
            Reconciliation.keep_as_new,
            openings.held_line(),
        )
    )


def _opening_refusal(entry: JournalEntry, proof_id: int, opening_date: date) -> VoidRefusal:
    return VoidRefusal(
        f"The opening balance of {opening_date:%-d %b %Y} holds entry {entry.id}; reopen proof {proof_id} first.",
        "before_opening",
        {"reconciliationId": proof_id},
    )
