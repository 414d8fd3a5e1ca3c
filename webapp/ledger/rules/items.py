"""Items of rules: the data of a bank line or a receipt, and how conditions compare it."""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from webapp.ledger.matching.lines import normalised
from webapp.ledger.rules.conditions import Field

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
    Field.BUYER,
    Field.SELLER_VAT_ID,
)

# No text holds it, so that nothing is found across two of them.
BETWEEN_TEXTS: Final = "\0"


class RuleItem(NamedTuple):
    """A bank line or a receipt; `amount` in the account holder's view, None wherever there is no value.

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
    net: Decimal | None = None
    vat_rate: Decimal | None = None
    due_on: date | None = None
    buyer: str | None = None
    seller_vat_id: str | None = None

    def values(self) -> "Values":
        """Give what each field compares as: texts folded, an empty one as none at all.

        ANY_TEXT is all of them in one, so that one search finds what any of them contains.

        >>> values = RuleItem(description="  Caf\u00e9  BAR ", amount=Decimal("-2.50")).values()
        >>> values[Field.DESCRIPTION], values[Field.AMOUNT_ABS], values[Field.DIRECTION], values[Field.IBAN]
        ('café bar', Decimal('2.50'), 'OUT', None)
        """
        return Values(self)


class Values(dict[Field, Value]):
    """The values of an item's fields for comparison, each computed on first access: most rules read few."""

    __slots__ = ("_item",)

    def __init__(self, item: RuleItem) -> None:
        """Begin with no value computed."""
        super().__init__()
        self._item = item

    def __missing__(self, field: Field) -> Value:
        """Compute the value of a field."""
        value = self[field] = _COMPARED[field](self._item)
        return value


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


def _any_text(item: RuleItem) -> str | None:
    lines_own = all_text(item.description, item.counterparty, item.reference, item.iban)
    others = (_folded(text) for text in (item.sender, item.file_name, item.text, item.buyer))
    vat_id = compact(item.seller_vat_id) if item.seller_vat_id else None
    return BETWEEN_TEXTS.join([text for text in (lines_own, *others, vat_id) if text]) or None


_COMPARED: Final[Mapping[Field, Callable[[RuleItem], Value]]] = {
    Field.ANY_TEXT: _any_text,
    Field.DESCRIPTION: lambda item: _folded(item.description),
    Field.COUNTERPARTY: lambda item: _folded(item.counterparty),
    Field.REFERENCE: lambda item: _folded(item.reference),
    Field.IBAN: lambda item: compact(item.iban) if item.iban else None,
    Field.SENDER: lambda item: _folded(item.sender),
    Field.FILE_NAME: lambda item: _folded(item.file_name),
    Field.TEXT: lambda item: _folded(item.text),
    Field.AMOUNT: lambda item: item.amount,
    Field.AMOUNT_ABS: lambda item: None if item.amount is None else abs(item.amount),
    Field.DIRECTION: lambda item: None if item.amount is None else "OUT" if item.amount < 0 else "IN",
    Field.CURRENCY: lambda item: item.currency,
    Field.DATE: lambda item: item.day,
    Field.FEED_ACCOUNT: lambda item: item.feed_account_id,
    Field.MERCHANT: lambda item: item.merchant_id,
    Field.PROJECT: lambda item: item.project_id,
    Field.DOCUMENT_TYPE: lambda item: item.document_type,
    Field.TOTAL: lambda item: item.total,
    Field.TAX: lambda item: item.tax,
    Field.ISSUED_ON: lambda item: item.issued_on,
    Field.NET: lambda item: item.net,
    Field.VAT_RATE: lambda item: item.vat_rate,
    Field.DUE_ON: lambda item: item.due_on,
    Field.BUYER: lambda item: _folded(item.buyer),
    Field.SELLER_VAT_ID: lambda item: compact(item.seller_vat_id) if item.seller_vat_id else None,
}
