"""The schemas and forms of tables that move books in."""

import marshmallow as ma

from webapp.ledger.codes import ACCOUNT_TYPES, BOOK_TABLES, MOVED_VERDICTS, TABLE_TYPES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.column_mappings import FormatsFormSchema, ObjectText, columns_of, no_longer_than_in_a_form
from webapp.schemas.documents.tables import SkippedRowSchema
from webapp.schemas.files import FileSchema
from webapp.schemas.untrusted import Untrusted

KIND = {
    "description": "ACCOUNTS is a chart, OPENING a trial balance of a day, ITEMS what is owed, JOURNAL entries by rows."
}
MAPPING = {
    "description": "Where columns are, by name or number from 0, as `account`, `date`, `debit`; see the guide. What is"
    " missing is found."
}
ON = {"description": "The day at whose close the balances of OPENING are."}
TYPE = {
    "description": "Of ITEMS whose amounts have no sign: INVOICE for our invoices, BILL for those of suppliers. Without"
    " it what others owe is above zero."
}
FORCE = {"description": "Take days of more than a year ahead, and numbers that their party has already."}
# The mapping's keys of columns, of all kinds.
COLUMNS = (
    *("account", "contraAccount", "code", "name", "type", "date", "dueDate", "party", "number", "entry"),
    *("amount", "debit", "credit", "side", "currencyColumn", "amountBase", "taxCode", "base", "tax"),
    *("reference", "description", "source"),
)


class BookTableFormSchema(Schema):
    """The fields of a table that is sent; the file itself is read as it streams in."""

    file = ma.fields.Raw()
    kind = fields.OneOf(*BOOK_TABLES, load_default=None, metadata=KIND)
    mapping = ObjectText(load_default=None, metadata={**MAPPING, "type": "object"})
    on = fields.Day(load_default=None, metadata=ON)
    document_type = fields.OneOf(*TABLE_TYPES, load_default=None, metadata=TYPE)
    force = fields.FormFlag(load_default=False, metadata=FORCE)
    dry_run = fields.FormFlag(load_default=False)


class BookTableUploadSchema(BookTableFormSchema):
    """The form of a table with its file."""

    file = ma.fields.Raw(required=True, metadata={"type": "string", "format": "binary"})
    kind = fields.OneOf(*BOOK_TABLES, required=True, metadata=KIND)


class BookTableFileSchema(FileSchema):
    """A table within JSON, with the fields of the form."""

    kind = fields.OneOf(*BOOK_TABLES, required=True, metadata=KIND)
    mapping = fields.JsonObject(load_default=None, validate=no_longer_than_in_a_form, metadata=MAPPING)
    on = fields.Day(allow_none=True, load_default=None, metadata=ON)
    document_type = fields.OneOf(*TABLE_TYPES, allow_none=True, load_default=None, metadata=TYPE)
    force = fields.Flag(load_default=False, metadata=FORCE)
    dry_run = fields.Flag(load_default=False)


class MovedRowSchema(Schema):
    """A row with what it became; without a row an account that the books have and the table has not."""

    row = fields.WholeNumber(allow_none=True)
    verdict = fields.OneOf(*MOVED_VERDICTS)
    text = Untrusted()
    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    account_code = Untrusted(allow_none=True)
    account_name = Untrusted(allow_none=True)
    account_type = fields.OneOf(*ACCOUNT_TYPES, allow_none=True)
    amount = fields.Amount(allow_none=True)
    day = fields.Day(allow_none=True)
    booked = fields.Amount(
        allow_none=True, metadata={"description": "What the books have of a balance, with the table."}
    )
    difference = fields.Amount(
        allow_none=True,
        metadata={"description": "What the table states beyond that; 0 where the account ties."},
    )
    problem = Untrusted(allow_none=True)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, attribute="entry_id", allow_none=True)


class MovedCountsSchema(Schema):
    """How many rows have each verdict."""

    new = fields.WholeNumber()
    already_there = fields.WholeNumber()
    compared = fields.WholeNumber()
    refused = fields.WholeNumber()


class MovedTableSchema(Schema):
    """A table that moves books in: how it was read, and its rows."""

    id = ma.fields.String(allow_none=True)
    kind = fields.OneOf(*BOOK_TABLES)
    file_name = Untrusted()
    sha256 = ma.fields.String()
    mapping = fields.JsonObject()
    counts = ma.fields.Nested(MovedCountsSchema)
    rows = ma.fields.List(ma.fields.Nested(MovedRowSchema))
    skipped = ma.fields.List(ma.fields.Nested(SkippedRowSchema))


class TakenTableSchema(Schema):
    """A table that was moved in."""

    id = ma.fields.String()
    kind = fields.OneOf(*BOOK_TABLES, attribute="payload.kind")
    file_name = Untrusted(attribute="payload.fileName")
    sha256 = ma.fields.String(attribute="payload.sha256")
    created_at = fields.Timestamp()


class TakenTablesSchema(Schema):
    """The tables that were moved in and not removed, the newest first."""

    tables = ma.fields.List(ma.fields.Nested(TakenTableSchema))


class TableRemovalSchema(Schema):
    """Why a table is removed."""

    note = fields.Text(most=2000, load_default="")


class BookKindFormSchema(AddressSchema):
    """What a table is, and of which day."""

    kind = fields.OneOf(*BOOK_TABLES, load_default="ACCOUNTS")
    on = fields.Day(load_default=None)
    document_type = fields.OneOf(*TABLE_TYPES, load_default=None)

    @ma.pre_load
    def leave_out_empty(self, data: dict[str, object], **kwargs: object) -> dict[str, object]:
        """Treat an empty field as missing."""
        del kwargs
        return {name: value for name, value in data.items() if value}


class BookColumnsFormSchema(FormatsFormSchema, BookKindFormSchema):
    """The columns and formats of a table that moves books in; `of` is the kind that the columns were chosen for."""

    of = fields.OneOf(*BOOK_TABLES, load_default=None)
    columns = columns_of(COLUMNS)
    force = fields.FormFlag(load_default=False)
    act = fields.OneOf("look", "take", load_default="look")
