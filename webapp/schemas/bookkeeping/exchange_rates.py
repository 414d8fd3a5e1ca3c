"""The schemas of exchange rates and revaluations."""

from typing import Any

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import OPTIONAL, Schema
from webapp.schemas.instants import CalendarMonth
from webapp.schemas.paging import PageSchema

MOST_RATES = 1000


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


class TakeBackSchema(Schema):
    """Why a revaluation is taken back."""

    reason = fields.Text(least=1, most=2000, required=True)
