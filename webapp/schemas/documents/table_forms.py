"""The forms of a table of invoices: what its columns are, and what is made of its rows."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.codes import TABLE_ENTRIES, TABLE_TYPES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.column_mappings import FormatsFormSchema, columns_of

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
    "currencyColumn",
    "reference",
    "description",
)


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
