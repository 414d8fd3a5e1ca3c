"""Which line certainly pays which document: the only one that names it, as the only document that the line names."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.matching.receipts import ReceiptEvidence
from webapp.ledger.texts.remittances import compacted, spans
from webapp.models import DeclinedRelation, Document, DocumentRelation, Transaction, refers_to
from webapp.queries.common.portions import portions
from webapp.queries.documents.candidates import AROUND, accounts_in, is_around
from webapp.queries.documents.evidence import TELLING_WAY, evidence_of_line, text_of

# Where more of the same amounts lie so close together, nobody is asked for each of them, and each is only offered.
MOST_READ = 10_000
# The lines of one file, which are asked for documents of their amounts.
MOST_NEW = 100_000
MOST_AMOUNTS = 1_000
LONGEST_KEY = 64
_DOCUMENT = (
    *(Document.id, Document.organization_id, Document.document_type, Document.side, Document.currency),
    *(Document.number, Document.sender, Document.buyer, Document.issued_on, Document.due_on),
    *(Document.total_minor, Document.due_minor, Document.remittance, Document.iban),
    Document.seller_vat_id,
)
_LINE = (
    *(Transaction.id, Transaction.currency, Transaction.amount_minor, Transaction.booked_on),
    *(Transaction.description, Transaction.counterparty, Transaction.reference, Transaction.iban),
    Transaction.details,
)


class TooManyAlikeError(Exception):
    """So many documents or lines have the same amounts at one time that nobody is asked for each of them."""


@dataclass(frozen=True, slots=True)
class CertainPayment:
    """A line that certainly pays a document, and why, in a sentence."""

    document_id: int
    transaction_id: int
    reason: str


def of_documents(organization_id: str, document_ids: Collection[int]) -> list[CertainPayment]:
    """Find the lines that certainly pay some documents that are attached to nothing, in the order of the documents."""
    wanted = set(document_ids)
    try:
        found = _of_documents(organization_id, wanted)
    except TooManyAlikeError:
        some = sorted(wanted)
        halves = (some[: len(some) // 2], some[len(some) // 2 :]) if some[1:] else ()
        return [each for half in halves for each in of_documents(organization_id, half)]
    return sorted((each for each in found if each.document_id in wanted), key=lambda each: each.document_id)


def _of_documents(organization_id: str, document_ids: Collection[int]) -> list[CertainPayment]:
    seeds = [each for each in _documents(organization_id, Document.id.in_(document_ids)) if _keys(each)]
    named = _identified(seeds, _lines_like(organization_id, seeds))
    likely = {line.id: line for _, line, evidence in named if evidence.is_certain}
    documents = _documents_like(organization_id, list(likely.values()))
    # A line that is not certain for a document may still make another one ambiguous.
    return _certain(documents, _lines_like(organization_id, documents))


def of_lines(organization_id: str, line_ids: Collection[int]) -> list[CertainPayment]:
    """Find the documents, attached to nothing, that some lines certainly pay, in the order of the lines."""
    if not _has_documents(organization_id):
        return []
    chosen = [Transaction.id.in_(some) for some in portions(line_ids)]
    return _of_seeds(organization_id, [row for each in chosen for row in _lines(organization_id, each)])


def of_import(organization_id: str, import_id: int) -> list[CertainPayment]:
    """Find the same for the lines that an import brought."""
    if not _has_documents(organization_id):
        return []
    is_of_it = Transaction.import_id == import_id
    return _of_seeds(organization_id, _lines(organization_id, is_of_it, most=MOST_NEW))


def _of_seeds(organization_id: str, seeds: Sequence[Any]) -> list[CertainPayment]:
    try:
        named = _identified(_documents_like(organization_id, seeds), seeds)
        documents = list({each.id: each for each, _, evidence in named if evidence.is_certain}.values())
        lines = _lines_like(organization_id, documents)
        # A document that is not certain for a line may still make another one ambiguous.
        found = _certain(_documents_like(organization_id, lines), lines)
    except TooManyAlikeError:
        return []
    ids = {each.id for each in seeds}
    return sorted(
        (each for each in found if each.transaction_id in ids), key=lambda each: each.transaction_id
    )


def _certain(documents: Sequence[Any], lines: Sequence[Any]) -> list[CertainPayment]:
    """Keep the pairs that are certain and the only ones of their line and of their document."""
    of_documents: dict[int, int] = defaultdict(int)
    of_lines_: dict[int, int] = defaultdict(int)
    named = _identified(documents, lines)
    for document, line, _ in named:
        of_documents[document.id] += 1
        of_lines_[line.id] += 1
    found = [
        CertainPayment(document.id, line.id, evidence.reason)
        for document, line, evidence in named
        if evidence.is_certain and of_documents[document.id] == of_lines_[line.id] == 1
    ]
    return _undecided(documents[0].organization_id, found) if found else []


def _identified(documents: Iterable[Any], lines: Iterable[Any]) -> list[tuple[Any, Any, ReceiptEvidence]]:
    """Give each pair of a document and a line that names it and has its amount due, by the words of the lines."""
    by_key: dict[str, list[Any]] = defaultdict(list)
    for document in documents:
        for key in _keys(document):
            by_key[key].append(document)
    longest = max(map(len, by_key), default=0)
    found = []
    for line in lines if by_key else ():
        named = {each.id: each for run in spans(text_of(line), longest) for each in by_key.get(run, ())}
        for document in named.values():
            due = document.total_minor if document.due_minor is None else document.due_minor
            if document.currency != line.currency or abs(due or 0) != abs(line.amount_minor):
                continue
            if not is_around(document, line.booked_on):
                continue
            evidence = evidence_of_line(document, line)
            if evidence.identifies:
                found.append((document, line, evidence))
    return found


def _keys(document: Any) -> set[str]:
    if document.document_type not in TELLING_WAY:
        return set()
    keys = {compacted(document.number), compacted(document.remittance)}
    return {each for each in keys if 0 < len(each) <= LONGEST_KEY}


def _has_documents(organization_id: str) -> bool:
    found = sa.select(Document.id).where(Document.organization_id == organization_id).limit(1)
    return db.session.scalar(found) is not None


def _documents(organization_id: str, *conditions: sa.ColumnElement[bool]) -> list[Any]:
    is_attached = sa.exists().where(refers_to(DocumentRelation.document_id, Document))
    statement = sa.select(*_DOCUMENT).where(
        Document.organization_id == organization_id, *conditions, ~is_attached
    )
    return list(db.session.execute(statement.order_by(Document.id).limit(MOST_READ + 1)).all())


def _lines(organization_id: str, *conditions: sa.ColumnElement[bool], most: int = MOST_READ + 1) -> list[Any]:
    statement = sa.select(*_LINE).where(
        Transaction.organization_id == organization_id, Transaction.status == "BOOKED", *conditions
    )
    return list(db.session.execute(statement.order_by(Transaction.id).limit(most)).all())


def _documents_like(organization_id: str, lines: Sequence[Any]) -> list[Any]:
    """Read the documents that have the amounts of lines as what is due, around their days; raises TooManyAlikeError."""
    if not lines:
        return []
    days = [each.booked_on for each in lines]
    first, last = min(days) - AROUND, max(days) + AROUND
    is_near = sa.or_(Document.issued_on.between(first, last), Document.due_on.between(first, last))
    currencies = sorted({each.currency for each in lines})
    found: list[Any] = []
    for some in portions({abs(each.amount_minor) for each in lines}, MOST_AMOUNTS):
        amounts = sorted({*some, *(-each for each in some)})
        # Each of the two columns has its index.
        has_amount = sa.or_(
            Document.due_minor.in_(amounts),
            sa.and_(Document.due_minor.is_(None), Document.total_minor.in_(amounts)),
        )
        found += _documents(organization_id, Document.currency.in_(currencies), has_amount, is_near)
        if len(found) > MOST_READ:
            raise TooManyAlikeError
    return found


def _lines_like(organization_id: str, documents: Sequence[Any]) -> list[Any]:
    """Read the booked lines that have the amounts of documents, around their days; raises TooManyAlikeError."""
    days = [day for each in documents for day in (each.issued_on, each.due_on) if day is not None]
    if not days:
        return []
    accounts = accounts_in(organization_id, {each.currency for each in documents})
    if not accounts:
        return []
    found: list[Any] = []
    dues = {each.total_minor if each.due_minor is None else each.due_minor for each in documents} - {None}
    for some in portions(dues, MOST_AMOUNTS):
        amounts = sorted({*some, *(-each for each in some)})
        is_near = Transaction.booked_on.between(min(days) - AROUND, max(days) + AROUND)
        of_accounts = Transaction.feed_account_id.in_(accounts)
        of_amounts = Transaction.amount_minor.in_(amounts)
        found += _lines(organization_id, of_accounts, is_near, of_amounts)
        if len(found) > MOST_READ:
            raise TooManyAlikeError
    return found


def _undecided(organization_id: str, found: Sequence[CertainPayment]) -> list[CertainPayment]:
    """Leave out the lines that have a document, and the pairs that somebody declined."""
    line_ids = [each.transaction_id for each in found]
    with_document = {each.transaction_id for each in _pairs(DocumentRelation, organization_id, line_ids)}
    declined = {tuple(each) for each in _pairs(DeclinedRelation, organization_id, line_ids)}
    return [
        each
        for each in found
        if each.transaction_id not in with_document
        and (each.document_id, each.transaction_id) not in declined
    ]


def _pairs(
    model: type[DocumentRelation | DeclinedRelation], organization_id: str, line_ids: Sequence[int]
) -> list[Any]:
    of_organization = sa.select(model.document_id, model.transaction_id).where(
        model.organization_id == organization_id
    )
    return [
        row
        for some in portions(line_ids)
        for row in db.session.execute(of_organization.where(model.transaction_id.in_(some)))
    ]
