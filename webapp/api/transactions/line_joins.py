"""Joins over JSON: two rows that are one bank line, or two lines that are a transfer."""

from typing import Any

from webapp import queries, services
from webapp.api.transactions.transactions import AnswerSchema, answer
from webapp.schemas.paging import changing
from webapp.schemas.transactions.line_joins import LineToJoinSchema, OtherLineSchema, SuggestionsSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_line_joins", __name__, url_prefix="/api/transactions", description="Joins of bank lines")


@bp.get("/<id:transaction_id>/suggestions")
@requires("read")
@bp.response(200, SuggestionsSchema)
def suggestions(transaction_id: int) -> Any:
    """List a line's joins, transfers and suggestions, and the bank's changes of it."""
    return queries.transactions.suggestions.of_line(
        queries.transactions.transactions.get(organization_id(), transaction_id)
    )


@bp.post("/<id:transaction_id>/join")
@requires("draft")
@bp.arguments(LineToJoinSchema)
@bp.response(200, changing(AnswerSchema))
def join(body: dict[str, Any], transaction_id: int) -> dict[str, Any]:
    """Join two lines; answers with the line that remains in the books, for a transfer with the first.

    Of split lines the parts on the transfers account are compared. A `difference` is booked as what it is called.
    """
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    other = queries.transactions.transactions.refer(organization_id(), body["transaction_id"])
    joined = services.transactions.links.join(line, other, difference=body["difference"], **acting())
    return answer(joined.id)


@bp.post("/<id:transaction_id>/unjoin")
@requires("draft")
@bp.arguments(OtherLineSchema)
@bp.response(200, changing(AnswerSchema))
def unjoin(body: dict[str, int], transaction_id: int) -> dict[str, Any]:
    """Separate two lines permanently; answers with the line that was the duplicate, for a transfer with the first."""
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    other = queries.transactions.transactions.refer(organization_id(), body["transaction_id"])
    return answer(services.transactions.links.unjoin(line, other, **acting()).id)
