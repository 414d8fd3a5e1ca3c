"""The schemas of cash flows, of changes in equity, and of the day book."""

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.instants import EffectiveAt
from webapp.schemas.reports.reports import YEAR, ReportAccountSchema, ReportLineSchema, ReportSchema
from webapp.schemas.untrusted import Untrusted

ACTIVITIES = ("OPERATING", "INVESTING", "FINANCING")


class CashFiguresSchema(Schema):
    """A figure of a cash flow in the period, beside it, in each month and in the year, if asked."""

    amount = fields.Amount()
    before = fields.Amount(allow_none=True)
    months = ma.fields.List(fields.Amount(), allow_none=True)
    year_to_date = fields.Amount(allow_none=True, metadata=YEAR)


class ActivityFlowsSchema(Schema):
    """What flowed for an activity, and by account; money in is above zero."""

    code = fields.OneOf(*ACTIVITIES, metadata={"description": "What the money flowed for."})
    figures = ma.fields.Nested(CashFiguresSchema)
    lines = ma.fields.List(ma.fields.Nested(ReportLineSchema))


class CashFlowSchema(ReportSchema):
    """The cash flow of a period, by the other accounts of entries that move cash.

    Opening, activities and `exchangeEffect` make the closing, of which `inTransit` is on its way between own accounts.
    """

    opening = ma.fields.Nested(CashFiguresSchema)
    activities = ma.fields.List(ma.fields.Nested(ActivityFlowsSchema))
    exchange_effect = ma.fields.Nested(CashFiguresSchema)
    closing = ma.fields.Nested(CashFiguresSchema)
    in_transit = ma.fields.Nested(CashFiguresSchema)


class EquityFiguresSchema(Schema):
    """Opening, result, contributions, drawings, appropriation and others, which make the closing."""

    opening = fields.Amount()
    result = fields.Amount(metadata={"description": "The results of the period, on retained earnings."})
    contributions = fields.Amount(metadata={"description": "What owners brought in, in money."})
    drawings = fields.Amount(metadata={"description": "What owners took out, in money; below zero."})
    appropriation = fields.Amount(metadata={"description": "What results were put to."})
    other = fields.Amount()
    closing = fields.Amount()


class EquityLineSchema(ReportAccountSchema, EquityFiguresSchema):
    """An account of equity with what moved it."""


class ChangesInEquitySchema(ReportSchema):
    """What moved equity in a period, by account; credits are above zero, as equity is."""

    lines = ma.fields.List(ma.fields.Nested(EquityLineSchema))
    total = ma.fields.Nested(EquityFiguresSchema)


class DayBookLineSchema(Schema):
    """A leg of an entry, with the accounts on its other side."""

    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    entry_number = ma.fields.Integer()
    effective_at = EffectiveAt()
    description = Untrusted()
    source = ma.fields.String()
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True)
    document_number = Untrusted(allow_none=True, metadata={"description": "The number of its document."})
    account_id = fields.Id(Kind.ACCOUNT)
    account_code = ma.fields.String(allow_none=True)
    account_name = Untrusted()
    contra = ma.fields.List(Untrusted(), metadata={"description": "The accounts of its other side."})
    amount = fields.Amount()
    currency = fields.Currency()
    debit = fields.Amount(allow_none=True, metadata={"description": "In the base currency."})
    credit = fields.Amount(allow_none=True, metadata={"description": "In the base currency."})
