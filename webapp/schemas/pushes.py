"""The shape of a push: the lines that a provider added, modified and removed, and the balance that it states."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, Final, TypeGuard

import marshmallow as ma

from webapp.ledger.currencies import ACTIVE
from webapp.ledger.matching.pushed_lines import PushedLine
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.instants import ANY_DAY, DayOrInstant
from webapp.schemas.untrusted import Untrusted

MOST_LINES: Final = 10_000
LONGEST_TEXT: Final = 2000
LONGEST_ID: Final = 255


class SentDay(fields.Day):
    """A day of any year: whether a bank can mean it is for the feed to judge, which counts such batches."""

    earliest, latest = date.min, date.max
    written = ANY_DAY


class SentAmount(fields.Amount):
    """An amount of any size: whether the currency holds it is for the feed to judge, which counts such batches."""

    written = fields.LONG_DECIMAL


class FeedLineSchema(Schema):
    """A line as the provider says it; `pendingTransactionId` names the pending line that it was, if it says so."""

    provider_transaction_id = fields.Text(least=1, most=LONGEST_ID, required=True)
    pending = fields.Flag(load_default=False)
    booked_on = SentDay(required=True)
    value_on = SentDay(allow_none=True, load_default=None)
    amount = SentAmount(required=True)
    currency = fields.Currency(allow_none=True, load_default=None)
    description = fields.Text(most=LONGEST_TEXT, allow_none=True, load_default="")
    counterparty = fields.Text(most=LONGEST_TEXT, allow_none=True, load_default=None)
    reference = fields.Text(most=LONGEST_TEXT, allow_none=True, load_default=None)
    iban = fields.Text(most=64, allow_none=True, load_default=None)
    pending_transaction_id = fields.Text(least=1, most=LONGEST_ID, allow_none=True, load_default=None)

    @ma.post_load
    def pushed(self, values: dict[str, Any], **kwargs: Any) -> PushedLine:
        """Give the line as the ledger knows it."""
        del kwargs
        values["pending_id"] = values.pop("pending_transaction_id")
        values["description"] = values["description"] or ""
        return PushedLine(**values)


KEYS: Final = frozenset(field.data_key or name for name, field in FeedLineSchema().load_fields.items())
TEXTS: Final = (
    ("description", LONGEST_TEXT),
    ("counterparty", LONGEST_TEXT),
    ("reference", LONGEST_TEXT),
    ("iban", 64),
)


def quick(raw: Any) -> PushedLine | None:  # noqa: PLR0911  (each way out is a question that the schema answers)
    """Read a line that is plainly as FeedLineSchema has it, in a fraction of its time; None leaves it to the schema."""
    if type(raw) is not dict or not raw.keys() <= KEYS:
        return None
    get = raw.get
    texts = [get(name) for name, _ in TEXTS]
    for text, (_, most) in zip(texts, TEXTS, strict=True):
        if text is not None and not (type(text) is str and len(text) <= most and is_sound(text)):
            return None
    named, link = get("providerTransactionId"), get("pendingTransactionId")
    if not is_name(named) or not (link is None or is_name(link)):
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
        named, pending, booked_on, value_on, Decimal(amount), currency, description or "", counterparty,
        reference, iban, link,
    )  # fmt: skip


def is_sound(text: str) -> bool:
    """Tell whether a text is plainly free of NUL and lone surrogates."""
    return "\0" not in text and (text.isascii() or not fields.SURROGATE.search(text))


def is_name(text: Any) -> TypeGuard[str]:
    """Tell whether this is plainly a provider's id."""
    return type(text) is str and 0 < len(text) <= LONGEST_ID and is_sound(text)


def day_of(text: Any) -> date | None:
    """Read a day that is plainly one."""
    if type(text) is not str or not fields.ISO_DAY.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


class Lines(ma.fields.List[Any]):
    """A list of lines, read quickly where nothing is wrong with any of them, and else by their schema."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(ma.fields.Nested(FeedLineSchema), load_default=list, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if isinstance(value, list):
            lines = list(map(quick, value))
            if all(lines):
                return lines
        return super()._deserialize(value, attr, data, **kwargs)


class PushedBalanceSchema(Schema):
    """A balance that the bank states; one without an amount is unknown, never zero."""

    amount = SentAmount(allow_none=True, load_default=None)
    currency = fields.Currency(allow_none=True, load_default=None)
    as_of = DayOrInstant(allow_none=True, load_default=None)


class PushSchema(Schema):
    """One batch of a feed; `removed` are provider ids."""

    batch_id = fields.Text(least=1, most=LONGEST_ID, required=True)
    added = Lines()
    modified = Lines()
    removed = ma.fields.List(fields.Text(least=1, most=LONGEST_ID), load_default=list)
    balance = ma.fields.Nested(PushedBalanceSchema, allow_none=True, load_default=None)

    @ma.validates_schema(skip_on_field_errors=True)
    def refuse_too_many(self, values: dict[str, Any], **kwargs: Any) -> None:
        """Refuse more lines than a batch may have."""
        del kwargs
        count = sum(len(values[name]) for name in ("added", "modified", "removed"))
        if count > MOST_LINES:
            raise ma.ValidationError(f"A batch has at most {MOST_LINES:,} lines; this one has {count:,}.")


class PushResultSchema(Schema):
    """What became of one line: `transactionId` is the line in the books that it is."""

    provider_transaction_id = Untrusted()
    verdict = fields.Word(
        "NEW",
        "ALREADY_THERE",
        "POSSIBLY_THERE",
        "PENDING",
        "JOINED",
        "CHANGED",
        "REMOVED",
        "DELETED",
        "UNKNOWN",
    )
    transaction_id = fields.Id(allow_none=True)
    reason = Untrusted()


class PushResultsSchema(Schema):
    """The answer to a push: one result for each line, in the order added, modified, removed."""

    results = ma.fields.List(ma.fields.Nested(PushResultSchema))
