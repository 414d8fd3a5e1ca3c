"""Exchange rates over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.bookkeeping.exchange_rates import (
    ExchangeRateQuerySchema,
    ExchangeRatesSchema,
    StoredExchangeRateSchema,
)
from webapp.schemas.paging import changing, listing
from webapp.web import paging
from webapp.web.access.auth import acting, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_exchange_rates", __name__, url_prefix="/api/exchange-rates", description="Exchange rates")


@bp.get("")
@requires("read")
@bp.arguments(ExchangeRateQuerySchema, location="query")
@bp.response(200, listing("rates", StoredExchangeRateSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List exchange rates, newest first."""
    rates = queries.tax.rates if query.pop("use") == "TAX" else queries.currencies.exchange_rates
    return paging.listed("rates", "di", query, rates.listed)


@bp.put("")
@requires("admin", is_heavy=True)
@bp.arguments(ExchangeRatesSchema)
@bp.response(200, changing(ExchangeRatesSchema))
def put(body: dict[str, Any]) -> dict[str, Any]:
    """Store exchange rates, and recalculate the drafts that use them."""
    return {"rates": services.bookkeeping.exchange_rates.put(body["rates"], **acting())}
