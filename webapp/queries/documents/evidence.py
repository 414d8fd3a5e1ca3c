"""What speaks for a document of the amount of a bank line or of an entry, in words."""

from decimal import Decimal
from typing import Final

from webapp.ledger.matching.receipts import PaymentFacts, ReceiptEvidence, ReceiptFacts, receipt_evidence
from webapp.ledger.money import Money
from webapp.models import Document, JournalEntry, Transaction
from webapp.models.transactions import charges_of
from webapp.queries.documents import parties

# The types of documents that say which way the money goes.
TELLING_WAY: Final = ("BILL", "INVOICE", "CREDIT_NOTE")


def evidence_of_line(document: Document, line: Transaction) -> ReceiptEvidence:
    """Give what speaks for a document of a line's amount."""
    payment = PaymentFacts(
        line.booked_on,
        text_of(line),
        line.iban,
        is_due=document.due_minor is None
        or abs(document.due_minor) in amounts_of(line).get(document.currency or "", ()),
        comes_in=line.amount_minor > 0,
    )
    return receipt_evidence(_facts(document), payment)


def evidence_of_entry(document: Document, entry: JournalEntry) -> ReceiptEvidence:
    """Give what speaks for a document of the amount of an entry."""
    return receipt_evidence(_facts(document), PaymentFacts(entry.effective_on, entry.description))


def amounts_of(line: Transaction) -> dict[str, set[int]]:
    """Give the amounts for which a line may pay, by currency: its own, without the bank's charges, and the original."""
    stated = line.details or {}
    amounts = {line.currency: {abs(line.amount_minor)}}
    if charges := charges_of(stated, line.currency):
        amounts[line.currency].add(abs(line.amount_minor + charges.minor))
    if (original := stated.get("original_amount")) and (code := stated.get("original_currency")):
        amounts.setdefault(code, set()).add(Money.rounded(Decimal(original), code).minor)
    return amounts


def text_of(line: Transaction) -> str:
    """Give all that a line says in words."""
    return " ".join(part for part in (line.description, line.counterparty, line.reference) if part)


def _facts(document: Document) -> ReceiptFacts:
    is_own = parties.is_own(document)
    # Of a credit note whose sender nobody wrote it is not known who gives it to whom.
    tells_way = document.document_type in TELLING_WAY and (
        document.sender or document.document_type != "CREDIT_NOTE"
    )
    return ReceiptFacts(
        document.number,
        document.buyer if is_own else document.sender,
        document.issued_on,
        document.due_on,
        document.remittance,
        None if is_own else document.iban,
        is_paid_to_us=parties.is_paid_to_us(document) if tells_way else None,
    )
