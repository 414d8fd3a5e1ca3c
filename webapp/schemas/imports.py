"""The schemas of imports of bank files."""

from typing import Any

import marshmallow as ma

from webapp.ledger.codes import FEED_ACCOUNT_TYPES, IMPORT_STATUSES, VERDICTS
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.column_mappings import ObjectText, no_longer_than_in_a_form
from webapp.schemas.files import FileSchema
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import Untrusted

MOST_DECISIONS = 10_000
MOST_FILES = 20


class ImportFormSchema(Schema):
    """The fields of an upload; the file itself is read as it streams in."""

    file = ma.fields.Raw()
    mapping = ObjectText(load_default=None)
    dry_run = fields.FormFlag(load_default=False)
    fa_id = fields.FormId(load_default=None)


class ImportUploadSchema(ImportFormSchema):
    """The form of an upload with its file."""

    file = ma.fields.Raw(required=True, metadata={"type": "string", "format": "binary"})


class ImportFileSchema(FileSchema):
    """A bank file within JSON, with the fields of the form."""

    mapping = fields.JsonObject(load_default=None, validate=no_longer_than_in_a_form)
    dry_run = fields.Flag(load_default=False)
    fa_id = fields.Id(Kind.FEED_ACCOUNT, load_default=None, allow_none=True)


class ImportAccountSchema(Schema):
    """One account of a file; the sum and the days are those of its booked lines."""

    fa_id = fields.Id(Kind.FEED_ACCOUNT, allow_none=True)
    external_id = Untrusted(allow_none=True)
    name = Untrusted()
    currency = fields.Currency()
    added = fields.WholeNumber()
    already_there = fields.WholeNumber()
    pending = fields.WholeNumber()
    skipped = fields.WholeNumber()
    sum = fields.Amount()
    first_date = fields.Day(allow_none=True)
    last_date = fields.Day(allow_none=True)
    opening_balance = fields.Amount(allow_none=True)
    opening_date = fields.Day(allow_none=True)
    closing_balance = fields.Amount(allow_none=True)
    closing_date = fields.Day(allow_none=True)


# The types of a mapping's values.
OF_MAPPINGS = ["string", "integer", "boolean", "array", "null"]


class ChosenReadingSchema(Schema):
    """What was chosen among several readings of a table, for want of a mapping."""

    key = ma.fields.String(metadata={"description": "The mapping's key that would change it."})
    value = ma.fields.Raw(
        metadata={"type": OF_MAPPINGS, "description": "What was chosen, as a mapping writes it."}
    )
    why = Untrusted(metadata={"description": "What decided it."})


class ImportSchema(Schema):
    """One bank file: previewed, imported or refused."""

    id = fields.Id(Kind.IMPORT)
    file_name = Untrusted()
    format = ma.fields.String(allow_none=True)
    status = fields.OneOf(*IMPORT_STATUSES)
    error = Untrusted(allow_none=True)
    warnings = ma.fields.List(Untrusted())
    accounts = ma.fields.List(ma.fields.Nested(ImportAccountSchema))
    chosen = ma.fields.List(
        ma.fields.Nested(ChosenReadingSchema),
        metadata={"description": "What was chosen where a table could be read in several ways."},
    )


class KeptFileSchema(Schema):
    """A file that is kept as evidence, and can be downloaded until it is thrown away."""

    name = Untrusted()
    file_type = ma.fields.String()
    size = fields.WholeNumber(metadata={"description": "Bytes."})
    sha256 = ma.fields.String(metadata={"description": "The SHA-256 of its bytes, in hex."})
    thrown_away_at = fields.Timestamp(allow_none=True)


class ImportDetailSchema(ImportSchema):
    """The same with its file, and the lines that the rows of the file became."""

    file = ma.fields.Nested(
        KeptFileSchema,
        allow_none=True,
        metadata={
            "description": "The file as the bank wrote it; null before the import, and for one of earlier versions."
        },
    )

    transaction_ids = ma.fields.List(
        fields.Id(Kind.TRANSACTION, allow_none=True),
        metadata={
            "description": "The line of each row of an imported file in its order, the first 1,000: a new one or one"
            " that was there; null for a row without a line. `GET /api/feeds/imports/{id}/lines` lists all with their"
            " verdicts."
        },
    )


class ImportLineSchema(Schema):
    """A row of a file and its verdict."""

    row = fields.WholeNumber()
    position = fields.WholeNumber(
        metadata={"description": "The place of the row among all rows of the file, from 0."}
    )
    verdict = fields.OneOf(*VERDICTS)
    reason = Untrusted()
    fa_id = fields.Id(Kind.FEED_ACCOUNT, allow_none=True)
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    booked_on = fields.Day(allow_none=True)
    amount = fields.Amount(allow_none=True)
    currency = fields.Currency(allow_none=True)
    description = Untrusted()
    counterparty = Untrusted(allow_none=True)
    provider_transaction_id = Untrusted(allow_none=True)
    possible_transaction_ids = ma.fields.List(
        fields.Id(Kind.TRANSACTION),
        metadata={"description": "For a possible duplicate: the lines that it may be."},
    )


class DecisionSchema(Schema):
    """The decision on a possible duplicate: an existing line, or a new one."""

    position = fields.WholeNumber(
        least=0, required=True, metadata={"description": "The line's `position` among the rows of the file."}
    )
    transaction_id = fields.Id(
        required=True,
        allow_none=True,
        metadata={
            "description": "One of its `possibleTransactionIds`: it is a duplicate of this line, and is recognised"
            " from then on. null: it is a new line."
        },
    )


class AccountChoiceSchema(Schema):
    """The feed account of an account in the file, or a new one, where the file's number does not decide."""

    external_id = fields.Text(least=1, most=255, allow_none=True, load_default=None)
    currency = fields.Currency(allow_none=True, load_default=None)
    fa_id = fields.Id(Kind.FEED_ACCOUNT, allow_none=True, load_default=None)
    name = fields.Name(allow_none=True, load_default=None)
    type = fields.OneOf(*FEED_ACCOUNT_TYPES, allow_none=True, load_default=None)
    opens_in = fields.Currency(
        allow_none=True,
        load_default=None,
        metadata={
            "description": "The currency of a new account, where the file names none; null for the base one."
        },
    )


class CommitSchema(Schema):
    """The decisions for an import; possible duplicates without one are added."""

    decisions = ma.fields.List(
        ma.fields.Nested(DecisionSchema), load_default=list, validate=ma.validate.Length(max=MOST_DECISIONS)
    )
    accounts = ma.fields.List(
        ma.fields.Nested(AccountChoiceSchema), load_default=list, validate=ma.validate.Length(max=200)
    )


class DecisionFormSchema(Schema):
    """A decision from the page's form: the id of a line, `new`, or nothing."""

    position = fields.Digits(least=0, required=True)
    line = fields.Text(most=20, allow_none=True, load_default=None)


class AccountChoiceFormSchema(Schema):
    """The choice of a feed account from the page's form: its id, or `new`, or nothing for a new one.

    Where the page asks, with `isAsked`, nothing is no answer.
    """

    external_id = fields.Text(least=1, most=255, allow_none=True, load_default=None)
    currency = fields.Currency(allow_none=True, load_default=None)
    fa_id = fields.FormId(allow_none=True, load_default=None)
    name = fields.Name(allow_none=True, load_default=None)
    type = fields.OneOf(*FEED_ACCOUNT_TYPES, allow_none=True, load_default=None)
    opens_in = fields.Currency(allow_none=True, load_default=None)
    is_asked = fields.FormFlag(load_default=False)

    @ma.pre_load
    def new(self, form: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Take the word for a new account as the answer that it is."""
        return {**form, "faId": None, "isAsked": "false"} if form.get("faId") == "new" else form


class CommitManyFormSchema(Schema):
    """The previewed files that are imported one after the other."""

    ids = ma.fields.List(
        fields.FormId(),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_FILES, error="Choose 1 to {max} files."),
    )


class CommitFormSchema(Schema):
    """The decisions for an import from the page's form; `rest` is for possible duplicates that it does not list.

    With the act `look` nothing is imported: the page shows the file as it is read with them.
    """

    act = fields.OneOf("look", "import", load_default="import")

    decisions = ma.fields.List(
        ma.fields.Nested(DecisionFormSchema),
        load_default=list,
        validate=ma.validate.Length(max=MOST_DECISIONS),
    )
    accounts = ma.fields.List(
        ma.fields.Nested(AccountChoiceFormSchema), load_default=list, validate=ma.validate.Length(max=200)
    )
    rest = fields.OneOf("SAME", "ADD", allow_none=True, load_default=None)

    @ma.post_load
    def like_the_api(self, form: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Convert the decisions to those of CommitSchema."""
        decisions = []
        for each in form["decisions"]:
            if each["line"] is not None:
                if each["line"] != "new" and not (each["line"].isascii() and each["line"].isdigit()):
                    raise ma.ValidationError("Choose a line, or a new one.", "decisions")
                line_id = None if each["line"] == "new" else int(each["line"])
                decisions.append({"position": each["position"], "transaction_id": line_id})
        # The currency that is typed is that of a new account.
        answered = [
            each
            for each in form["accounts"]
            if each["fa_id"] is not None or not each["is_asked"] or form["act"] == "look"
        ]
        accounts = [{key: value for key, value in each.items() if key != "is_asked"} for each in answered]
        return {**form, "decisions": decisions, "accounts": accounts}


class ImportLineQuerySchema(PageSchema):
    """Which rows of a file to list."""

    verdict = fields.OneOf(*VERDICTS, load_default=None)
