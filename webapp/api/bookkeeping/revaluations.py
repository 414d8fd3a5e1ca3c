"""Revaluations over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.audit.action_requests import ActionResultSchema
from webapp.schemas.bookkeeping.exchange_rates import RevaluationSchema, TakeBackSchema
from webapp.services.audit.results import ActionResult
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_revaluations", __name__, url_prefix="/api", description="Revaluations")


@bp.post("/revaluations")
@requires("confirm", is_heavy=True)
@bp.arguments(RevaluationSchema)
@bp.response(200, ActionResultSchema)
def revalue(body: dict[str, Any]) -> ActionResult:
    """Revalue balances in other currencies at the rates of a day; its reversal is dated the next day."""
    return services.bookkeeping.revaluations.revalue(**body, **acting())


@bp.post("/journal-entries/<id:entry_id>/take-back")
@requires("confirm")
@bp.arguments(TakeBackSchema)
@bp.response(200, ActionResultSchema)
def take_back(body: dict[str, Any], entry_id: int) -> ActionResult:
    """Take back the revaluation that an entry belongs to: both its entries, each on its own day."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    return services.bookkeeping.revaluations.take_back(entry, **body, **acting())
