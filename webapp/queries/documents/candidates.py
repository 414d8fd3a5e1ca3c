"""What may belong together by amount: the lines and entries of a document, and the documents of a line or an entry."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.matching.receipts import MOST_DAYS, ReceiptEvidence
from webapp.ledger.money import Money
from webapp.models import (
    DeclinedRelation,
    Document,
    DocumentRelation,
    FeedAccount,
    JournalEntry,
    Posting,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.documents.evidence import amounts_of, evidence_of_entry, evidence_of_line

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
    identifies: bool = False
    is_other_way: bool = False

    @property
    def transaction_id(self) -> int | None:
        """The line's id, none for an entry."""
        return self.id if self.name == "transactionId" else None

    @property
    def journal_entry_id(self) -> int | None:
        """The entry's id, none for a line."""
        return self.id if self.name == "journalEntryId" else None


@dataclass(frozen=True, slots=True)
class CandidateDocument:
    """A document that is attached to nothing and may be the receipt of a line or an entry."""

    id: int
    label: str
    total: Money
    reason: str
    identifies: bool
    net: Money | None = None
    tax: Money | None = None
    due: Money | None = None
    issued_on: date | None = None
    due_on: date | None = None


def of_document(document: Document) -> list[RelatedItem]:
    """List the booked lines, and the entries without a line, of a document's amount, the best evidence first."""
    if not _amounts(document):
        return []
    found = [
        *((evidence_of_line(document, line), of_line(line)) for line in _lines(document)),
        *((evidence_of_entry(document, entry), of_entry(entry)) for entry in _entries(document)),
    ]
    return [
        replace(
            item,
            reason=evidence.reason,
            identifies=evidence.identifies,
            is_other_way=evidence.is_other_way,
        )
        for evidence, item in _best(found)
    ]


def documents_of_line(line: Transaction) -> list[CandidateDocument]:
    """List the documents of a line's amount that are attached to nothing, the best evidence first."""
    declined = sa.select(DeclinedRelation.document_id).where(refers_to(DeclinedRelation.transaction_id, line))
    found = [
        each
        for currency, amounts in amounts_of(line).items()
        for each in _documents(line, amounts, currency, line.booked_on, declined)
    ]
    return _offered([(evidence_of_line(each, line), each) for each in found])


def documents_of_entry(entry: JournalEntry) -> list[CandidateDocument]:
    """List the documents of the amount of a leg of an entry that are attached to nothing, the best evidence first."""
    amounts = {abs(each.amount_minor) for each in entry.postings if each.currency == entry.base_currency}
    declined = sa.select(DeclinedRelation.document_id).where(
        refers_to(DeclinedRelation.journal_entry_id, entry)
    )
    found = _documents(entry, amounts, entry.base_currency, entry.effective_on, declined)
    return _offered([(evidence_of_entry(each, entry), each) for each in found])


def of_line(line: Transaction) -> RelatedItem:
    """Give a line as what a document belongs to."""
    address = f"/feeds/{line.feed_account_id}?show=all&line={line.id}#line-{line.id}"
    return RelatedItem("transactionId", line.id, address, line.booked_on, line.description, line.amount)


def of_entry(entry: JournalEntry) -> RelatedItem:
    """Give an entry as what a document belongs to."""
    text = f"Entry {entry.id}" + (f": {entry.description}" if entry.description else "")
    return RelatedItem("journalEntryId", entry.id, f"/journal/{entry.id}", entry.effective_on, text)


def accounts_in(organization_id: str, currencies: Collection[str | None]) -> list[int]:
    """List the feed accounts in some currencies."""
    found = sa.select(FeedAccount.id).where(
        FeedAccount.organization_id == organization_id, FeedAccount.currency.in_(currencies)
    )
    return list(db.session.scalars(found.order_by(FeedAccount.id)))


def _lines(document: Document) -> Iterable[Transaction]:
    accounts = accounts_in(document.organization_id, [document.currency])
    if not accounts:
        return []
    statement = sa.select(Transaction).where(
        of_same_organization(Transaction, document),
        Transaction.feed_account_id.in_(accounts),
        Transaction.status == "BOOKED",
        Transaction.currency == document.currency,
        Transaction.amount_minor.in_(_amounts(document)),
        *_undecided(document, "transaction_id", Transaction),
        *_around(Transaction.booked_on, document),
    )
    return db.session.scalars(
        statement.order_by(Transaction.booked_on.desc(), Transaction.id).limit(MOST_READ)
    )


def _entries(document: Document) -> Iterable[JournalEntry]:
    """The standing entries that no line brought, with a leg of the amount."""
    legs = sa.select(Posting.journal_entry_id).where(
        of_same_organization(Posting, document),
        Posting.currency == document.currency,
        Posting.amount_minor.in_(_amounts(document)),
    )
    statement = sa.select(JournalEntry).where(
        of_same_organization(JournalEntry, document),
        JournalEntry.source.in_(("manual", "document")),
        JournalEntry.status != "VOIDED",
        JournalEntry.id.in_(legs),
        *_undecided(document, "journal_entry_id", JournalEntry),
        *_around(JournalEntry.effective_on, document),
    )
    ordered = statement.order_by(JournalEntry.effective_on.desc(), JournalEntry.id)
    return db.session.scalars(ordered.limit(MOST_READ))


def _undecided(
    document: Document, name: str, owner: type[Transaction | JournalEntry]
) -> Iterator[sa.ColumnElement[bool]]:
    """Leave out what a document is attached to already, and what somebody declined for it."""
    for model in (DocumentRelation, DeclinedRelation):
        column = getattr(model, name)
        yield owner.id.not_in(
            sa.select(column).where(
                model.organization_id == document.organization_id,
                model.document_id == document.id,
                column.is_not(None),
            )
        )


def _documents(
    owner: Transaction | JournalEntry, amounts: set[int], currency: str, day: date, declined: sa.Select[Any]
) -> Iterable[Document]:
    is_related = sa.exists().where(refers_to(DocumentRelation.document_id, Document))
    statement = sa.select(Document).where(
        of_same_organization(Document, owner),
        Document.id.in_(_of_amounts(owner, amounts, day)),
        Document.currency == currency,
        ~is_related,
        Document.id.not_in(declined),
    )
    # The text of a document and all that its e-invoice states may be long, and nothing here asks for them.
    light = statement.options(orm.defer(Document.text), orm.defer(Document.invoice))
    return db.session.scalars(light.order_by(Document.id.desc()).limit(MOST_READ))


def _of_amounts(owner: Transaction | JournalEntry, amounts: set[int], day: date) -> sa.CompoundSelect[Any]:
    """Build the question for the ids of documents of some amounts around a day, which two indexes answer by themselves.

    Where thousands have the same amount, no other row is read than those that are offered.
    """
    either_sign = {*amounts, *(-amount for amount in amounts)}
    first, last = day - AROUND, day + AROUND
    near = (
        Document.issued_on.between(first, last),
        Document.due_on.between(first, last),
        sa.and_(Document.issued_on.is_(None), Document.due_on.is_(None)),
    )
    return sa.union_all(
        *(
            sa.select(Document.id).where(
                of_same_organization(Document, owner), amount.in_(either_sign), sa.or_(*near)
            )
            for amount in (Document.total_minor, Document.due_minor)
        )
    )


def _offered(found: list[tuple[ReceiptEvidence, Document]]) -> list[CandidateDocument]:
    return [
        CandidateDocument(
            each.id,
            each.label,
            each.total,
            evidence.reason,
            evidence.identifies,
            each.net,
            each.tax,
            each.due,
            each.issued_on,
            each.due_on,
        )
        for evidence, each in _best(found)
        if each.total is not None
    ]


def _best(found: list[tuple[ReceiptEvidence, Found]]) -> list[tuple[ReceiptEvidence, Found]]:
    return sorted(found, key=lambda each: each[0].rank)[:MOST_CANDIDATES]


def _amounts(document: Document) -> set[int]:
    """Give what a line may have: what is due, or the total, in either direction."""
    amounts = {each for each in (document.total_minor, document.due_minor) if each is not None}
    return {*amounts, *(-amount for amount in amounts)}


def is_around(document: Document, day: date) -> bool:
    """Tell whether a day is near enough to those of a document for a payment, which without any of its own none is."""
    days = _days(document)
    return bool(days) and min(days) - AROUND <= day <= max(days) + AROUND


def _around(column: Any, document: Document) -> list[sa.ColumnElement[bool]]:
    days = _days(document)
    return [column.between(min(days) - AROUND, max(days) + AROUND)] if days else []


def _days(document: Document) -> list[date]:
    return [each for each in (document.issued_on, document.due_on) if each is not None]
