"""Revaluations over JSON."""

from datetime import timedelta
from typing import Any

from webapp import queries, services
from webapp.schemas.audit.action_requests import ActionResultSchema
from webapp.schemas.bookkeeping.exchange_rates import (
    RevaluationQuerySchema,
    RevaluationSchema,
    RevaluationVerdictSchema,
    TakeBackSchema,
)
from webapp.schemas.paging import wrapped
from webapp.services.audit.results import ActionResult
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_revaluations", __name__, url_prefix="/api", description="Revaluations")


@bp.get("/revaluations")
@requires("read")
@bp.arguments(RevaluationQuerySchema, location="query")
@bp.response(200, wrapped("revaluation", RevaluationVerdictSchema))
def read(query: dict[str, Any]) -> dict[str, Any]:
    """Judge the revaluation as of a day: what is due, what stands, and what moved it since."""
    organization = queries.access.organizations.get(organization_id())
    today = queries.access.organizations.today(organization.id, requests.now())
    as_of = query["as_of"] or today.replace(day=1) - timedelta(days=1)
    return {"revaluation": queries.currencies.revaluation_verdicts.record(organization, as_of)}


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
