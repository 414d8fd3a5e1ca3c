"""Items of rules: a bank line or a receipt, and the values of its fields as conditions compare them."""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from operator import attrgetter
from typing import Any, Final, NamedTuple

from webapp.ledger.currencies import digits
from webapp.ledger.matching.lines import normalised
from webapp.ledger.money import Money
from webapp.ledger.rules.fields import TEXT_FIELDS, Field, Source, ValueKind

Value = str | Decimal | date | int | None
# The values of an item by field, as conditions compare them.
Values = Mapping[Field, Value]
Reader = Callable[[Any], Any]
Readers = Mapping[Field, Reader]

# No text holds it, so that nothing is found across two of them.
BETWEEN_TEXTS: Final = "\0"


class RuleLine(NamedTuple):
    """A bank line as rules see it: the bank's data, in the currency of its account, and what a person chose.

    `merchant_id` and `project_id` are never what a rule set, so that rules do not fight over their own output.
    """

    data: Any
    currency: str
    feed_account_id: int | None = None
    merchant_id: int | None = None
    project_id: int | None = None

    @property
    def amount(self) -> Decimal:
        """The amount in the account holder's view."""
        return Decimal(self.data.amount_minor).scaleb(-digits(self.currency))

    def values(self) -> Values:
        """Return what each field compares as.

        >>> from types import SimpleNamespace as Line
        >>> line = Line(description="  Caf\u00e9  BAR ", amount_minor=-250, iban="")
        >>> values = RuleLine(line, "EUR").values()
        >>> values[Field.DESCRIPTION], values[Field.AMOUNT_ABS], values[Field.DIRECTION], values[Field.IBAN]
        ('café bar', Decimal('2.50'), 'OUT', None)
        """
        return ItemValues(self, _OF_LINE)


class ItemValues(dict[Field, Value]):
    """Values of an item, each computed on first access: most rules read few."""

    __slots__ = ("_item", "_readers")

    def __init__(self, item: Any, readers: Readers) -> None:
        super().__init__()
        self._item, self._readers = item, readers

    def __missing__(self, field: Field) -> Value:
        """Compute the value of a field."""
        value: Value = self._readers[field](self._item)
        self[field] = value
        return value


def document_values(document: Any) -> Values:
    """Return what each field of a document compares as, from its data before any rule."""
    return ItemValues(document, _OF_DOCUMENT)


def compact(text: str) -> str:
    """Write an IBAN or another identifier as it is compared: without its spaces and without case."""
    return normalised(text).replace(" ", "")


def readers(raw_reader: Callable[[Field], Reader | None]) -> Readers:
    """Make the readers of all fields from those of raw values: texts folded, an empty one as none at all.

    ANY_TEXT is all texts in one, so that one search finds what any of them contains.
    """
    found = {field: _folding(field.kind, raw) for field in Field if (raw := raw_reader(field)) is not None}
    texts = [found[field] for field in TEXT_FIELDS if field in found]

    def any_text(item: Any) -> str | None:
        return BETWEEN_TEXTS.join([text for read in texts if (text := read(item))]) or None

    return dict.fromkeys(Field, lambda _item: None) | found | {Field.ANY_TEXT: any_text}


def _folding(kind: ValueKind, raw: Reader) -> Reader:
    fold = _FOLDED.get(kind)
    if fold is None:
        return raw

    def read(item: Any) -> Any:
        value = raw(item)
        return None if value is None else fold(value)

    return read


def _number(amount: Money | Decimal) -> Decimal:
    return amount.decimal if isinstance(amount, Money) else amount


_FOLDED: Final[Mapping[ValueKind, Reader]] = {
    ValueKind.TEXT: lambda text: normalised(text) or None,
    ValueKind.IDENTIFIER: lambda text: compact(text) or None,
    ValueKind.AMOUNT: _number,
    ValueKind.SIZE: lambda amount: abs(_number(amount)),
    ValueKind.DIRECTION: lambda amount: "OUT" if _number(amount) < 0 else "IN",
}


def _reader(source: Source, of: str = "") -> Reader | None:
    return attrgetter(f"{of}{source}") if isinstance(source, str) else source


_OF_LINE: Final = readers(lambda field: _reader(field.of_line, "data."))
_OF_DOCUMENT: Final = readers(lambda field: _reader(field.of_document))
