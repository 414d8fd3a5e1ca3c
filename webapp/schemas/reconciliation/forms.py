"""The schemas of the workspace's forms of reconciliation."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.reconciliation.reconciliations import (
    AT_MOST,
    AcceptSchema,
    DraftInputSchema,
    ReopenSchema,
)


class DraftFormSchema(DraftInputSchema):
    """The inputs of a draft from the panel's form."""

    version = fields.Digits(least=1, load_default=None, allow_none=True)


class VersionFormSchema(Schema):
    """The version of the draft that the page shows."""

    version = fields.Digits(least=1, load_default=None, allow_none=True)


def _form_ids() -> Any:
    return ma.fields.List(fields.FormId(), load_default=list, validate=AT_MOST)


class LinesFormSchema(Schema):
    """The ids to clear and unclear from check boxes and selections."""

    cleared = _form_ids()
    uncleared = _form_ids()
    cleared_entries = _form_ids()
    uncleared_entries = _form_ids()
    auto = fields.FormFlag(load_default=False)


class ReopenFormSchema(ReopenSchema):
    """The reason to reopen a proof, and the oldest proof to reopen."""

    reconciliation_id = fields.FormId(load_default=None, allow_none=True)  # type: ignore[assignment]


class AcceptFormSchema(AcceptSchema):
    """The broken proof to accept, and the reason."""

    reconciliation_id = fields.FormId(required=True)  # type: ignore[assignment]
