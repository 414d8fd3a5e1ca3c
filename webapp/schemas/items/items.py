"""The schemas of items: what is owed on an account that keeps them."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.open_items.ageing import OwedSide
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import Untrusted


class OwedItemSchema(Schema):
    """What one entry with its corrections has on an account, in one currency, for one merchant, and what is left of it.

    `open` is `amount` less `settled`. An opening item, all that was there before the account kept items, has no entry
    and no day.
    """

    id = fields.Id(Kind.POSTING)
    account_id = fields.Id(Kind.ACCOUNT)
    account_name = ma.fields.String()
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    org_merchant_name = ma.fields.String(allow_none=True)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    day = fields.Day(allow_none=True)
    due_on = fields.Day(allow_none=True)
    overdue_days = ma.fields.Integer(allow_none=True)
    reference = Untrusted(allow_none=True)
    description = Untrusted()
    currency = fields.Currency()
    amount = fields.Amount()
    amount_base = fields.Amount()
    settled = fields.Amount()
    settled_base = fields.Amount()
    open = fields.Amount()
    open_base = fields.Amount()


class ItemQuerySchema(PageSchema):
    """Which open items to list: at the close of `openOn`, else as they are now; of a `side`, of its accounts."""

    account_id = fields.FormId(Kind.ACCOUNT, load_default=None)
    side = fields.OneOf(*OwedSide, load_default=None)
    merchant_id = fields.FormId(Kind.MERCHANT, load_default=None)
    open_on = fields.Day(load_default=None)
    overdue = fields.FormFlag(load_default=None)


class ItemChangesSchema(Schema):
    """The changed fields of an item; the others stay as they are."""

    due_on = fields.Day(allow_none=True)
    reference = fields.Text(most=255, allow_none=True, strip=True)
