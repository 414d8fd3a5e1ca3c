"""The schemas of periods: the financial year, the lock date, and how long files stay."""

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import Schema


class LockDateSchema(Schema):
    """The last day of the closed period; null if nothing is closed."""

    lock_date = fields.Day(allow_none=True)


class _LockDateInput(Schema):
    lock_date = fields.Day(required=True, allow_none=True)
    reason = fields.Text(most=500, strip=True, load_default=None, allow_none=True)


class LockDateChangeSchema(_LockDateInput):
    """The new lock date; an earlier one needs a reason, a later one over drafts needs `moveDrafts`."""

    move_drafts = fields.Flag(load_default=False)


class LockDateFormSchema(_LockDateInput):
    """The same from the settings' form."""

    move_drafts = fields.FormFlag(load_default=False)


class RetentionFormSchema(Schema):
    """The years that files stay after the financial year in which they came, or none for ever."""

    retention_years = fields.Digits(least=1, most=100, allow_none=True, required=True)


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
