"""Settling the open items that are ticked, and undoing a settlement, on the page of transfers."""

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.pages.owed import show_statement
from webapp.pages.transactions.transfers import show
from webapp.schemas.transactions.settlements import SettlementUndoFormSchema, TickedItemsFormSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_back
from webapp.web.rendering.problems import REFUSALS, problem_of

bp = Blueprint("settlements", __name__, url_prefix="/settlements")


@bp.post("")
@requires("confirm")
def settle() -> Response:
    """Settle the ticked items with each other."""
    body = TickedItemsFormSchema().load(form_body(lists=frozenset({"items"})))
    parts: list[services.transactions.settlements.PartInput] = [{"item_id": each} for each in body["items"]]
    try:
        settlement = services.transactions.settlements.settle(parts, **acting())
    except LedgerError as error:
        return show(problem=problem_of(error))
    return redirect_back(url_for("transfers.index", accountId=settlement.account_id))


@bp.post("/<id:settlement_id>/undo")
@requires("confirm")
def undo(settlement_id: int) -> Response:
    """Undo a settlement, or show the error."""
    settlement = queries.items.settlements.get(organization_id(), settlement_id)
    try:
        body = SettlementUndoFormSchema().load(form_body())
        services.transactions.settlements.undo(settlement, **body, **acting())
    except REFUSALS as error:
        shown = show_statement if "from" in request.args else show
        return shown(problem=problem_of(error))
    return redirect_back(url_for("transfers.index", accountId=settlement.account_id))
