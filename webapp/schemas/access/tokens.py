"""The shapes of what the settings' forms say of an API key."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from webapp.ledger.scopes import PRESETS, SCOPES
from webapp.schemas import fields
from webapp.schemas.base import Schema

CHOOSE = "Choose what the key may do."


class _KeySchema(Schema):
    """What every form of a key says: its name, its last day, and its caps, of which an empty one is none."""

    name = fields.Name(required=True)
    expires_on = fields.Day(allow_none=True, load_default=None)
    max_entries_a_day = fields.Digits(least=0, allow_none=True, load_default=None)
    max_amount_a_day = fields.Amount(allow_none=True, load_default=None)
    max_requests_a_minute = fields.Digits(least=1, most=1_000_000, allow_none=True, load_default=None)


class TokenFormSchema(_KeySchema):
    """A key to make: what it may do is a preset, or a choice of scopes of its own."""

    preset = fields.Word(*PRESETS, "own", load_default="own")
    scopes = ma.fields.List(fields.Word(*SCOPES), load_default=list)

    @ma.validates_schema
    def _chooses(self, said: dict[str, Any], **_kwargs: Any) -> None:
        if said.get("preset") == "own" and not said.get("scopes"):
            raise ma.ValidationError({"scopes": [CHOOSE]})


class TokenChangesFormSchema(_KeySchema):
    """A key as it shall be from now on."""

    scopes = ma.fields.List(fields.Word(*SCOPES), required=True, error_messages={"required": CHOOSE})
