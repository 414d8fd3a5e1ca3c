"""The shape of every error."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas.base import Schema


class ErrorSchema(Schema):
    """What is true and what to do, with a stable code beside it."""

    error = ma.fields.String(required=True, metadata={"description": "A sentence."})
    code = ma.fields.String()
    fields_ = ma.fields.Dict(data_key="fields")
    details = ma.fields.Dict()
