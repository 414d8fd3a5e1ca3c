"""The schemas of exchange rates and revaluations."""

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema

MOST_RATES = 1000


class ExchangeRateSchema(Schema):
    """A rate of a day: units of a currency for one unit of the base currency."""

    day = fields.Day(required=True)
    currency = fields.Currency(required=True)
    units_per_base = fields.UnitsPerBase(required=True)
    source = fields.Text(least=1, most=255, load_default="manual")


class StoredExchangeRateSchema(Schema):
    """A stored rate of a day."""

    day = fields.Day()
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
