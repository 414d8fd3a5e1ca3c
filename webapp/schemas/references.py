"""Answers with references in the places of ids: what each id names, its schema says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.references import Ref
from webapp.schemas.fields import Id, NewId


def referring(schema: ma.Schema, written: Any) -> Any:
    """Give what a schema has written, or a list of that, with its ids as references.

    >>> from webapp.schemas.audit.action_requests import ResultSchema
    >>> [each.kind.value for each in referring(ResultSchema(), {"journalEntryIds": [7]})["journalEntryIds"]]
    ['journal_entry']
    """
    if isinstance(written, list):
        return [referring(schema, each) for each in written]
    if not isinstance(written, Mapping):
        return written
    fields = {field.data_key or name: field for name, field in schema.dump_fields.items()}
    return {key: _referring(fields.get(key), inner) for key, inner in written.items()}


def _referring(field: ma.fields.Field[Any] | None, written: Any) -> Any:
    if isinstance(field, ma.fields.List):
        return [_referring(field.inner, each) for each in written] if isinstance(written, list) else written
    if isinstance(field, ma.fields.Nested):
        return referring(field.schema, written)
    kind = field.of if isinstance(field, (Id, NewId)) else None
    return written if kind is None or not isinstance(written, int) else Ref(kind, written)
