"""The schema of the form of a table's columns: the role of each column, and the formats of the file."""

from __future__ import annotations

from collections.abc import Mapping

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema

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
MOST_COLUMNS = 500


class ColumnsFormSchema(AddressSchema):
    """All fields of the form; a field without a value is detected from the file.

    `columns` are the roles of the columns in their order, "" for an ignored one, and `guess` are the roles that were
    detected before anything was chosen.
    """

    columns = ma.fields.List(
        fields.OneOf("", *ROLES), load_default=list, validate=ma.validate.Length(max=MOST_COLUMNS)
    )
    guess = fields.Text(most=20_000, load_default="")
    header = fields.Text(most=4, load_default=None)
    header_text = fields.Text(most=1_000, load_default=None)
    encoding = fields.Text(most=40, load_default=None)
    delimiter = fields.OneOf(",", ";", "tab", "|", load_default=None)
    sheet = fields.Text(most=100, load_default=None)
    date_format = fields.Text(most=60, load_default=None)
    decimal = fields.OneOf(".", ",", load_default=None)
    thousands = fields.OneOf("none", ".", ",", "space", "'", load_default=None)
    invert = fields.FormFlag(load_default=None)
    currency = fields.Currency(load_default=None)
    flag_out = fields.Text(most=255, load_default="")
    flag_in = fields.Text(most=255, load_default="")
    flag_neither = fields.Text(most=255, load_default="")
    skip_without_amount = fields.FormFlag(load_default=None)
    pending_value = fields.Text(most=100, load_default="")
    act = fields.OneOf("look", "keep", "import", load_default="look")

    @ma.pre_load
    def leave_out_empty(self, data: Mapping[str, object], **kwargs: object) -> dict[str, object]:
        """Treat an empty field as missing."""
        del kwargs
        return {name: value for name, value in data.items() if value is not None and value != ""}
