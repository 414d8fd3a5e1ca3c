"""Settlements of open items over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.paging import changing, listing, warned_members, wrapped
from webapp.schemas.transactions.settlements import (
    NewSettlementSchema,
    SettlementQuerySchema,
    SettlementSchema,
    SettlementUndoSchema,
)
from webapp.web import paging
from webapp.web.access import selections
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint(
    "api_settlements", __name__, url_prefix="/api/settlements", description="Settlements of open items"
)
AnswerSchema = wrapped("settlement", SettlementSchema, title=None, **warned_members())


@bp.get("")
@requires("read")
@bp.arguments(SettlementQuerySchema, location="query")
@bp.response(200, listing("settlements", SettlementSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List settlements with their parts, newest first."""
    return paging.listed(
        "settlements", "i", query, queries.items.settlements.listed, changed_since=selections.changed_since()
    )


@bp.post("")
@requires("confirm")
@bp.arguments(NewSettlementSchema)
@bp.response(201, AnswerSchema)
def settle(body: dict[str, Any]) -> dict[str, Any]:
    """Settle open items of one account and currency with each other; they add up to zero, and nothing is posted."""
    return {"settlement": services.transactions.settlements.settle(**body, **acting())}


@bp.post("/<id:settlement_id>/undo")
@requires("confirm")
@bp.arguments(SettlementUndoSchema)
@bp.response(200, changing(AnswerSchema))
def undo(body: dict[str, Any], settlement_id: int) -> dict[str, Any]:
    """Undo a settlement, so that its items are open again."""
    settlement = queries.items.settlements.get(organization_id(), settlement_id)
    return {"settlement": services.transactions.settlements.undo(settlement, **body, **acting())}
