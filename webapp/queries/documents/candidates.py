"""What may belong together by amount: the lines and entries of a document, and the documents of a line or an entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, TypeVar

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.matching.receipts import MOST_DAYS, ReceiptEvidence, ReceiptFacts, receipt_evidence
from webapp.ledger.money import Money
from webapp.models import (
    Document,
    DocumentRelation,
    JournalEntry,
    Posting,
    Transaction,
    of_same_organization,
    refers_to,
)

AROUND = timedelta(days=MOST_DAYS)
MOST_CANDIDATES = 5
MOST_READ = 200
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class RelatedItem:
    """A line or an entry that a document belongs to, or may by its evidence; `name` is the form's name of its id."""

    name: str
    id: int
    address: str
    day: date
    text: str
    amount: Money | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CandidateDocument:
    """A document that is attached to nothing and may be the receipt of a line or an entry."""

    id: int
    label: str
    total: Money
    reason: str


def of_document(document: Document) -> list[RelatedItem]:
    """List the booked lines, and the entries without a line, of a document's total, the best evidence first."""
    if document.total_minor is None:
        return []
    found = [
        *((_evidence(document, line.booked_on, _text(line)), of_line(line)) for line in _lines(document)),
        *(
            (_evidence(document, entry.effective_on, entry.description), of_entry(entry))
            for entry in _entries(document)
        ),
    ]
    return [replace(item, reason=evidence.reason) for evidence, item in _best(found)]


def documents_of_line(line: Transaction) -> list[CandidateDocument]:
    """List the documents of a line's amount that are attached to nothing, the best evidence first."""
    return _documents(line, {abs(line.amount_minor)}, line.currency, line.booked_on, _text(line))


def documents_of_entry(entry: JournalEntry) -> list[CandidateDocument]:
    """List the documents of the amount of a leg of an entry that are attached to nothing, the best evidence first."""
    amounts = {abs(each.amount_minor) for each in entry.postings if each.currency == entry.base_currency}
    return _documents(entry, amounts, entry.base_currency, entry.effective_on, entry.description)


def of_line(line: Transaction) -> RelatedItem:
    """Give a line as what a document belongs to."""
    address = f"/feeds/{line.feed_account_id}?show=all&line={line.id}#line-{line.id}"
    return RelatedItem("transactionId", line.id, address, line.booked_on, line.description, line.amount)


def of_entry(entry: JournalEntry) -> RelatedItem:
    """Give an entry as what a document belongs to."""
    text = f"Entry {entry.id}" + (f": {entry.description}" if entry.description else "")
    return RelatedItem("journalEntryId", entry.id, f"/journal/{entry.id}", entry.effective_on, text)


def _lines(document: Document) -> Iterable[Transaction]:
    related = sa.select(DocumentRelation.transaction_id).where(
        refers_to(DocumentRelation.document_id, document), DocumentRelation.transaction_id.is_not(None)
    )
    statement = sa.select(Transaction).where(
        of_same_organization(Transaction, document),
        Transaction.status == "BOOKED",
        Transaction.currency == document.currency,
        Transaction.amount_minor.in_(_either_sign(document)),
        Transaction.id.not_in(related),
        *_around(Transaction.booked_on, document.issued_on),
    )
    return db.session.scalars(
        statement.order_by(Transaction.booked_on.desc(), Transaction.id).limit(MOST_READ)
    )


def _entries(document: Document) -> Iterable[JournalEntry]:
    """The standing entries that no line brought, with a leg of the total."""
    related = sa.select(DocumentRelation.journal_entry_id).where(
        refers_to(DocumentRelation.document_id, document), DocumentRelation.journal_entry_id.is_not(None)
    )
    legs = sa.select(Posting.journal_entry_id).where(
        of_same_organization(Posting, document),
        Posting.currency == document.currency,
        Posting.amount_minor.in_(_either_sign(document)),
    )
    statement = sa.select(JournalEntry).where(
        of_same_organization(JournalEntry, document),
        JournalEntry.source.in_(("manual", "document")),
        JournalEntry.status != "VOIDED",
        JournalEntry.id.in_(legs),
        JournalEntry.id.not_in(related),
        *_around(JournalEntry.effective_on, document.issued_on),
    )
    ordered = statement.order_by(JournalEntry.effective_on.desc(), JournalEntry.id)
    return db.session.scalars(ordered.limit(MOST_READ))


def _documents(
    owner: Transaction | JournalEntry, amounts: set[int], currency: str, day: date, text: str
) -> list[CandidateDocument]:
    is_related = sa.exists().where(refers_to(DocumentRelation.document_id, Document))
    statement = (
        sa.select(Document)
        .where(
            of_same_organization(Document, owner),
            Document.currency == currency,
            Document.total_minor.in_({*amounts, *(-amount for amount in amounts)}),
            ~is_related,
            sa.or_(Document.issued_on.is_(None), sa.and_(*_around(Document.issued_on, day))),
        )
        .order_by(Document.id.desc())
        .limit(MOST_READ)
    )
    found = [(_evidence(each, day, text), each) for each in db.session.scalars(statement)]
    return [
        CandidateDocument(each.id, each.label, each.total, evidence.reason)
        for evidence, each in _best(found)
        if each.total is not None
    ]


def _best(found: list[tuple[ReceiptEvidence, Found]]) -> list[tuple[ReceiptEvidence, Found]]:
    return sorted(found, key=lambda each: each[0].rank)[:MOST_CANDIDATES]


def _evidence(document: Document, day: date, text: str) -> ReceiptEvidence:
    return receipt_evidence(ReceiptFacts(document.number, document.sender, document.issued_on), day, text)


def _either_sign(document: Document) -> tuple[int, ...]:
    total = document.total_minor or 0
    return total, -total


def _around(column: Any, day: date | None) -> list[sa.ColumnElement[bool]]:
    return [] if day is None else [column.between(day - AROUND, day + AROUND)]


def _text(line: Transaction) -> str:
    return " ".join(part for part in (line.description, line.counterparty, line.reference) if part)
