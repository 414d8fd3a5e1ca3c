"""The schemas of what a bank line may pay, with the evidence for it."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.open_items.payment_sets import SetVerdict
from webapp.ledger.open_items.payments import Basis
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.items.items import OwedItemSchema


class ChosenPartSchema(Schema):
    """What a line would settle of one item, with the item's sign."""

    item_id = fields.Id(Kind.POSTING)
    amount = fields.Amount()


class PaymentChoiceSchema(Schema):
    """Items that a line may pay, and why.

    `leftOpen` is what the parts leave of the items, `unused` what they leave of the line; it is null where they are in
    another currency.
    """

    basis = fields.OneOf(*Basis)
    reason = ma.fields.String()
    parts = ma.fields.List(ma.fields.Nested(ChosenPartSchema))
    left_open = fields.Amount()
    unused = fields.Amount(allow_none=True)


class WantedItemSchema(Schema):
    """An item that other bank lines are to pay, too."""

    item_id = fields.Id(Kind.POSTING)
    transaction_ids = ma.fields.List(fields.Id(Kind.TRANSACTION))


class LinePaymentsSchema(Schema):
    """What a bank line may pay, the best first.

    The verdict counts the sets of open items that add up to the line: `unique`, `several`, `none`, or `too_many` open
    items to look through. Only the basis `IDENTIFICATION` says for sure what is paid.
    """

    verdict = fields.OneOf(*SetVerdict)
    candidates = ma.fields.Integer()
    choices = ma.fields.List(ma.fields.Nested(PaymentChoiceSchema))
    items = ma.fields.List(ma.fields.Nested(OwedItemSchema))
    wanted = ma.fields.List(ma.fields.Nested(WantedItemSchema))
