"""The schema of the form of a table's columns: the role of each column, and the formats of the file."""

from __future__ import annotations

from webapp.schemas import fields
from webapp.schemas.column_mappings import FormatsFormSchema, columns_of

ROLES = (
    "date",
    "amount",
    "debit",
    "credit",
    "flag",
    "balance",
    "description",
    "counterparty",
    "reference",
    "currencyColumn",
    "accountColumn",
    "pending",
)


class ColumnsFormSchema(FormatsFormSchema):
    """All fields of the form of a bank's table."""

    columns = columns_of(ROLES)
    invert = fields.FormFlag(load_default=None)
    flag_out = fields.Text(most=255, load_default="")
    flag_in = fields.Text(most=255, load_default="")
    flag_neither = fields.Text(most=255, load_default="")
    skip_without_amount = fields.FormFlag(load_default=None)
    pending_value = fields.Text(most=100, load_default="")
    act = fields.OneOf("look", "keep", "import", load_default="look")
