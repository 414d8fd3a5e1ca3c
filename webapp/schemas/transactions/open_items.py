"""The schemas of the open items of watched accounts."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.codes import PAIR_DIFFERENCES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.entry_days import EffectiveAt
from webapp.schemas.paging import PageSchema
from webapp.schemas.transactions.settlements import MOST_PARTS
from webapp.schemas.untrusted import Untrusted


class OpenItemSchema(Schema):
    """What is left of an amount on a watched account that should have been moved on, and its age."""

    id = fields.Id(Kind.POSTING)
    account_id = fields.Id(Kind.ACCOUNT)
    account_name = ma.fields.String()
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    fa_id = fields.Id(Kind.FEED_ACCOUNT, allow_none=True)
    effective_at = EffectiveAt(attribute="effective_on")
    age_days = ma.fields.Integer()
    description = Untrusted()
    amount = fields.Amount()
    currency = fields.Currency()
    amount_base = fields.Amount()


class TickedItemsFormSchema(Schema):
    """The open items that a form has ticked, and what two lines of a transfer differ by."""

    items = ma.fields.List(fields.FormId(), load_default=list, validate=ma.validate.Length(max=MOST_PARTS))
    difference = fields.OneOf(*PAIR_DIFFERENCES, load_default=None, allow_none=True)


class OpenItemQuerySchema(PageSchema):
    """Which open items to list."""

    account_id = fields.FormId(Kind.ACCOUNT, load_default=None)
