"""The schemas of periods: the financial year, the lock date, and how long files stay."""

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.instants import Since
from webapp.schemas.untrusted import Untrusted

WHY = "Why it is done; kept with the act."


class LockDateSchema(Schema):
    """The last day of the closed period; null if nothing is closed."""

    lock_date = fields.Day(allow_none=True)


def _lock(name: str, description: str) -> fields.Day:
    return fields.Day(data_key=name, allow_none=True, metadata={"description": description})


ALL_LOCK = "The last day on which nothing can be dated; null if nothing is locked."
ADJUSTMENTS_LOCK = "The last day on which adjusting entries cannot be dated either; null if none is locked."


class LocksSchema(Schema):
    """The two locks: of all entries, and of adjusting ones."""

    lock_date = _lock("ALL", ALL_LOCK)
    adjustments_lock_date = _lock("ADJUSTMENTS", ADJUSTMENTS_LOCK)


class LocksChangeSchema(LocksSchema):
    """The locks that move, each to its day; one that is not sent stays. Moving back needs a note."""

    note = fields.Text(
        most=500, strip=True, load_default=None, allow_none=True, metadata={"description": WHY}
    )
    move_drafts = fields.Flag(load_default=False)


class LockExceptionSchema(Schema):
    """Who may date entries on locked days, since which day, until when, and the entries dated by it."""

    id = fields.Id(Kind.LOCK_EXCEPTION)
    user_id = ma.fields.Integer(metadata={"description": "The member who may, signed in."})
    user = Untrusted(metadata={"description": "The member's name."})
    starts_on = fields.Day(data_key="from", metadata={"description": "The first day that entries may have."})
    until = fields.Timestamp()
    note = Untrusted(metadata={"description": WHY})
    granted_by = Untrusted(metadata={"description": "Who allowed it."})
    created_at = fields.Timestamp()
    ended_at = fields.Timestamp(allow_none=True)
    is_active = ma.fields.Boolean(metadata={"description": "Whether it lets somebody in now."})
    journal_entry_ids = ma.fields.List(
        fields.Id(Kind.JOURNAL_ENTRY), metadata={"description": "The entries that were dated by it."}
    )


class NewLockExceptionSchema(Schema):
    """Who may date entries by hand, from which day on, until an instant within 30 days, and why."""

    user_id = fields.WholeNumber(least=1, most=fields.LARGEST_ID, required=True)
    starts_on = fields.Day(data_key="from", required=True)
    until = Since(required=True)
    note = fields.Text(least=1, most=500, strip=True, required=True, metadata={"description": WHY})


class _LockDateInput(Schema):
    lock_date = fields.Day(required=True, allow_none=True)
    reason = fields.Text(most=500, strip=True, load_default=None, allow_none=True)


class LockDateChangeSchema(_LockDateInput):
    """The new lock date; an earlier one needs a reason, a later one over drafts needs `moveDrafts`."""

    move_drafts = fields.Flag(load_default=False)


class LockDateFormSchema(_LockDateInput):
    """The same from the settings' form."""

    move_drafts = fields.FormFlag(load_default=False)


class AdjustmentsLockFormSchema(Schema):
    """The lock of adjusting entries from the settings' form."""

    adjustments_lock_date = fields.Day(required=True, allow_none=True)
    reason = fields.Text(most=500, strip=True, load_default=None, allow_none=True)


class LockExceptionFormSchema(Schema):
    """Who is let behind the lock, from which day on, for how many days from now, and why."""

    user_id = fields.FormId(required=True)
    starts_on = fields.Day(data_key="from", required=True)
    days = fields.Digits(least=1, most=30, required=True)
    note = fields.Text(least=1, most=500, strip=True, required=True)


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
