"""What keeps a document from being deleted: entries that were written from it, and what it belongs to in the books."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    COUNTING,
    Document,
    JournalEntry,
    Posting,
    Reconciliation,
    ReconciliationItem,
    StatementDocument,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.journal import attachments

IS_STANDING = Reconciliation.status == "COMPLETED"
# A line from before the opening balance of a proof is part of that proof, though it is never posted.
SET_ASIDE = sa.and_(
    Transaction.status == "SET_ASIDE",
    of_same_organization(Reconciliation, Transaction),
    Reconciliation.feed_account_id == Transaction.feed_account_id,
    Reconciliation.keep_as_new,
    IS_STANDING,
)


@dataclass(frozen=True, slots=True)
class DeletionBlocker:
    """Why a document cannot be deleted and what to do, in a sentence; `details` has the ids of what keeps it."""

    sentence: str
    details: dict[str, list[int]]


def blocker(document: Document) -> DeletionBlocker | None:
    """Find what keeps a document: entries written from it, else what it belongs to in the books; None for nothing."""
    return _by_written(document) or _by_statement(document) or _by_relations(document)


def _by_statement(document: Document) -> DeletionBlocker | None:
    """Find the reconciliations that a document is the statement of: a proof names its digest for ever."""
    rows = db.session.execute(
        sa.select(Reconciliation.id, Reconciliation.statement_date)
        .join(StatementDocument, refers_to(StatementDocument.reconciliation_id, Reconciliation))
        .where(refers_to(StatementDocument.document_id, document))
        .order_by(Reconciliation.id)
    ).all()
    if not rows:
        return None
    names = [f"the reconciliation of {row.statement_date:%-d %b %Y}" for row in rows]
    return DeletionBlocker(
        f"It is the statement of {_first(names)}, which rests on it, so it cannot be deleted.",
        {"reconciliationIds": [row.id for row in rows]},
    )


def _by_written(document: Document) -> DeletionBlocker | None:
    written = db.session.execute(
        sa.select(JournalEntry.id, JournalEntry.status)
        .where(refers_to(JournalEntry.document_id, document))
        .order_by(JournalEntry.id)
    ).all()
    if not written:
        return None
    details = {"journalEntryIds": [row.id for row in written]}
    posted = [f"Entry {row.id}" for row in written if row.status in COUNTING]
    if posted:
        stay = "stays" if len(posted) == 1 else "stay"
        sentence = (
            f"{_first(posted)} came from this document and {stay} in the books, so it cannot be deleted."
        )
        return DeletionBlocker(sentence, details)
    drafts = [f"Entry {row.id}" for row in written]
    are, them = ("is a draft", "it") if len(drafts) == 1 else ("are drafts", "them")
    return DeletionBlocker(
        f"{_first(drafts)} came from this document and {are}. Delete {them} first.", details
    )


def _by_relations(document: Document) -> DeletionBlocker | None:
    organization_id = document.organization_id
    relations = attachments.of_documents(organization_id, [document.id])[document.id]
    lines = _posted_lines(organization_id, {each.transaction_id for each in relations})
    entries = _posted(organization_id, {each.journal_entry_id for each in relations})
    if not lines and not entries:
        return None
    proofs = _proofs(organization_id, lines, entries)
    names = [f"the line of {day:%-d %b %Y}" for day in lines.values()] + [f"entry {each}" for each in entries]
    proved = _first([f"the proof of {day:%-d %b %Y}" for day in proofs.values()]) if proofs else ""
    reason = f"in {proved}" if proved else "posted"
    which, them = ("is", "it") if len(names) == 1 else ("are", "them")
    return DeletionBlocker(
        f"It belongs to {_first(names)}, which {which} {reason}. Detach it from {them} first.",
        {"transactionIds": list(lines), "journalEntryIds": entries, "reconciliationIds": list(proofs)},
    )


def _posted_lines(organization_id: str, ids: Collection[int | None]) -> dict[int, date]:
    """Give those of some lines that were ever posted, or that a standing proof set aside, with their days."""
    is_posted = (
        sa.exists()
        .where(
            refers_to(Posting.transaction_id, Transaction),
            JournalEntry.status.in_(COUNTING),
        )
        .where(refers_to(Posting.journal_entry_id, JournalEntry))
    )
    rows = db.session.execute(
        sa.select(Transaction.id, Transaction.booked_on)
        .where(
            Transaction.organization_id == organization_id,
            Transaction.id.in_(ids),
            sa.or_(is_posted, sa.exists().where(SET_ASIDE)),
        )
        .order_by(Transaction.id)
    )
    return dict(rows.all())


def _posted(organization_id: str, ids: Collection[int | None]) -> list[int]:
    return list(
        db.session.scalars(
            sa.select(JournalEntry.id)
            .where(
                JournalEntry.organization_id == organization_id,
                JournalEntry.id.in_(ids),
                JournalEntry.status.in_(COUNTING),
            )
            .order_by(JournalEntry.id)
        )
    )


def _proofs(organization_id: str, lines: Collection[int], entries: Collection[int]) -> dict[int, date]:
    """Give the standing proofs that include some lines or entries, or the lines of those entries, with their days."""
    of_entries = sa.select(Posting.transaction_id).where(
        Posting.organization_id == organization_id, Posting.journal_entry_id.in_(entries)
    )
    is_item = sa.exists().where(
        refers_to(ReconciliationItem.reconciliation_id, Reconciliation),
        sa.or_(
            ReconciliationItem.transaction_id.in_(lines),
            ReconciliationItem.transaction_id.in_(of_entries),
            ReconciliationItem.journal_entry_id.in_(entries),
        ),
    )
    rows = db.session.execute(
        sa.select(Reconciliation.id, Reconciliation.statement_date)
        .where(
            Reconciliation.organization_id == organization_id,
            IS_STANDING,
            sa.or_(is_item, sa.exists().where(Transaction.id.in_(lines), SET_ASIDE)),
        )
        .order_by(Reconciliation.id)
    )
    return dict(rows.all())


def _first(names: Sequence[str]) -> str:
    """Name the first of several, and count the rest.

    >>> _first(["entry 1"]), _first(["entry 1", "entry 2", "entry 5"])
    ('entry 1', 'entry 1 and 2 more')
    """
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"
