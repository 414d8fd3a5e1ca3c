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
    MOST_IDS,
    MOST_SPLITS,
    ConfirmManySchema,
    ConfirmSchema,
    SplitSchema,
    TransactionChangesSchema,
)

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


class TransactionFormSchema(TransactionChangesSchema):
    """The changes of a line from a form, with what its row showed and when."""

    shown = ShownLineField(allow_none=True, load_only=True)
    shown_at = Since(allow_none=True, load_only=True)
    shown_description = ma.fields.String(allow_none=True, load_only=True)

    splits = ma.fields.List(
        ma.fields.Nested(SplitFormSchema),
        validate=ma.validate.Length(min=2, max=MOST_SPLITS, error="Split a line into 2 to 100 parts."),
    )

    settles = ma.fields.List(ma.fields.Nested(PaidPartFormSchema), allow_none=True)
    short = ma.fields.Nested(ShortFormSchema, allow_none=True)
    force = fields.FormFlag()  # type: ignore[assignment]

    account_id = fields.FormId(allow_none=True)  # type: ignore[assignment]
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


class ConfirmManyFormSchema(ConfirmManySchema):
    """The lines to confirm from a form, in order, with what their rows showed."""

    ids = ma.fields.List(
        fields.FormId(),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Choose 1 to 500 lines."),
    )
    shown = ma.fields.List(ShownLineField(), load_default=list)


class VoidManyFormSchema(Schema):
    """Entries of one account's lines that were just posted together, to be voided again; `done` of them are already."""

    fa_id = fields.FormId(required=True)
    done = fields.Digits(least=0, load_default=0)
    entry_ids = ma.fields.List(
        fields.FormId(),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Choose 1 to 500 entries."),
    )


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
