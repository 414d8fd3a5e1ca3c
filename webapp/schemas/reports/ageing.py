"""The schemas of what is owed: aged by party, a party's statement, and the cash that is expected."""

import marshmallow as ma

from webapp.ledger.open_items.ageing import Age, OwedSide
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.items import OwedItemSchema
from webapp.schemas.reports.reports import PeriodQuerySchema, PeriodSchema
from webapp.schemas.untrusted import Untrusted


class AsOfQuerySchema(Schema):
    """The day at whose close a report is, by default today."""

    as_of = fields.Day(load_default=None)


class OwedPageQuerySchema(AddressSchema, AsOfQuerySchema):
    """Which side the page shows, and as of which day."""

    side = fields.OneOf(*OwedSide, load_default=OwedSide.RECEIVABLES.value)


class StatementQuerySchema(PeriodQuerySchema):
    """Whose statement, over which period; without a merchant that of what has no party."""

    org_merchant_id = fields.FormId(Kind.MERCHANT, load_default=None)


class StatementPageQuerySchema(AddressSchema, StatementQuerySchema):
    """The same from the address of its page."""


class AgesSchema(Schema):
    """An amount by age: not due, and up to 30, 60, 90 and over 90 days after the due day."""

    not_due = fields.Amount(attribute=Age.NOT_DUE)
    up_to_30 = fields.Amount(attribute=Age.UP_TO_30, data_key="upTo30")
    up_to_60 = fields.Amount(attribute=Age.UP_TO_60, data_key="upTo60")
    up_to_90 = fields.Amount(attribute=Age.UP_TO_90, data_key="upTo90")
    over_90 = fields.Amount(attribute=Age.OVER_90, data_key="over90")


class AgedRowSchema(Schema):
    """One currency of a party: by age in it, and at the carrying base; what is owed to us is above zero."""

    currency = fields.Currency()
    amounts = ma.fields.Nested(AgesSchema)
    amounts_base = ma.fields.Nested(AgesSchema)
    total = fields.Amount()
    total_base = fields.Amount()


class AgedPartySchema(Schema):
    """A party with its currencies, and by age in the base; without id and name what has no party."""

    org_merchant_id = fields.Id(Kind.MERCHANT, attribute="id", allow_none=True)
    name = Untrusted(allow_none=True)
    rows = ma.fields.List(ma.fields.Nested(AgedRowSchema))
    amounts_base = ma.fields.Nested(AgesSchema)
    total_base = fields.Amount()


class AgedReportSchema(Schema):
    """What is owed on accounts that keep items, at the close of a day.

    `totalBase` and `revaluation` make `balance`, that of the accounts; `difference` is what is left between them, 0.00
    unless the books are broken.
    """

    as_of = fields.Day(attribute="day")
    base_currency = fields.Currency()
    account_ids = ma.fields.List(fields.Id(Kind.ACCOUNT))
    parties = ma.fields.List(ma.fields.Nested(AgedPartySchema))
    amounts_base = ma.fields.Nested(AgesSchema)
    total_base = fields.Amount()
    revaluation = fields.Amount()
    balance = fields.Amount()
    difference = fields.Amount()


class StatementMovementSchema(Schema):
    """An invoice, a payment or something else that moved what is owed, with what is owed after it."""

    day = fields.Day()
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    entry_number = ma.fields.Integer()
    reference = Untrusted(allow_none=True)
    description = Untrusted()
    amount = fields.Amount()
    balance = fields.Amount()


class StatementCurrencySchema(Schema):
    """One currency of a statement: opening and movements make the closing, which is what is open, by age."""

    currency = fields.Currency()
    opening = fields.Amount()
    movements = ma.fields.List(ma.fields.Nested(StatementMovementSchema))
    closing = fields.Amount()
    ages = ma.fields.Nested(AgesSchema)


class PartyStatementSchema(Schema):
    """What moved between a party and us in a period, and what is open at its end; what it owes is above zero."""

    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    name = ma.fields.String(allow_none=True)
    sender = ma.fields.List(Untrusted(), metadata={"description": "Our name and address, line by line."})
    recipient = ma.fields.List(
        Untrusted(), metadata={"description": "The party's name and address, as its newest e-invoice has it."}
    )
    period = ma.fields.Nested(PeriodSchema)
    currencies = ma.fields.List(ma.fields.Nested(StatementCurrencySchema))
    items = ma.fields.List(ma.fields.Nested(OwedItemSchema))


class ExpectedDaySchema(Schema):
    """What is due from customers and to suppliers on a day, and what all due up to it comes to."""

    due_on = fields.Day()
    incoming = fields.Amount()
    outgoing = fields.Amount()
    running = fields.Amount()


class ExpectedCashSchema(Schema):
    """Cash expected by due day, at the carrying base; `overdue` was due by `asOf`, `undated` has no due day."""

    as_of = fields.Day(attribute="day")
    base_currency = fields.Currency()
    overdue = fields.Amount()
    overdue_incoming = fields.Amount(metadata={"description": "What customers should have paid by then."})
    overdue_outgoing = fields.Amount(metadata={"description": "What suppliers should have got by then."})
    undated = fields.Amount()
    undated_incoming = fields.Amount(metadata={"description": "What customers owe without a due day."})
    undated_outgoing = fields.Amount(metadata={"description": "What is owed to suppliers without a due day."})
    days = ma.fields.List(ma.fields.Nested(ExpectedDaySchema))
