"""The fields that conditions can ask, each in one row: its kind, its words, and where a line and a document have it."""

from collections.abc import Callable
from decimal import Decimal
from enum import Enum, StrEnum, auto
from typing import Any, Final, NamedTuple, Self

from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.triggers import Target

# An attribute, or a function that reads the value.
Source = str | Callable[[Any], Any] | None


class ValueKind(Enum):
    """What sort of value a field has, which decides its operators and how values are read and compared.

    An identifier is compared without spaces; an amount may be Money or a decimal, and a size is one without its sign.
    """

    TEXT = auto()
    IDENTIFIER = auto()
    AMOUNT = auto()
    SIZE = auto()
    DAY = auto()
    DIRECTION = auto()
    DOCUMENT_TYPE = auto()
    CURRENCY = auto()
    ID = auto()


class RuleField(NamedTuple):
    """One field that conditions can ask, as a row of `Field`.

    `of_line` is an attribute of the bank's line, which is also the column it is selected from, or a function of a
    `RuleLine`; a field without it belongs to receipts alone. `of_document` is an attribute or a function of a document.
    A field that holds ids names the key that those are sent under.
    """

    name: str
    kind: ValueKind
    label: str
    of_line: Source = None
    of_document: Source = None
    id_key: str = ""


def _chosen(kind: EffectKind, attribute: str) -> Callable[[Any], Any]:
    """Read a field of a document where a person set it, so that rules do not fight over their own output."""
    return lambda document: getattr(document, attribute) if kind in document.set_by_hand else None


def _vat_rate(document: Any) -> Decimal | None:
    """Return the rate of VAT of an e-invoice in percent; None where it has several, or states none."""
    rates = {row["rate"] for row in (document.invoice or {}).get("vat", ())}
    (rate,) = rates if len(rates) == 1 else (None,)
    return None if rate is None else Decimal(rate)


class Field(StrEnum):
    """What a condition looks at, in the order of the form; ANY_TEXT is all texts of an item."""

    ANY_TEXT = RuleField("ANY_TEXT", ValueKind.TEXT, "any text")
    DESCRIPTION = RuleField("DESCRIPTION", ValueKind.TEXT, "description", "description")
    COUNTERPARTY = RuleField("COUNTERPARTY", ValueKind.TEXT, "counterparty", "counterparty", "sender")
    REFERENCE = RuleField("REFERENCE", ValueKind.TEXT, "reference", "reference", "number")
    IBAN = RuleField("IBAN", ValueKind.IDENTIFIER, "IBAN", "iban", "iban")
    AMOUNT = RuleField("AMOUNT", ValueKind.AMOUNT, "amount", lambda line: line.amount, "total")
    AMOUNT_ABS = RuleField("AMOUNT_ABS", ValueKind.SIZE, "amount (+/−)", lambda line: line.amount, "total")
    DIRECTION = RuleField("DIRECTION", ValueKind.DIRECTION, "direction", lambda line: line.amount, "total")
    CURRENCY = RuleField(
        "CURRENCY", ValueKind.CURRENCY, "currency", lambda line: line.currency, "original_currency"
    )
    DATE = RuleField("DATE", ValueKind.DAY, "day", "booked_on", "issued_on")
    FEED_ACCOUNT = RuleField(
        "FEED_ACCOUNT", ValueKind.ID, "bank account", lambda line: line.feed_account_id, id_key="faId"
    )
    MERCHANT = RuleField(
        "MERCHANT",
        ValueKind.ID,
        "customer or supplier",
        lambda line: line.merchant_id,
        _chosen(EffectKind.SET_MERCHANT, "org_merchant_id"),
        id_key="orgMerchantId",
    )
    PROJECT = RuleField(
        "PROJECT",
        ValueKind.ID,
        "project",
        lambda line: line.project_id,
        _chosen(EffectKind.SET_PROJECT, "project_id"),
        id_key="projectId",
    )
    DOCUMENT_TYPE = RuleField(
        "DOCUMENT_TYPE", ValueKind.DOCUMENT_TYPE, "document type", of_document="document_type"
    )
    TOTAL = RuleField("TOTAL", ValueKind.AMOUNT, "total", of_document="total")
    TAX = RuleField("TAX", ValueKind.AMOUNT, "tax", of_document="tax")
    ISSUED_ON = RuleField("ISSUED_ON", ValueKind.DAY, "issue date", of_document="issued_on")
    SENDER = RuleField("SENDER", ValueKind.TEXT, "sender", of_document="sender")
    FILE_NAME = RuleField("FILE_NAME", ValueKind.TEXT, "file name", of_document="file_name")
    TEXT = RuleField("TEXT", ValueKind.TEXT, "text of the document", of_document="text")
    NET = RuleField("NET", ValueKind.AMOUNT, "net", of_document="net")
    VAT_RATE = RuleField("VAT_RATE", ValueKind.SIZE, "VAT rate", of_document=_vat_rate)
    DUE_ON = RuleField("DUE_ON", ValueKind.DAY, "due day", of_document="due_on")
    BUYER = RuleField("BUYER", ValueKind.TEXT, "buyer", of_document="buyer")
    SELLER_VAT_ID = RuleField(
        "SELLER_VAT_ID", ValueKind.IDENTIFIER, "seller's VAT id", of_document="seller_vat_id"
    )

    def __new__(cls, name: str, *_row: Any) -> Self:
        """Make a field that is its name as a string."""
        field = str.__new__(cls, name)
        field._value_ = name
        return field

    def __init__(self, *row: Any) -> None:
        its = RuleField(*row)
        self.kind, self.label, self.id_key = its.kind, its.label, its.id_key
        self.of_line, self.of_document = its.of_line, its.of_document

    # Every line that rules are evaluated for looks fields up; an enum's own hash is a call in Python.
    __hash__ = str.__hash__

    @property
    def targets(self) -> frozenset[Target]:
        """The targets whose conditions may ask this field."""
        is_of_lines = self.of_line is not None or self is Field.ANY_TEXT
        return frozenset(Target) if is_of_lines else frozenset({Target.RECEIPT})


# What ANY_TEXT looks through, in this order.
TEXT_FIELDS: Final = tuple(
    field
    for field in Field
    if field.kind in (ValueKind.TEXT, ValueKind.IDENTIFIER) and field is not Field.ANY_TEXT
)
# The columns of a bank's line that fields are read from.
LINE_COLUMNS: Final = tuple(field.of_line for field in Field if isinstance(field.of_line, str))
# The key that the ids of a field are sent under, by the field's name.
ID_FIELDS: Final = {field.value: field.id_key for field in Field if field.id_key}


def fields_of(target: Target) -> tuple[Field, ...]:
    """List what conditions on a target may ask, in the order of the form."""
    return tuple(field for field in Field if target in field.targets)


def ids_in(value: str) -> list[str]:
    """Read the ids that a condition's value names.

    >>> ids_in("4, 17")
    ['4', '17']
    """
    return [part.strip() for part in value.split(",") if part.strip()]
