"""The schemas of one change of many lines, from the dock of a workspace."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.transactions.transactions import MOST_IDS


class ChosenLinesFormSchema(Schema):
    """The selected lines of an account, or all that match the list."""

    class Meta:
        """The form is also the one that confirms and clears."""

        unknown = ma.EXCLUDE

    fa_id = fields.FormId(required=True)
    ids = ma.fields.List(fields.FormId(), load_default=list, validate=ma.validate.Length(max=MOST_IDS))
    every = fields.FormFlag(load_default=None)


class SharedEditFormSchema(ChosenLinesFormSchema):
    """The lines, and the fields that they get; `asked` is the digest of what was shown."""

    account_id = fields.FormId(allow_none=True)
    org_merchant_id = fields.FormId(allow_none=True)
    project_id = fields.FormId(allow_none=True)
    asked = fields.Text(most=64, load_default=None, allow_none=True)


class SharedUndoFormSchema(Schema):
    """The acts that one change of many lines made."""

    fa_id = fields.FormId(required=True)
    act_ids = ma.fields.List(
        fields.Text(most=40),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Choose 1 to 500 acts."),
    )
