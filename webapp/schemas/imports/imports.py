"""The shapes of imports of bank files."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import Untrusted

MOST_DECISIONS = 10_000
VERDICTS = ("NEW", "ALREADY_THERE", "POSSIBLY_THERE", "PENDING", "SKIPPED")


class ImportFormSchema(Schema):
    """The fields of an upload; the file itself is read as it streams in."""

    file = ma.fields.Raw()
    mapping = fields.ObjectText(load_default=None)
    dry_run = fields.FormFlag(load_default=False)
    fa_id = fields.FormId(load_default=None)


class ImportUploadSchema(ImportFormSchema):
    """The form of an upload as it is sent: with its file."""

    file = ma.fields.Raw(required=True, metadata={"type": "string", "format": "binary"})


class ImportAccountSchema(Schema):
    """What a file says about one account; the sum and the days are of its booked lines."""

    fa_id = fields.Id(allow_none=True)
    external_id = Untrusted(allow_none=True)
    name = Untrusted()
    currency = fields.Currency()
    added = fields.Whole()
    already_there = fields.Whole()
    pending = fields.Whole()
    skipped = fields.Whole()
    sum = fields.Amount()
    first_date = fields.Day(allow_none=True)
    last_date = fields.Day(allow_none=True)
    opening_balance = fields.Amount(allow_none=True)
    opening_date = fields.Day(allow_none=True)
    closing_balance = fields.Amount(allow_none=True)
    closing_date = fields.Day(allow_none=True)


class ImportSchema(Schema):
    """One bank file: previewed, imported or refused."""

    id = fields.Id()
    file_name = Untrusted()
    format = ma.fields.String(allow_none=True)
    status = fields.Word("PREVIEWED", "IMPORTED", "REFUSED")
    error = Untrusted(allow_none=True)
    warnings = ma.fields.List(Untrusted())
    accounts = ma.fields.List(ma.fields.Nested(ImportAccountSchema))


class ImportLineSchema(Schema):
    """A row of a file, and what becomes of it."""

    row = fields.Whole()
    position = fields.Whole(
        metadata={"description": "The place of the row among all rows of the file, from 0."}
    )
    verdict = fields.Word(*VERDICTS)
    reason = Untrusted()
    fa_id = fields.Id(allow_none=True)
    transaction_id = fields.Id(allow_none=True)
    booked_on = fields.Day(allow_none=True)
    amount = fields.Amount(allow_none=True)
    currency = fields.Currency(allow_none=True)
    description = Untrusted()
    counterparty = Untrusted(allow_none=True)
    provider_transaction_id = Untrusted(allow_none=True)
    possible_transaction_ids = ma.fields.List(
        fields.Id(), metadata={"description": "Of a line that is possibly there: the lines that it may be."}
    )


class DecisionSchema(Schema):
    """What a line that is possibly there is: a line that is there, or a new one."""

    position = fields.Whole(
        least=0, required=True, metadata={"description": "The line's `position` among the rows of the file."}
    )
    transaction_id = fields.Id(
        required=True,
        allow_none=True,
        metadata={
            "description": "One of its `possibleTransactionIds`: it is this line, adds nothing, and is known from"
            " then on. null: it is a line of its own."
        },
    )


class AccountChoiceSchema(Schema):
    """Whose an account of the file is, where its number does not decide: a feed account's, or a new one's."""

    external_id = fields.Text(least=1, most=255, allow_none=True, load_default=None)
    currency = fields.Currency(allow_none=True, load_default=None)
    fa_id = fields.Id(allow_none=True, load_default=None)
    name = fields.Name(allow_none=True, load_default=None)
    type = fields.Word("ASSET", "LIABILITY", allow_none=True, load_default=None)


class CommitSchema(Schema):
    """What to say of a previewed file as it is imported; a doubtful line that nothing is said of is added."""

    decisions = ma.fields.List(
        ma.fields.Nested(DecisionSchema), load_default=list, validate=ma.validate.Length(max=MOST_DECISIONS)
    )
    accounts = ma.fields.List(
        ma.fields.Nested(AccountChoiceSchema), load_default=list, validate=ma.validate.Length(max=200)
    )


class DecisionFormSchema(Schema):
    """A decision as the page's form writes it: the id of a line, `new`, or nothing where it is left open."""

    position = fields.Digits(least=0, required=True)
    line = fields.Text(most=20, allow_none=True, load_default=None)


class AccountChoiceFormSchema(Schema):
    """An account's choice as the page's form writes it: the id of a feed account, or nothing for a new one."""

    external_id = fields.Text(least=1, most=255, allow_none=True, load_default=None)
    currency = fields.Currency(allow_none=True, load_default=None)
    fa_id = fields.FormId(allow_none=True, load_default=None)
    name = fields.Name(allow_none=True, load_default=None)
    type = fields.Word("ASSET", "LIABILITY", allow_none=True, load_default=None)


class CommitFormSchema(Schema):
    """What the page's form says of a file as it is imported; `rest` is for the doubtful lines it does not name."""

    decisions = ma.fields.List(
        ma.fields.Nested(DecisionFormSchema),
        load_default=list,
        validate=ma.validate.Length(max=MOST_DECISIONS),
    )
    accounts = ma.fields.List(
        ma.fields.Nested(AccountChoiceFormSchema), load_default=list, validate=ma.validate.Length(max=200)
    )
    rest = fields.Word("SAME", "ADD", allow_none=True, load_default=None)

    @ma.post_load
    def as_said(self, said: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Give the decisions that were made as a program would have sent them."""
        decisions = []
        for each in said["decisions"]:
            if each["line"] is not None:
                if each["line"] != "new" and not (each["line"].isascii() and each["line"].isdigit()):
                    raise ma.ValidationError("Choose a line, or a line of its own.", "decisions")
                line_id = None if each["line"] == "new" else int(each["line"])
                decisions.append({"position": each["position"], "transaction_id": line_id})
        return {**said, "decisions": decisions}


class ImportLineQuerySchema(PageSchema):
    """Which rows of a file to list."""

    verdict = fields.Word(*VERDICTS, load_default=None)
