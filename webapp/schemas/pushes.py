"""The schemas of a push: lines that a provider added, modified and removed, and the balance that it states."""

from datetime import date
from decimal import Decimal
from typing import Any, Final, TypeGuard

import marshmallow as ma

from webapp.ledger.currencies import ACTIVE
from webapp.ledger.matching.lines import DETAILS
from webapp.ledger.matching.pushed_lines import PushedLine
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import WARNING_CODES, WARNINGS, Schema
from webapp.schemas.instants import ANY_DAY, DayOrInstant
from webapp.schemas.untrusted import Untrusted

MOST_LINES: Final = 10_000
# Lines whose faults are told; the answer shows no more.
MOST_TOLD: Final = 20
LONGEST_TEXT: Final = 2000
LONGEST_ID: Final = 255
LONGEST_DETAIL: Final = 500


class UnboundedDay(fields.Day):
    """A day of any year, which the service checks, because it counts refused batches."""

    earliest, latest = date.min, date.max
    written = ANY_DAY


class UnboundedAmount(fields.Amount):
    """An amount of any size, which the service checks, because it counts refused batches."""

    written = fields.LONG_DECIMAL


class UnsignedAmount(fields.Amount):
    """An amount without a sign."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        found = super()._deserialize(value, attr, data, **kwargs)
        if found is not None and found < 0:
            raise ma.ValidationError("Send it without a sign.")
        return found


class FeedLineSchema(Schema):
    """A line of a provider; `pendingTransactionId` is the id that it had as pending, if the provider has it.

    `charges` are within the amount; with `originalAmount` it was paid in `originalCurrency`.
    """

    provider_transaction_id = fields.Text(least=1, most=LONGEST_ID, required=True)
    pending = fields.Flag(load_default=False)
    booked_on = UnboundedDay(required=True)
    value_on = UnboundedDay(allow_none=True, load_default=None)
    amount = UnboundedAmount(required=True)
    currency = fields.Currency(allow_none=True, load_default=None)
    description = fields.Text(most=LONGEST_TEXT, allow_none=True, load_default="")
    counterparty = fields.Text(most=LONGEST_TEXT, allow_none=True, load_default=None)
    reference = fields.Text(most=LONGEST_TEXT, allow_none=True, load_default=None)
    iban = fields.Text(most=64, allow_none=True, load_default=None)
    pending_transaction_id = fields.Text(least=1, most=LONGEST_ID, allow_none=True, load_default=None)
    shared_id = fields.Text(
        least=1,
        most=LONGEST_ID,
        allow_none=True,
        load_default=None,
        metadata={
            "description": "The provider's id of this line where several lines have it; `providerTransactionId` is then"
            " an id of your own making, the same every time."
        },
    )

    charges = UnsignedAmount(
        allow_none=True,
        load_default=None,
        metadata={"description": "Charges of the bank within the amount, without a sign."},
    )
    original_amount = UnsignedAmount(
        allow_none=True,
        load_default=None,
        metadata={"description": "What was paid in another currency, without a sign."},
    )
    original_currency = fields.Currency(
        allow_none=True, load_default=None, metadata={"description": "The currency of the original amount."}
    )
    exchange_rate = UnsignedAmount(
        allow_none=True,
        load_default=None,
        metadata={"description": "The rate that turned the original amount into this one."},
    )
    return_reason = fields.Text(
        most=LONGEST_DETAIL,
        allow_none=True,
        load_default=None,
        metadata={"description": "The code of the reason for which money came back, such as AM04."},
    )
    return_text = fields.Text(
        most=LONGEST_DETAIL,
        allow_none=True,
        load_default=None,
        metadata={"description": "The bank's words on that reason."},
    )

    @ma.post_load
    def pushed(self, values: dict[str, Any], **kwargs: Any) -> PushedLine:
        """Convert the line to the ledger's PushedLine."""
        del kwargs
        values["description"] = values["description"] or ""
        return PushedLine(**values)


# The details of a line are rare, and left to the schema.
KEYS: Final = frozenset(
    field.data_key or name for name, field in FeedLineSchema().load_fields.items() if name not in DETAILS
)
IDS: Final = ("providerTransactionId", "pendingTransactionId", "sharedId")
TEXTS: Final = (
    ("description", LONGEST_TEXT),
    ("counterparty", LONGEST_TEXT),
    ("reference", LONGEST_TEXT),
    ("iban", 64),
)


def fast_line(raw: Any) -> PushedLine | None:  # noqa: PLR0911  (each return leaves the line to the schema)
    """Read a line that is valid by FeedLineSchema in a fraction of its time; None leaves it to the schema."""
    if type(raw) is not dict or not raw.keys() <= KEYS:
        return None
    get = raw.get
    texts = [get(name) for name, _ in TEXTS]
    for text, (_, most) in zip(texts, TEXTS, strict=True):
        if text is not None and not (type(text) is str and len(text) <= most and is_valid_text(text)):
            return None
    own_id, pending_id, shared_id = (get(name) for name in IDS)
    if not is_provider_id(own_id) or not all(
        each is None or is_provider_id(each) for each in (pending_id, shared_id)
    ):
        return None
    pending, amount, currency = get("pending", False), get("amount"), get("currency")
    if type(pending) is not bool or type(amount) is not str or not fields.DECIMAL.fullmatch(amount):
        return None
    if not (currency is None or (type(currency) is str and currency in ACTIVE)):
        return None
    booked_on, value_on = day_of(get("bookedOn")), day_of(get("valueOn"))
    if booked_on is None or (value_on is None and get("valueOn") is not None):
        return None
    description, counterparty, reference, iban = texts
    return PushedLine(
        own_id, pending, booked_on, Decimal(amount), currency, description or "", value_on, counterparty,
        reference, iban, pending_id, shared_id=shared_id,
    )  # fmt: skip


def is_valid_text(text: str) -> bool:
    """Return whether a text has neither NUL nor lone surrogates."""
    return "\0" not in text and (text.isascii() or not fields.SURROGATE.search(text))


def is_provider_id(text: Any) -> TypeGuard[str]:
    """Return whether a value is a valid provider id."""
    return type(text) is str and 0 < len(text) <= LONGEST_ID and is_valid_text(text)


def day_of(text: Any) -> date | None:
    """Read a valid day, else None."""
    if type(text) is not str or not fields.ISO_DAY.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


class Lines(ma.fields.List[Any]):
    """A list of lines, each read by `fast_line`, else by its schema for its messages: of the first ones alone."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(ma.fields.Nested(FeedLineSchema), load_default=list, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            return super()._deserialize(value, attr, data, **kwargs)
        lines: list[Any] = list(map(fast_line, value))
        errors = {}
        for place in (place for place, line in enumerate(lines) if line is None):
            try:
                lines[place] = self.inner.deserialize(value[place], **kwargs)
            except ma.ValidationError as error:
                errors[place] = error.messages
                if len(errors) == MOST_TOLD:
                    break
        if errors:
            raise ma.ValidationError(errors)
        return lines


class PushedBalanceSchema(Schema):
    """A stated balance; one without an amount is unknown, never zero."""

    amount = UnboundedAmount(allow_none=True, load_default=None)
    currency = fields.Currency(allow_none=True, load_default=None)
    as_of = DayOrInstant(allow_none=True, load_default=None)


class PushSchema(Schema):
    """One batch of a feed; `removed` are provider ids."""

    batch_id = fields.Text(least=1, most=LONGEST_ID, required=True)
    added = Lines()
    modified = Lines()
    removed = ma.fields.List(fields.Text(least=1, most=LONGEST_ID), load_default=list)
    balance = ma.fields.Nested(PushedBalanceSchema, allow_none=True, load_default=None)
    pending_until = UnboundedDay(
        allow_none=True,
        load_default=None,
        metadata={
            "description": "All lines that are pending up to this day are in the batch; others that were pending are"
            " withdrawn. Leave it out where the batch may lack some."
        },
    )

    @ma.validates_schema(skip_on_field_errors=True)
    def refuse_too_many(self, values: dict[str, Any], **kwargs: Any) -> None:
        """Refuse more lines than a batch may have."""
        del kwargs
        count = sum(len(values[name]) for name in ("added", "modified", "removed"))
        if count > MOST_LINES:
            raise ma.ValidationError(f"A batch has at most {MOST_LINES:,} lines; this one has {count:,}.")


class PushResultSchema(Schema):
    """The result for one line: `transactionId` is its line in the books."""

    provider_transaction_id = Untrusted()
    verdict = fields.OneOf(
        "NEW",
        "ALREADY_THERE",
        "POSSIBLY_THERE",
        "PENDING",
        "JOINED",
        "CHANGED",
        "RETURNED",
        "REMOVED",
        "DELETED",
        "UNKNOWN",
    )
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    reason = Untrusted()


class PushResultsSchema(Schema):
    """One result for each line of a push, in the order added, modified, removed."""

    results = ma.fields.List(ma.fields.Nested(PushResultSchema))
    warnings = ma.fields.List(Untrusted(), metadata=WARNINGS)
    warning_codes = ma.fields.List(ma.fields.String(), metadata=WARNING_CODES)
