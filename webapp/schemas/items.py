"""The schemas of items that are owed, and of what a bank line may pay, with the evidence for it."""

from typing import Any

import marshmallow as ma

from webapp.ledger.open_items.ageing import OwedSide
from webapp.ledger.open_items.payable_items import ShortAs
from webapp.ledger.open_items.payment_sets import SetVerdict
from webapp.ledger.open_items.payments import Basis
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
    account_name = Untrusted()
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    org_merchant_name = Untrusted(allow_none=True)
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


ASTRAY = "Those without a party, and those on the other side than their account; false for all others."


class ItemQuerySchema(PageSchema):
    """Which open items to list: at the close of `openOn`, else as they are now; of a `side`, of its accounts."""

    account_id = fields.FormId(Kind.ACCOUNT, load_default=None)
    side = fields.OneOf(*OwedSide, load_default=None)
    merchant_id = fields.FormId(Kind.MERCHANT, load_default=None)
    open_on = fields.Day(load_default=None)
    overdue = fields.FormFlag(load_default=None)
    astray = fields.FormFlag(load_default=None, metadata={"description": ASTRAY})


class ItemChangesSchema(Schema):
    """The changed fields of an item; the others stay as they are."""

    due_on = fields.Day(allow_none=True)
    reference = fields.Text(most=255, allow_none=True, strip=True)


class ChosenPartSchema(Schema):
    """What a line would settle of one item, with the item's sign."""

    item_id = fields.Id(Kind.POSTING)
    amount = fields.Amount()


class PaymentRatesSchema(Schema):
    """At which rate a line would pay items of another currency, in units of theirs for one unit of the line's."""

    implied = fields.UnitsPerBase()
    of_day = fields.UnitsPerBase(allow_none=True)


class PaymentChoiceSchema(Schema):
    """Items that a line may pay, and why.

    `leftOpen` is what the parts leave of the items, `unused` what they leave of the line; it is null where they are in
    another currency, and `rates` where they are in the same. With `charges`, which the bank states within the line,
    the items come to the line without them: send `splits`, of which one is the charges on `chargesAccountId`.
    """

    basis = fields.OneOf(*Basis)
    reason = Untrusted()
    parts = ma.fields.List(ma.fields.Nested(ChosenPartSchema))
    left_open = fields.Amount()
    unused = fields.Amount(allow_none=True)
    rates = ma.fields.Nested(PaymentRatesSchema, allow_none=True)
    charges = fields.Amount(
        allow_none=True,
        metadata={"description": "The bank's charges within the line; null where it is paid without."},
    )


class LikelyPartSchema(Schema):
    """An item that a line likely pays, and how much of it."""

    item_id = fields.Id(Kind.POSTING)
    reference = Untrusted()
    party_name = Untrusted(allow_none=True)
    amount = fields.Amount()


class LikelyPaymentSchema(Schema):
    """What a line likely pays, and why.

    It is named by the line, or exactly what its party owes. Otherwise `parts` is empty, and a person tells which of
    the `choices` it is.
    """

    basis = fields.OneOf(*Basis)
    reason = Untrusted()
    parts = ma.fields.List(ma.fields.Nested(LikelyPartSchema))
    choices = ma.fields.List(ma.fields.List(ma.fields.Nested(LikelyPartSchema)))


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
    charges_account_id = fields.Id(
        Kind.ACCOUNT,
        allow_none=True,
        metadata={"description": "The account of bank charges; null for a line without charges."},
    )


MOST_PAID = 100


REOPENS = {"description": "End what was written off of the item, as far as it is paid now."}


class PaidPartSchema(Schema):
    """What a line is to pay of an item, with the item's sign; without an amount all that is left of it.

    An amount includes what is short of the item.
    """

    item_id = fields.Id(Kind.POSTING, required=True)
    amount = fields.Amount(allow_none=True, load_default=None)
    reopens = fields.Flag(load_default=False, load_only=True, metadata=REOPENS)


class ShortSplitSchema(Schema):
    """A part of what is short, without a sign."""

    account_id = fields.Id(Kind.ACCOUNT, required=True)
    amount = fields.Amount(required=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True, load_default=None)


class ShortSchema(Schema):
    """How much a payment is short of its items, without a sign, and what that is; their amounts include it.

    It is in the line's currency, or in that of the items where `currency` names it. What is left open is no part of
    the settlement. A fee goes to bank charges unless an account is named; a discount and a write-off name an account
    of income or expenses, or splits, which may be on any account that keeps no items and is no bank's.
    """

    amount = fields.Amount(required=True)
    currency = fields.Currency(allow_none=True, load_default=None)
    as_ = fields.OneOf(*ShortAs, data_key="as", attribute="as", required=True)
    account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None)
    splits = ma.fields.List(
        ma.fields.Nested(ShortSplitSchema),
        allow_none=True,
        load_default=None,
        validate=ma.validate.Length(min=1, max=MOST_PAID, error="Send 1 to 100 splits."),
    )


def paid_parts() -> ma.fields.Field[Any]:
    """The field of what a line is to pay."""
    return ma.fields.List(
        ma.fields.Nested(PaidPartSchema),
        allow_none=True,
        validate=ma.validate.Length(max=MOST_PAID, error="Send up to 100 items."),
    )


class PaidPartFormSchema(PaidPartSchema):
    """The same from a form."""

    item_id = fields.FormId(Kind.POSTING, required=True)  # type: ignore[assignment]


class ShortFormSchema(ShortSchema):
    """The same from a form, which names one account."""

    account_id = fields.FormId(Kind.ACCOUNT, allow_none=True, load_default=None)  # type: ignore[assignment]
