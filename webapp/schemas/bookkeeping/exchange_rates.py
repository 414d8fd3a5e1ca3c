"""The schemas of exchange rates and revaluations."""

from typing import Any

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import OPTIONAL, Schema
from webapp.schemas.instants import CalendarMonth
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import Untrusted

MOST_RATES = 1000
STATE = {"description": "Whether one is needed, and whether the one that stands is what is needed."}
DUE = "What a revaluation made now would add."
STANDING = "What the one that stands adds."
APART = "What is due beyond what stands; empty where it stands as it should."
SINCE = "What moved it since it was made, the earliest first."


USES = ("BOOKS", "TAX")
USE = {"description": "What it is for: the books, or the boxes and legs of taxes."}
MONTH = {"description": "Of a rate for taxes, the month that it is of, like 2026-03, in place of a day."}


class ExchangeRateSchema(Schema):
    """A rate of a day: units of a currency for one unit of the base currency; one for taxes may be of a month."""

    day = fields.Day()
    month = CalendarMonth(metadata=MONTH)
    use = fields.OneOf(*USES, load_default="BOOKS", metadata=USE)
    currency = fields.Currency(required=True)
    units_per_base = fields.UnitsPerBase(required=True)
    source = fields.Text(least=1, most=255, load_default="manual")

    @ma.post_load
    def name_a_day(self, rate: dict[str, Any], **kwargs: object) -> dict[str, Any]:
        """Refuse no day, and a month that is no tax rate's; a month is its first day."""
        del kwargs
        if ("month" in rate) == ("day" in rate):
            raise ma.ValidationError("Send a day; a rate for taxes may have a month instead.", "day")
        if "month" in rate and rate["use"] != "TAX":
            raise ma.ValidationError("Only a rate for taxes is of a month.", "month")
        return {"day": rate.get("month"), **rate}


class StoredExchangeRateSchema(Schema):
    """A stored rate of a day, or of the days to `lastDay` where it is for taxes."""

    day = fields.Day()
    last_day = fields.Day(
        metadata={**OPTIONAL, "description": "Of a rate for taxes, the last day that it is of."}
    )
    currency = fields.Currency()
    units_per_base = fields.UnitsPerBase()
    source = ma.fields.String()


class ExchangeRatesSchema(Schema):
    """Rates to store, which replace those of the same day and currency."""

    rates = ma.fields.List(
        ma.fields.Nested(ExchangeRateSchema),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_RATES, error="Send 1 to 1000 rates."),
    )


class ExchangeRateQuerySchema(PageSchema):
    """Which rates to list; days are inclusive."""

    currency = fields.Currency(load_default=None)
    use = fields.OneOf(*USES, load_default="BOOKS", metadata=USE)
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)


class ExchangeRatePageQuerySchema(AddressSchema, PageSchema):
    """The query of the page of rates."""

    currency = fields.Currency(load_default=None)


class RevaluationSchema(Schema):
    """The day whose rates are used; one of more than a year ahead needs `force`."""

    as_of = fields.Day(required=True)
    force = fields.Flag(load_default=False)


class RevaluationQuerySchema(Schema):
    """The day whose revaluation is judged; by default the end of the last month."""

    as_of = fields.Day(load_default=None)


class RevaluedAmountSchema(Schema):
    """What a revaluation adds on an account in a currency."""

    account_id = fields.Id(Kind.ACCOUNT)
    account_name = Untrusted()
    currency = fields.Currency()
    amount_base = fields.Amount(metadata={"description": "What it adds, in the base currency."})


class RevaluationMoveSchema(Schema):
    """An act that moved what is due, after the revaluation that stands was made."""

    action_request_id = ma.fields.String(metadata={"description": "The id of the act."})
    title = Untrusted(metadata={"description": "What it did."})
    actor = ma.fields.String(metadata={"description": "The name of who did it."})
    at = fields.Timestamp()


class RevaluationVerdictSchema(Schema):
    """The verdict on the revaluation of a day, judged anew on each read."""

    as_of = fields.Day()
    state = fields.OneOf("NONE_NEEDED", "NEVER", "STANDS", "STALE", "RATE_MISSING", metadata=STATE)
    due = ma.fields.List(ma.fields.Nested(RevaluedAmountSchema), metadata={"description": DUE})
    standing = ma.fields.List(ma.fields.Nested(RevaluedAmountSchema), metadata={"description": STANDING})
    apart = ma.fields.List(ma.fields.Nested(RevaluedAmountSchema), metadata={"description": APART})
    result = fields.Amount(metadata={"description": "What the result would gain if it were made now."})
    missing_rates = ma.fields.List(
        fields.Currency(), metadata={"description": "The currencies without a rate of the day."}
    )
    since = ma.fields.List(ma.fields.Nested(RevaluationMoveSchema), metadata={"description": SINCE})


class TakeBackSchema(Schema):
    """Why a revaluation is taken back."""

    reason = fields.Text(least=1, most=2000, required=True)
