"""The schemas of an API key: its record, and the settings' forms of one."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from webapp.ledger.scopes import PRESETS, SCOPES
from webapp.schemas import fields
from webapp.schemas.base import Schema

CHOOSE = "Choose what the key may do."


class _KeySchema(Schema):
    """The fields of all forms of a key: its name, its last day and its caps; an empty cap is none."""

    name = fields.Name(required=True)
    expires_on = fields.Day(allow_none=True, load_default=None)
    max_entries_a_day = fields.Digits(least=0, allow_none=True, load_default=None)
    max_amount_a_day = fields.Amount(allow_none=True, load_default=None)
    max_requests_a_minute = fields.Digits(least=1, most=1_000_000, allow_none=True, load_default=None)


class TokenFormSchema(_KeySchema):
    """A new key: its scopes are a preset or chosen one by one."""

    preset = fields.OneOf(*PRESETS, "own", load_default="own")
    scopes = ma.fields.List(fields.OneOf(*SCOPES), load_default=list)

    @ma.validates_schema
    def _has_scopes(self, key: dict[str, Any], **_kwargs: Any) -> None:
        if key.get("preset") == "own" and not key.get("scopes"):
            raise ma.ValidationError({"scopes": [CHOOSE]})


class TokenChangesFormSchema(_KeySchema):
    """The changed fields of a key."""

    scopes = ma.fields.List(fields.OneOf(*SCOPES), required=True, error_messages={"required": CHOOSE})


class TokenSchema(Schema):
    """A key without its text; `lastDay` is null where it has no end, `role` empty where its owner is no member now."""

    id = ma.fields.Integer()
    name = ma.fields.String()
    prefix = ma.fields.String()
    scopes = ma.fields.List(fields.OneOf(*SCOPES))
    user_name = ma.fields.String()
    role = ma.fields.String()
    created_at = fields.Timestamp()
    last_day = ma.fields.Date(allow_none=True)
    last_used_at = fields.Timestamp(allow_none=True)
    revoked_at = fields.Timestamp(allow_none=True)
    max_entries_a_day = ma.fields.Integer(allow_none=True)
    max_amount_a_day = fields.Amount(allow_none=True)
    max_requests_a_minute = ma.fields.Integer(allow_none=True)
