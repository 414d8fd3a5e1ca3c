"""The financial year over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.bookkeeping.periods import FinancialYearSchema, FirstMonthChangeSchema
from webapp.schemas.paging import changing, wrapped
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.rendering import periods

bp = Blueprint(
    "api_financial_years", __name__, url_prefix="/api/financial-year", description="The financial year"
)
AnswerSchema = wrapped("financialYear", FinancialYearSchema)


@bp.get("")
@requires("read")
@bp.response(200, AnswerSchema)
def read() -> dict[str, Any]:
    """Read the first month of the financial year, and the year of today."""
    return {"financialYear": periods.financial_year()}


@bp.put("")
@requires("admin")
@bp.arguments(FirstMonthChangeSchema)
@bp.response(200, changing(AnswerSchema))
def put(body: dict[str, Any]) -> dict[str, Any]:
    """Change the first month, from the first year on that is not locked; the year before becomes a short one."""
    organization = queries.access.organizations.get(organization_id())
    services.bookkeeping.financial_years.change(organization, **body, **acting())
    return {"financialYear": periods.financial_year()}
