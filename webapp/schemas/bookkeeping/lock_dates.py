"""The schemas of the lock date."""

from __future__ import annotations

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
