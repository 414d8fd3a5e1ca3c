"""What the text of a document suggests for its fields, beside the words that say so; a person takes it or not."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.ledger.notation.amounts import plain
from webapp.ledger.suggestions import receipts
from webapp.models import Document


@dataclass(frozen=True, slots=True)
class SuggestedField:
    """An amount for the total that a document lacks, or its day of issue, and the words of the text that state it."""

    amount: Money | None
    day: date | None
    words: str

    @property
    def field(self) -> str:
        """The field as JSON names it."""
        return "total" if self.amount is not None else "issuedOn"

    @property
    def value(self) -> str:
        """The value as JSON has it."""
        return f"{self.day}" if self.amount is None else plain(self.amount.decimal)

    @property
    def currency(self) -> str | None:
        """The currency of an amount."""
        return None if self.amount is None else self.amount.currency


def of_document(document: Document) -> list[SuggestedField]:
    """Suggest the fields that a document lacks; none beside an e-invoice, which states them itself."""
    if not document.text or (document.invoice is not None and "syntax" in document.invoice):
        return []
    return [*_total(document), *_day(document)]


def _total(document: Document) -> Iterator[SuggestedField]:
    """Suggest the total in the currency that the text names; a credit note states it as a positive amount."""
    found = receipts.total_of(document.text or "") if document.total is None else None
    if found is None:
        return
    currency = found.currency or document.currency
    is_positive = found.amount > 0 or document.document_type == "CREDIT_NOTE"
    if currency is None or currency != (document.currency or currency) or not is_positive:
        return
    try:
        amount = Money.of(abs(found.amount), currency)
    except LedgerError:
        return
    yield SuggestedField(amount, None, found.words)


def _day(document: Document) -> Iterator[SuggestedField]:
    found = receipts.day_of(document.text or "") if document.issued_on is None else None
    if found is not None:
        yield SuggestedField(None, found.day, found.words)
