"""The schemas of the financial year."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import Schema


class FirstMonthSchema(Schema):
    """A month, 1 to 12, that financial years begin with from a day on; without a day, always."""

    starts_on = fields.Day(attribute="since", allow_none=True)
    first_month = ma.fields.Integer(attribute="month")


class FinancialYearSchema(Schema):
    """The first month of the financial year, the year of today, and since when the month is another than January."""

    first_month = ma.fields.Integer(attribute="years.month")
    first = fields.Day(data_key="from", attribute="today.first")
    last = fields.Day(data_key="to", attribute="today.last")
    first_months = ma.fields.List(ma.fields.Nested(FirstMonthSchema), attribute="years.first_months")


class FirstMonthChangeSchema(Schema):
    """The month, 1 to 12, that the financial year begins with."""

    first_month = fields.WholeNumber(least=1, most=12, required=True)


class FirstMonthFormSchema(Schema):
    """The same from the settings' form."""

    first_month = fields.Digits(least=1, most=12, required=True)
