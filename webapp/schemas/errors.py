"""The schema of every error."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas.base import OPTIONAL, Schema


class ErrorSchema(Schema):
    """An error: a sentence on what is wrong and what to do, and a stable code."""

    error = ma.fields.String(
        validate=ma.validate.Length(min=1),
        metadata={"description": "A sentence; it may quote what was sent."},
    )
    code = ma.fields.String(metadata={"pattern": "^[a-z0-9_]+$"})
    fields_ = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.List(ma.fields.String()),
        data_key="fields",
        metadata={**OPTIONAL, "description": "Of 422: paths of the body or query, and what is wrong."},
    )
    details = ma.fields.Dict(
        metadata={**OPTIONAL, "description": "What a program can act on; what it has depends on the code."}
    )
