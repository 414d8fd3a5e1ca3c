"""The shapes of joins: which rows are one line, and what a person says about it."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.audit.action_requests import PersonSchema
from webapp.schemas.base import Schema
from webapp.schemas.rules.suggestions import LikelyAccountSchema
from webapp.schemas.transactions.transactions import STATUSES
from webapp.schemas.untrusted import UNTRUSTED, Untrusted

TIERS = ("LINK", "EXACT", "TIP", "REWORDED", "TWIN", "REISSUED", "PERSON")


class LineJoinSchema(Schema):
    """How a line stands to another, and by what evidence: a `JOIN` is the same line, a `TRANSFER` its other side."""

    kind = fields.Word("JOIN", "TRANSFER")
    transaction_id = fields.Id()
    fa_id = fields.Id()
    account_name = ma.fields.String()
    is_kept = ma.fields.Boolean(allow_none=True)
    tier = fields.Word(*TIERS, allow_none=True)
    days_apart = ma.fields.Integer(allow_none=True)
    is_only = ma.fields.Boolean(allow_none=True)
    status = fields.Word("JOINED", "SUGGESTED", "REFUSED")
    reason = Untrusted()
    booked_on = fields.Day()
    amount = fields.Amount()
    currency = fields.Currency()
    description = Untrusted()
    line_status = fields.Word(*STATUSES)
    source = fields.Word("file", "feed", allow_none=True)
    provider_transaction_id = Untrusted(allow_none=True)
    decided_by = ma.fields.Nested(PersonSchema, allow_none=True)
    created_at = fields.Instant(allow_none=True)
    undone_at = fields.Instant(allow_none=True)


class LineChangeSchema(Schema):
    """What the bank changed of a line at one time, by the fields' names."""

    before = ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.String(allow_none=True), metadata=UNTRUSTED
    )
    after = ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.String(allow_none=True), metadata=UNTRUSTED
    )
    created_at = fields.Instant()


class SuggestionsSchema(Schema):
    """What is known of a line beside itself."""

    sources = ma.fields.List(fields.Word("file", "feed"))
    suggestions = ma.fields.List(ma.fields.Nested(LineJoinSchema))
    likely_account = ma.fields.Nested(LikelyAccountSchema, allow_none=True)
    joins = ma.fields.List(ma.fields.Nested(LineJoinSchema))
    changes = ma.fields.List(ma.fields.Nested(LineChangeSchema))


class OtherLineSchema(Schema):
    """The other row."""

    transaction_id = fields.Id(required=True)


class OtherLineFormSchema(Schema):
    """The other row as a form writes it."""

    transaction_id = fields.FormId(required=True)
