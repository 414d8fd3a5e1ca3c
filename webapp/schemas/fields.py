"""The field types of our JSON, stricter than Marshmallow's own, because money is concerned."""

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import marshmallow as ma

from webapp.ledger.canonical import instant_text
from webapp.ledger.currencies import canonical
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import AmountTooLargeError, Money
from webapp.ledger.notation.days import EARLIEST, LATEST, no_such_day
from webapp.ledger.references import Kind
from webapp.ledger.texts.legible import plain

LARGEST_ID = 2**63 - 1
ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
# Well written, and beyond 64 bits in every currency.
LARGE = re.compile(r"-?[1-9][0-9]{18,200}(\.[0-9]{1,12})?", re.ASCII)
DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,12})?", re.ASCII)
LONG_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,39})(\.[0-9]{1,40})?", re.ASCII)
SURROGATE = re.compile("[\ud800-\udfff]")
AMOUNT_WANTED = "Write an amount like -12.50: digits, and a point before the cents."
OTHER_MINUSES = "−–—‐‑‒﹣－"  # noqa: RUF001  (that they look alike is the matter)
MINUS_WANTED = "Write the minus as the - of the keyboard; this one is another character."
RATE_WANTED = "Write a rate above zero, like 1.0842."
DAY_WANTED = "Write a day as YYYY-MM-DD."
# As a pattern for the OpenAPI document, which ignores the lengths of months.
WRITTEN_DAY = "(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"


def with_metadata(options: dict[str, Any], **facts: Any) -> dict[str, Any]:
    """Add metadata for the OpenAPI document to the options of a field, unless it has its own.

    >>> with_metadata({"required": True, "metadata": {"description": "Its own."}}, format="uri")
    {'required': True, 'metadata': {'format': 'uri', 'description': 'Its own.'}}
    """
    return {**options, "metadata": {**facts, **options.get("metadata", {})}}


class Text(ma.fields.String):
    """Unicode text without NUL and lone surrogates; lengths are code points.

    With `strip` it loses white space at its ends, with `is_plain` the characters that nobody sees.
    """

    def __init__(
        self, *, least: int = 0, most: int, strip: bool = False, is_plain: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(
            validate=ma.validate.Length(min=least, max=most, error=_length_message(least, most)), **kwargs
        )
        self.strip, self.is_plain = strip, is_plain

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ma.ValidationError("Send text.")
        if "\0" in value or SURROGATE.search(value):
            raise ma.ValidationError("Text must be Unicode without NUL.")
        text = plain(value) if self.is_plain else value
        return text.strip() if self.strip else text


def _length_message(least: int, most: int) -> str:
    return f"Write {least} to {most} characters." if least else f"Write at most {most} characters."


class Name(Text):
    """A name of 1 to 255 characters that is not blank, without those that nobody sees."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(least=1, most=255, is_plain=True, **with_metadata(kwargs, pattern=r"\S"))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if value and not text.strip():
            raise ma.ValidationError("A name needs a visible character.")
        return text


class Url(Text):
    """A web address that begins with http:// or https://."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(most=2000, **with_metadata(kwargs, format="uri", pattern="^https?://[^/?#\\s]"))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            parts = urlsplit(text)
        except ValueError as error:
            raise ma.ValidationError("Write an address that begins with https:// or http://.") from error
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or not text.isprintable()
            or " " in text
        ):
            raise ma.ValidationError("Write an address that begins with https:// or http://.")
        return text


class WholeNumber(ma.fields.Integer):
    """A whole JSON number: never true, never text, within bounds."""

    def __init__(self, *, least: int = -(2**31), most: int = 2**31 - 1, **kwargs: Any) -> None:
        bounds = ma.validate.Range(min=least, max=most, error=f"Send a whole number from {least} to {most}.")
        super().__init__(strict=True, validate=bounds, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ma.ValidationError("Send a whole number.")
        return value


class Id(WholeNumber):
    """The id of an object in the organization's books; `of` is its kind, none where no act makes one."""

    def __init__(self, of: Kind | None = None, **kwargs: Any) -> None:
        self.of = of
        super().__init__(least=1, most=LARGEST_ID, **with_metadata(kwargs, format="int64"))


class NewId(ma.fields.Field[int | str]):
    """The id of an existing object, or `new-1`, `new-2`, … of one that would be created; only in answers."""

    def __init__(self, of: Kind) -> None:
        self.of = of
        super().__init__(dump_only=True, metadata={"type": ["integer", "string"]})


class Digits(WholeNumber):
    """A whole number in a form or a query string."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, str) and re.fullmatch("0|[1-9][0-9]{0,18}", value, re.ASCII):
            value = int(value)
        return super()._deserialize(value, attr, data, **kwargs)


class FormId(Digits):
    """An id in a form or a query string; `of` as for Id."""

    def __init__(self, of: Kind | None = None, **kwargs: Any) -> None:
        self.of = of
        super().__init__(least=1, most=LARGEST_ID, **with_metadata(kwargs, format="int64"))


class FormFlag(ma.fields.Boolean):
    """true or false in a form or a query string."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise ma.ValidationError("Send true or false.")
        return bool(value == "true")


class Flag(ma.fields.Boolean):
    """A JSON boolean, without the texts and numbers that Marshmallow accepts."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ma.ValidationError("Send true or false.")
        return value


class JsonObject(ma.fields.Dict):
    """A JSON object of any shape, or none."""

    default_error_messages = {"invalid": "Send a JSON object."}  # noqa: RUF012

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(keys=ma.fields.String(), allow_none=True, **kwargs)


class OneOf(ma.fields.String):
    """One of a list of words."""

    def __init__(self, *words: str, **kwargs: Any) -> None:
        self.words, error = words, f"Send one of {', '.join(words)}."
        super().__init__(validate=ma.validate.OneOf(words, error=error), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ma.ValidationError("Send text.")
        if "," in value and set(value.split(",")) <= set(self.words):
            raise ma.ValidationError(f"Send only one of {value.replace(',', ', ')}.")
        return value


class Day(ma.fields.Date):
    """A day as YYYY-MM-DD in ASCII digits, between 1900 and 2199."""

    earliest, latest = EARLIEST, LATEST
    written = WRITTEN_DAY

    def __init__(self, format: str | None = None, **kwargs: Any) -> None:  # noqa: A002  (Marshmallow's own name)
        super().__init__(format, **with_metadata(kwargs, format="date", pattern=f"^{self.written}$"))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> date:
        if not isinstance(value, str) or not ISO_DAY.fullmatch(value):
            raise ma.ValidationError(DAY_WANTED)
        try:
            day = date.fromisoformat(value)
        except ValueError as error:
            raise ma.ValidationError(no_such_day(value)) from error
        if not self.earliest <= day <= self.latest:
            raise ma.ValidationError("Write a day between 1900 and 2199.")
        return day


class Timestamp(ma.fields.String):
    """An instant in UTC, RFC 3339 with Z; only in answers."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(dump_only=True, metadata={"format": "date-time"}, **kwargs)

    def _serialize(self, value: datetime | None, attr: str | None, obj: Any, **kwargs: Any) -> str | None:  # type: ignore[override]
        return None if value is None else instant_text(value)


class Amount(ma.fields.String):
    """An amount as a decimal string: Money in answers, a Decimal in requests, whose currency the service knows."""

    written = DECIMAL

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**with_metadata(kwargs, pattern=f"^{self.written.pattern}$"))

    def _serialize(self, value: Money | None, attr: str | None, obj: Any, **kwargs: Any) -> str | None:  # type: ignore[override]
        return None if value is None else str(value)

    def _deserialize(  # type: ignore[override]
        self, value: Any, attr: str | None, data: Any, **kwargs: Any
    ) -> Decimal:
        if not isinstance(value, str):
            raise ma.ValidationError('Write an amount as a decimal string, like "-12.50".')
        if not self.written.fullmatch(value):
            if LARGE.fullmatch(value):
                raise AmountTooLargeError(fields={attr or "": [str(AmountTooLargeError.__doc__)]})
            raise ma.ValidationError(MINUS_WANTED if set(value) & set(OTHER_MINUSES) else AMOUNT_WANTED)
        return Decimal(value)


class Factor(Amount):
    """A factor as a decimal string; `most` is the largest, and none is below zero then."""

    def __init__(self, *, most: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.most = most

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return value if value is None or isinstance(value, str) else format(value, "f")

    def _deserialize(  # type: ignore[override]
        self, value: Any, attr: str | None, data: Any, **kwargs: Any
    ) -> Decimal:
        factor = super()._deserialize(value, attr, data, **kwargs)
        if self.most is not None and not 0 <= factor <= self.most:
            raise ma.ValidationError(f"Write a number from 0 to {self.most}.")
        return factor


class UnitsPerBase(ma.fields.String):
    """An exchange rate as a decimal string greater than zero."""

    def __init__(self, **kwargs: Any) -> None:
        # The lookahead demands a digit other than 0.
        super().__init__(
            **with_metadata(kwargs, pattern=r"^(?=.*[1-9])(0|[1-9][0-9]{0,17})(\.[0-9]{1,12})?$")
        )

    def _serialize(self, value: Decimal | None, attr: str | None, obj: Any, **kwargs: Any) -> str | None:  # type: ignore[override]
        return None if value is None else format(value, "f")

    def _deserialize(  # type: ignore[override]
        self, value: Any, attr: str | None, data: Any, **kwargs: Any
    ) -> Decimal:
        if not isinstance(value, str):
            raise ma.ValidationError('Write a rate as a decimal string, like "1.0842".')
        if not DECIMAL.fullmatch(value) or Decimal(value) <= 0:
            raise ma.ValidationError(RATE_WANTED)
        return Decimal(value)


class Currency(ma.fields.String):
    """An ISO 4217 code, in upper or lower case."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**with_metadata(kwargs, pattern="^[A-Za-z]{3}$", description="An ISO 4217 code."))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ma.ValidationError("Send a currency code, like EUR.")
        try:
            return canonical(value)
        except LedgerError as error:
            raise ma.ValidationError(str(error)) from error


class Emoji(Text):
    """An emoji, or any short text."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(most=64, **kwargs)
