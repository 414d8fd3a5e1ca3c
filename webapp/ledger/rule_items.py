"""What a rule looks at: a bank line or a receipt as the bank or the parser gave it, and as conditions compare it."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.ledger.conditions import Field
from webapp.ledger.lines import normalised

Value = str | Decimal | date | int | None

# What ANY_TEXT looks through, in this order.
TEXT_FIELDS: Final = (
    Field.DESCRIPTION,
    Field.COUNTERPARTY,
    Field.REFERENCE,
    Field.IBAN,
    Field.SENDER,
    Field.FILE_NAME,
    Field.TEXT,
)

# No text holds it, so that nothing is found across two of them.
BETWEEN_TEXTS: Final = "\0"


@dataclass(frozen=True, slots=True)
class RuleItem:
    """A bank line or a receipt; `amount` in the account holder's view, None wherever nothing was given.

    `merchant_id` and `project_id` are what a person chose, never what a rule set, so that rules do not fight
    over their own output.
    """

    description: str | None = None
    counterparty: str | None = None
    reference: str | None = None
    iban: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    day: date | None = None
    feed_account_id: int | None = None
    merchant_id: int | None = None
    project_id: int | None = None
    document_type: str | None = None
    total: Decimal | None = None
    tax: Decimal | None = None
    issued_on: date | None = None
    sender: str | None = None
    file_name: str | None = None
    text: str | None = None

    def values(self) -> dict[Field, Value]:
        """Give what each field compares as: texts folded, an empty one as none at all.

        ANY_TEXT is all of them in one, so that one look finds what any of them contains.

        >>> values = RuleItem(description="  Caf\u00e9  BAR ", amount=Decimal("-2.50")).values()
        >>> values[Field.DESCRIPTION], values[Field.AMOUNT_ABS], values[Field.DIRECTION], values[Field.IBAN]
        ('café bar', Decimal('2.50'), 'OUT', None)
        """
        texts = {
            Field.DESCRIPTION: _folded(self.description),
            Field.COUNTERPARTY: _folded(self.counterparty),
            Field.REFERENCE: _folded(self.reference),
            Field.IBAN: compact(self.iban) if self.iban else None,
            Field.SENDER: _folded(self.sender),
            Field.FILE_NAME: _folded(self.file_name),
            Field.TEXT: _folded(self.text),
        }
        given = [text for text in texts.values() if text is not None]
        return {
            **texts,
            Field.ANY_TEXT: BETWEEN_TEXTS.join(given) if given else None,
            Field.AMOUNT: self.amount,
            Field.AMOUNT_ABS: None if self.amount is None else abs(self.amount),
            Field.DIRECTION: None if self.amount is None else "OUT" if self.amount < 0 else "IN",
            Field.CURRENCY: self.currency,
            Field.DATE: self.day,
            Field.FEED_ACCOUNT: self.feed_account_id,
            Field.MERCHANT: self.merchant_id,
            Field.PROJECT: self.project_id,
            Field.DOCUMENT_TYPE: self.document_type,
            Field.TOTAL: self.total,
            Field.TAX: self.tax,
            Field.ISSUED_ON: self.issued_on,
        }


def all_text(
    description: str | None, counterparty: str | None, reference: str | None, iban: str | None
) -> str:
    """Give all text of a bank line as ANY_TEXT compares it, empty where it has none.

    >>> all_text("Coffee  BAR", None, "", "DE02 1203") == f"coffee bar{BETWEEN_TEXTS}de021203"
    True
    """
    texts = (_folded(description), _folded(counterparty), _folded(reference), compact(iban) if iban else None)
    return BETWEEN_TEXTS.join([text for text in texts if text is not None])


def compact(iban: str) -> str:
    """Write an IBAN as it is compared: without its spaces and without case."""
    return normalised(iban).replace(" ", "")


def _folded(text: str | None) -> str | None:
    return (normalised(text) or None) if text else None
