"""Reconciling as the forms of the workspace write it."""

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
    """The inputs of a draft as the panel's form writes them."""

    version = fields.Digits(least=1, load_default=None, allow_none=True)


class VersionFormSchema(Schema):
    """The version of the draft that the page shows."""

    version = fields.Digits(least=1, load_default=None, allow_none=True)


def _form_ids() -> Any:
    return ma.fields.List(fields.FormId(), load_default=list, validate=AT_MOST)


class LinesFormSchema(Schema):
    """What to clear and unclear as ticks and selections write it."""

    cleared = _form_ids()
    uncleared = _form_ids()
    cleared_entries = _form_ids()
    uncleared_entries = _form_ids()
    auto = fields.FormFlag(load_default=False)


class ReopenFormSchema(ReopenSchema):
    """Why a proof is reopened, and down to which one."""

    reconciliation_id = fields.FormId(load_default=None, allow_none=True)  # type: ignore[assignment]


class AcceptFormSchema(AcceptSchema):
    """The broken proof whose statement is completed again, and why."""

    reconciliation_id = fields.FormId(required=True)  # type: ignore[assignment]
