"""The shape of what the settings' form says of a new API key."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.scopes import SCOPES
from webapp.schemas import fields
from webapp.schemas.base import Schema


class TokenFormSchema(Schema):
    """A key to make: its name, what it may do, and the last day on which it works."""

    name = fields.Name(required=True)
    scopes = ma.fields.List(
        fields.Word(*SCOPES),
        required=True,
        error_messages={"required": "Choose what the key may do."},
    )
    expires_on = fields.Day(allow_none=True, load_default=None)
