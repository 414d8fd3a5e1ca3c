"""Proposed transfers between own accounts over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.paging import changing
from webapp.schemas.transactions.line_joins import PairResultsSchema, TransfersSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint(
    "api_transfers", __name__, url_prefix="/api/transfers", description="Transfers between own accounts"
)


@bp.get("")
@requires("read", is_heavy=True)
@bp.response(200, TransfersSchema)
def listed() -> dict[str, Any]:
    """List proposed transfers, the unambiguous ones first; 250 at most."""
    return {"transfers": queries.transfers.proposed.proposed(organization_id()).listed}


@bp.post("/accept")
@requires("draft", is_heavy=True)
@bp.response(200, changing(PairResultsSchema))
def accept() -> dict[str, Any]:
    """Pair all unambiguous transfers, one result for each pair."""
    return {"results": services.transactions.transfers.pair_unambiguous(**acting())}
