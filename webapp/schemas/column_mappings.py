"""Mappings of the columns of a table: as JSON within a form, and as the form of a page."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema

LONGEST_MAPPING = 100_000
MOST_COLUMNS = 500
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
    "valueDate",
    "leaveOut",
    "charges",
    "originalAmount",
    "originalCurrency",
    "exchangeRate",
)


class ObjectText(ma.fields.Field[dict[str, Any]]):
    """A JSON object as the text of a form field."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[str, Any]:
        try:
            found = json.loads(value) if len(value) <= LONGEST_MAPPING else None
        except (ValueError, TypeError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise ma.ValidationError("Send the text of a JSON object.")
        return found


def no_longer_than_in_a_form(mapping: dict[str, Any]) -> None:
    """Refuse a mapping in JSON that is longer than one in a form may be."""
    if len(json.dumps(mapping)) > LONGEST_MAPPING:
        raise ma.ValidationError(f"Send at most {LONGEST_MAPPING:,} characters.")


def columns_of(roles: Sequence[str]) -> ma.fields.List[Any]:
    """The roles of the columns in their order, "" for an ignored one."""
    role = fields.OneOf("", *roles)
    return ma.fields.List(role, load_default=list, validate=ma.validate.Length(max=MOST_COLUMNS))


class FormatsFormSchema(AddressSchema):
    """The formats of any table; a field without a value is detected from the file.

    `guess` are the roles that were detected before anything was chosen.
    """

    guess = fields.Text(most=20_000, load_default="")
    header = fields.Text(most=4, load_default=None)
    header_text = fields.Text(most=1_000, load_default=None)
    encoding = fields.Text(most=40, load_default=None)
    delimiter = fields.OneOf(",", ";", "tab", "|", load_default=None)
    sheet = fields.Text(most=100, load_default=None)
    date_format = fields.Text(most=60, load_default=None)
    decimal = fields.OneOf(".", ",", load_default=None)
    thousands = fields.OneOf("none", ".", ",", "space", "'", load_default=None)
    currency = fields.Currency(load_default=None)

    @ma.pre_load
    def leave_out_empty(self, data: Mapping[str, object], **kwargs: object) -> dict[str, object]:
        """Treat an empty field as missing."""
        del kwargs
        return {name: value for name, value in data.items() if value is not None and value != ""}


class ColumnsFormSchema(FormatsFormSchema):
    """All fields of the form of a bank's table."""

    columns = columns_of(ROLES)
    invert = fields.FormFlag(load_default=None)
    flag_out = fields.Text(most=255, load_default="")
    flag_in = fields.Text(most=255, load_default="")
    flag_neither = fields.Text(most=255, load_default="")
    skip_without_amount = fields.FormFlag(load_default=None)
    balance_is = fields.OneOf("after", "before", load_default=None)
    charges_are = fields.OneOf("within", "beside", load_default=None)
    pending_value = fields.Text(most=1_000, load_default="")
    pending_unmoved = fields.Text(most=1_000, load_default="")
    pending_booked = fields.Text(most=1_000, load_default="")
    left_out = fields.Text(most=4_000, load_default="")
    leave_out = ObjectText(load_default=None)
    act = fields.OneOf("look", "keep", "import", load_default="look")
