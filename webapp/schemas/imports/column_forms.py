"""What the page of a table's columns sends: what each column is taken for, and how the file writes."""

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
    """All of the form; a field without a value leaves what it names to the file.

    `columns` are the roles of the columns in their order, "" for one that is ignored, and `guess` is what they
    were when nobody had told anything of them.
    """

    columns = ma.fields.List(
        fields.Word("", *ROLES), load_default=list, validate=ma.validate.Length(max=MOST_COLUMNS)
    )
    guess = fields.Text(most=20_000, load_default="")
    header = fields.Text(most=4, load_default=None)
    encoding = fields.Text(most=40, load_default=None)
    delimiter = fields.Word(",", ";", "tab", "|", load_default=None)
    sheet = fields.Text(most=100, load_default=None)
    date_format = fields.Text(most=60, load_default=None)
    decimal = fields.Word(".", ",", load_default=None)
    thousands = fields.Word("none", ".", ",", "space", "'", load_default=None)
    invert = fields.FormFlag(load_default=None)
    currency = fields.Currency(load_default=None)
    flag_out = fields.Text(most=255, load_default="")
    flag_in = fields.Text(most=255, load_default="")
    pending_value = fields.Text(most=100, load_default="")
    act = fields.Word("look", "keep", "import", load_default="look")

    @ma.pre_load
    def leave_out_empty(self, data: Mapping[str, object], **kwargs: object) -> dict[str, object]:
        """Take an empty field for one that was not filled in."""
        del kwargs
        return {name: value for name, value in data.items() if value is not None and value != ""}
