"""The schemas of the forms on rows of bank lines, and of one change of many lines, with what each row showed."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.codes import DoubtCode
from webapp.ledger.journal.shown_lines import ShownLine
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.instants import Since
from webapp.schemas.items import PaidPartFormSchema, ShortFormSchema
from webapp.schemas.transactions.transactions import (
    MOST_SPLITS,
    WANTED_SPLITS,
    ConfirmSchema,
    SplitSchema,
    TransactionChangesSchema,
)

# How many lines a page may send, which are done in parts.
MOST_LINES = 2500
AT_MOST = ma.validate.Length(max=MOST_LINES, error="Choose at most 2,500 lines.")
# The fields of a form that answer a doubt about a line, and its code.
ANSWERS: Mapping[str, DoubtCode] = {
    "as_uncategorised": DoubtCode.UNCATEGORISED,
    "force": DoubtCode.ALREADY_EXPLAINED,
    "pays_nothing": DoubtCode.PAYS_OPEN_ITEM,
    "is_no_transfer": DoubtCode.MAY_BE_TRANSFER,
}


class ShownLineField(ma.fields.Field[ShownLine]):
    """What the row of a line showed, as the page wrote it."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> ShownLine:
        del attr, data, kwargs
        try:
            return ShownLine.read(value if isinstance(value, str) else "")
        except ValueError as error:
            raise ma.ValidationError("Load the page again, then act on what it shows.") from error


class ShownFormSchema(Schema):
    """What the row showed in which somebody acts; other fields of its form are read elsewhere."""

    class Meta:
        """Unknown names are left out."""

        unknown = ma.EXCLUDE

    shown = ShownLineField(allow_none=True, load_default=None)
    shown_at = Since(allow_none=True, load_default=None)
    shown_description = ma.fields.String(allow_none=True, load_default=None)


class SplitFormSchema(SplitSchema):
    """A part of a line from a form."""

    account_id = fields.FormId(required=True)  # type: ignore[assignment]
    project_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]
    org_merchant_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]
    tax_code_id = fields.FormId(allow_none=True, load_only=True)  # type: ignore[assignment]


class TransactionFormSchema(TransactionChangesSchema):
    """The changes of a line from a form, with what its row showed and when."""

    shown = ShownLineField(allow_none=True, load_only=True)
    shown_at = Since(allow_none=True, load_only=True)
    shown_description = ma.fields.String(allow_none=True, load_only=True)

    splits = ma.fields.List(
        ma.fields.Nested(SplitFormSchema),
        validate=ma.validate.Length(min=1, max=MOST_SPLITS, error=WANTED_SPLITS),
    )

    settles = ma.fields.List(ma.fields.Nested(PaidPartFormSchema), allow_none=True)
    short = ma.fields.Nested(ShortFormSchema, allow_none=True)
    force = fields.FormFlag()  # type: ignore[assignment]

    account_id = fields.FormId(allow_none=True)  # type: ignore[assignment]
    tax_code_id = fields.FormId(allow_none=True)  # type: ignore[assignment]
    project_id = fields.FormId(allow_none=True)  # type: ignore[assignment]
    org_merchant_id = fields.FormId(allow_none=True)  # type: ignore[assignment]


class ConfirmFormSchema(ConfirmSchema):
    """The confirmation of a line from its row: what it showed, and the doubts that were answered."""

    shown = ShownLineField(allow_none=True, load_default=None)
    as_uncategorised = ma.fields.Boolean(load_default=False)
    force = ma.fields.Boolean(load_default=False)
    pays_nothing = ma.fields.Boolean(load_default=False)
    is_no_transfer = ma.fields.Boolean(load_default=False)

    @ma.post_load
    def answers(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Read the codes of the doubts that were answered."""
        del kwargs
        answered = {code for name, code in ANSWERS.items() if data.pop(name)}
        return {**data, "anyway": answered}


class VoidManyFormSchema(Schema):
    """Entries of one account's lines that were just posted together, to be voided again; `done` of them are already."""

    fa_id = fields.FormId(required=True)
    done = fields.Digits(least=0, load_default=0)
    entry_ids = ma.fields.List(
        fields.FormId(),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_LINES, error="Choose 1 to 2,500 entries."),
    )


class ChosenLinesFormSchema(Schema):
    """The selected lines of an account, or all that match the list.

    Many are done in parts, by one request each: `total` is how many there were in the first, `done_ids` are done by
    now, and `refused` are not, each with its id before the reason.
    """

    class Meta:
        """The form is also the one that confirms and clears."""

        unknown = ma.EXCLUDE

    fa_id = fields.FormId(required=True)
    ids = ma.fields.List(fields.FormId(), load_default=list, validate=AT_MOST)
    every = fields.FormFlag(load_default=None)
    total = fields.Digits(least=0, load_default=0)
    done_ids = ma.fields.List(fields.FormId(), load_default=list, validate=AT_MOST)
    refused = ma.fields.List(fields.Text(most=1000), load_default=list, validate=AT_MOST)


class ConfirmManyFormSchema(ChosenLinesFormSchema):
    """The lines to confirm, in order, with what their rows showed; `asked` is the question that was answered."""

    fa_id = fields.FormId(load_default=None)
    shown = ma.fields.List(ShownLineField(), load_default=list)
    note = fields.Text(most=2000, allow_none=True, load_default=None)
    asked = fields.Text(most=64, load_default=None, allow_none=True)

    @ma.validates_schema
    def has_lines(self, body: dict[str, Any], **_kwargs: Any) -> None:
        """Refuse a form without lines."""
        if not body.get("ids") and not (body.get("every") and body.get("fa_id")):
            raise ma.ValidationError("Select a line first.", "ids")


class SharedEditFormSchema(ChosenLinesFormSchema):
    """The lines, and the fields that they get; `asked` is the digest of what was shown.

    `seen` has a digest for each of `ids` where they are changed in parts, and `act_ids` are the acts of earlier parts.
    """

    seen = ma.fields.List(fields.Text(most=12), load_default=list, validate=AT_MOST)
    act_ids = ma.fields.List(fields.Text(most=40), load_default=list, validate=AT_MOST)
    corrections = fields.Digits(least=0, load_default=0)

    account_id = fields.FormId(allow_none=True)
    tax_code_id = fields.FormId(allow_none=True)
    org_merchant_id = fields.FormId(allow_none=True)
    project_id = fields.FormId(allow_none=True)
    asked = fields.Text(most=64, load_default=None, allow_none=True)


class SharedUndoFormSchema(Schema):
    """The acts that one change of many lines made; `done` lines have been given back by now."""

    fa_id = fields.FormId(required=True)
    done = fields.Digits(least=0, load_default=0)
    refused = ma.fields.List(fields.Text(most=1000), load_default=list, validate=AT_MOST)
    act_ids = ma.fields.List(
        fields.Text(most=40),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_LINES, error="Choose 1 to 2,500 acts."),
    )
