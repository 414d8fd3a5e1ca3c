"""The shape of the lock date."""

from __future__ import annotations

from webapp.schemas import fields
from webapp.schemas.base import Schema


class LockDateSchema(Schema):
    """The last day of the closed period; null where nothing is closed."""

    lock_date = fields.Day(allow_none=True)


class _WhereTo(Schema):
    lock_date = fields.Day(required=True, allow_none=True)
    reason = fields.Text(most=500, strip=True, load_default=None, allow_none=True)


class LockDateChangeSchema(_WhereTo):
    """Where the lock goes; back only with a reason, over drafts only where they move out of its way."""

    move_drafts = fields.Flag(load_default=False)


class LockDateFormSchema(_WhereTo):
    """The same as the settings' form writes it."""

    move_drafts = fields.FormFlag(load_default=False)
