"""The schema of who asks."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.scopes import ROLES, SCOPES
from webapp.schemas import fields
from webapp.schemas.base import Schema


def _described(sentence: str) -> dict[str, str]:
    return {"description": sentence}


class CallerBooksSchema(Schema):
    """The books that the caller acts in."""

    id = ma.fields.String()
    name = ma.fields.String()
    base_currency = fields.Currency()
    time_zone = ma.fields.String(metadata=_described("The name of a time zone, such as Europe/Berlin."))
    vat_ids = ma.fields.List(
        ma.fields.String(),
        metadata=_described("Its own VAT ids, by which invoices are recognised as its own."),
    )
    today = fields.Day(metadata=_described("The day that it is now in the time zone of the books."))
    lock_date = fields.Day(
        allow_none=True, metadata=_described("The last day of the closed period; null if nothing is closed.")
    )


class DailyEntriesSchema(Schema):
    """How many entries a key may post in a day."""

    most = ma.fields.Integer(allow_none=True, metadata=_described("Null for no cap."))
    posted = ma.fields.Integer(metadata=_described("The number of entries that it posted today."))
    left = ma.fields.Integer(allow_none=True, metadata=_described("Null for no cap."))


class DailyAmountSchema(Schema):
    """How much a key may post in a day: the debits of its entries in the base currency."""

    most = fields.Amount(allow_none=True, metadata=_described("Null for no cap."))
    posted = fields.Amount(metadata=_described("The sum that it posted today."))
    left = fields.Amount(allow_none=True, metadata=_described("Null for no cap."))


class CallerCapsSchema(Schema):
    """What a key may do in a day and in a minute; with the scope `propose`, what is more waits for a person."""

    entries_a_day = ma.fields.Nested(DailyEntriesSchema)
    amount_a_day = ma.fields.Nested(DailyAmountSchema)
    requests_a_minute = ma.fields.Integer(allow_none=True, metadata=_described("Null for no limit."))
    resets_at = fields.Timestamp()


class CallerSchema(Schema):
    """Who asks, in which books, what they may do there, and what is left of a key's caps today."""

    kind = fields.OneOf("PERSON", "TOKEN")
    id = fields.Id(metadata=_described("The id of the person, or of the API key."))
    name = ma.fields.String()
    owner = ma.fields.String(metadata=_described("The person behind the key."))
    role = fields.OneOf(*ROLES)
    scopes = ma.fields.List(fields.OneOf(*SCOPES))
    organization = ma.fields.Nested(CallerBooksSchema)
    waiting_proposals = ma.fields.Integer(
        metadata=_described("Of a key, its own proposals that wait; of a person, those to decide on.")
    )
    expires_at = fields.Timestamp(allow_none=True)
    caps = ma.fields.Nested(CallerCapsSchema, allow_none=True, metadata=_described("Null for a person."))
    version = ma.fields.String(metadata=_described("The version of Tieout."))
