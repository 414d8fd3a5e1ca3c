"""The schemas and forms of tables of invoices: how one is sent, what its columns are, and what its rows become."""

import marshmallow as ma

from webapp.ledger.codes import DOCUMENT_TYPES, ROW_VERDICTS, TABLE_ENTRIES, TABLE_TYPES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.column_mappings import FormatsFormSchema, ObjectText, columns_of, no_longer_than_in_a_form
from webapp.schemas.documents.bookings import OWED, TAX
from webapp.schemas.files import FileSchema
from webapp.schemas.untrusted import Untrusted

TYPE = {
    "description": "INVOICE for our own invoices, whose party is the customer; BILL for those of suppliers."
}
MAPPING = {
    "description": "Where columns are, by name or number from 0, as `number`, `date`, `dueDate`, `party`, `total`; also"
    " `dateFormat`, `decimal`, `currency` and more: see the guide. What is missing is found."
}
MERCHANTS = {
    "description": "Make a merchant of each party of whom no merchant is known by VAT id, account or name."
}
ACCOUNT = {
    "description": "Of the entries: what was sold or bought. Without it what the books suggest for each."
}
FORCE = {
    "description": "File also rows whose number the sender has used before with other figures; needs a `note`."
}
# The mapping's keys of columns.
COLUMNS = (
    "number",
    "date",
    "dueDate",
    "party",
    "vatId",
    "iban",
    "net",
    "tax",
    "total",
    "amountBase",
    "currencyColumn",
    "reference",
    "description",
)


class TableFormSchema(Schema):
    """The fields of a table that is sent; the file itself is read as it streams in."""

    file = ma.fields.Raw()
    document_type = fields.OneOf(*TABLE_TYPES, load_default=None, metadata=TYPE)
    mapping = ObjectText(load_default=None, metadata=MAPPING)
    dry_run = fields.FormFlag(load_default=False)
    make_merchants = fields.FormFlag(load_default=False, metadata=MERCHANTS)
    entries = fields.OneOf(*TABLE_ENTRIES, load_default="NONE")
    account_id = fields.FormId(Kind.ACCOUNT, load_default=None, metadata=ACCOUNT)
    tax_account_id = fields.FormId(Kind.ACCOUNT, load_default=None, metadata=TAX)
    counter_account_id = fields.FormId(Kind.ACCOUNT, load_default=None, metadata=OWED)
    force = fields.FormFlag(load_default=False, metadata=FORCE)
    note = fields.Text(most=2000, load_default="")


class TableUploadSchema(TableFormSchema):
    """The form of a table with its file."""

    file = ma.fields.Raw(required=True, metadata={"type": "string", "format": "binary"})
    document_type = fields.OneOf(*TABLE_TYPES, required=True, metadata=TYPE)


class TableFileSchema(FileSchema):
    """A table within JSON, with the fields of the form."""

    document_type = fields.OneOf(*TABLE_TYPES, required=True, metadata=TYPE)
    mapping = fields.JsonObject(load_default=None, validate=no_longer_than_in_a_form, metadata=MAPPING)
    dry_run = fields.Flag(load_default=False)
    make_merchants = fields.Flag(load_default=False, metadata=MERCHANTS)
    entries = fields.OneOf(*TABLE_ENTRIES, load_default="NONE")
    account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None, metadata=ACCOUNT)
    tax_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None, metadata=TAX)
    counter_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None, metadata=OWED)
    force = fields.Flag(load_default=False, metadata=FORCE)
    note = fields.Text(most=2000, load_default="")


class SkippedRowSchema(Schema):
    """A row that is no invoice, and why."""

    row = fields.WholeNumber()
    text = Untrusted()
    reason = Untrusted()


class TableRowSchema(Schema):
    """A row of a table: what it states, its verdict, and what became of it.

    `documentId` is the document that was filed for it, or the one that is there; `problem` says why it has no entry.
    """

    row = fields.WholeNumber(metadata={"description": "The line of the file, from 1."})
    verdict = fields.OneOf(*ROW_VERDICTS)
    is_filed = ma.fields.Boolean()
    document_type = fields.OneOf(*DOCUMENT_TYPES)
    number = Untrusted()
    issued_on = fields.Day()
    due_on = fields.Day(allow_none=True)
    party = Untrusted()
    vat_id = Untrusted(allow_none=True)
    currency = fields.Currency()
    net = fields.Amount(allow_none=True)
    tax = fields.Amount(allow_none=True)
    total = fields.Amount()
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    problem = Untrusted(allow_none=True)


class RowCountsSchema(Schema):
    """How many rows have each verdict."""

    new = fields.WholeNumber()
    already_there = fields.WholeNumber()
    same_number = fields.WholeNumber()


class TableSchema(Schema):
    """A table of invoices: how it was read, and its rows."""

    file_name = Untrusted()
    sha256 = ma.fields.String()
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True)
    mapping = fields.JsonObject()
    counts = ma.fields.Nested(RowCountsSchema)
    rows = ma.fields.List(ma.fields.Nested(TableRowSchema))
    skipped = ma.fields.List(ma.fields.Nested(SkippedRowSchema))


class TableTypeFormSchema(AddressSchema):
    """Whether a table has our invoices or bills to us."""

    document_type = fields.OneOf(*TABLE_TYPES, load_default="INVOICE")


class TableColumnsFormSchema(FormatsFormSchema):
    """The columns and formats of a table, and what is made of its rows beside documents."""

    document_type = fields.OneOf(*TABLE_TYPES, load_default="INVOICE")
    columns = columns_of(COLUMNS)
    make_merchants = fields.FormFlag(load_default=False)
    entries = fields.OneOf(*TABLE_ENTRIES, load_default="NONE")
    account_id = fields.FormId(Kind.ACCOUNT, load_default=None)
    tax_account_id = fields.FormId(Kind.ACCOUNT, load_default=None)
    counter_account_id = fields.FormId(Kind.ACCOUNT, load_default=None)
    force = fields.FormFlag(load_default=False)
    note = fields.Text(most=2000, load_default="")
    act = fields.OneOf("look", "file", load_default="look")

    @ma.post_load
    def leave_out_what_is_not_forced(self, form: dict[str, object], **kwargs: object) -> dict[str, object]:
        """Leave out a note that was typed before `force` was taken back."""
        del kwargs
        return form if form["force"] else {**form, "note": ""}
