"""Confirming lines in the workspace: one, or those that are selected, as their rows show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import marshmallow as ma
from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.titles import counted
from webapp.pages.transactions.feed_accounts import TEMPLATE, workspace, workspace_filters
from webapp.pages.transactions.transactions import act_on
from webapp.schemas.addresses import WorkspaceQuerySchema
from webapp.schemas.transactions.transactions import ConfirmFormSchema, ConfirmManyFormSchema
from webapp.services.audit.results import FailedItem
from webapp.web.access.auth import acting, demand, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back, render
from webapp.web.rendering.problems import Problem

if TYPE_CHECKING:
    from webapp.ledger.journal.shown_lines import ShownLine
    from webapp.models import Transaction
    from webapp.services.audit.results import ActionResult

bp = Blueprint("confirmations", __name__, url_prefix="/transactions")


@bp.post("/<id:transaction_id>/confirm")
@requires("confirm")
def confirm(transaction_id: int) -> Response:
    """Confirm a line as its row shows it, after a question if it is uncategorised."""
    body = ConfirmFormSchema().load(form_body())
    shown: ShownLine | None = body["shown"]
    if shown is not None and shown.accepted is not None:
        demand("draft")
    if shown is not None and shown.line_id != transaction_id:
        raise ma.ValidationError({"shown": ["This is what another row shows."]})

    def act(line: Transaction) -> ActionResult:
        return services.transactions.confirmations.confirm(line, **body, **acting())

    return act_on(transaction_id, act, shown=shown)


@bp.post("/confirm")
@requires("confirm", is_heavy=True)
def confirm_many() -> Response:
    """Confirm the unconfirmed ones of the selected lines, after a question if some are uncategorised."""
    body = ConfirmManyFormSchema(unknown=ma.EXCLUDE).load(form_body(lists=frozenset({"ids"})))
    first = queries.transactions.transactions.get(organization_id(), body["ids"][0])
    ids = queries.transactions.workspaces.unconfirmed(organization_id(), body["ids"])
    if "withUncategorised" not in request.form:
        count = queries.transactions.workspaces.count_uncategorised(organization_id(), ids)
        if count:
            asking = {"ids": ids, "count": len(ids), "uncategorised_count": count}
            return render_dock(first.feed_account_id, asking=asking)
    results = services.transactions.lifecycle.bulk_confirm(
        organization_id(), ids, note=body["note"], **acting()
    )
    refused = [result for result in results if isinstance(result, FailedItem)]
    if refused:
        message = f"{len(results) - len(refused)} of {len(results)} confirmed. {refused[0].error}"
        problem = Problem(message, refused[0].code, 409, place="dock")
        return render_dock(first.feed_account_id, problem=problem)
    return render_dock(first.feed_account_id, notice=notice_of(first, ids))


def notice_of(first: Transaction, ids: list[int]) -> dict[str, str]:
    """The notice on confirmed lines: their number and sum, with a link to their entries."""
    if not ids:
        return {"text": "Nothing left to confirm."}
    account = queries.accounts.feed_accounts.get(organization_id(), first.feed_account_id)
    amount = queries.transactions.workspaces.total(organization_id(), ids, first.currency)
    return {
        "text": f"{counted(len(ids), 'line')} confirmed, {amount.formatted}",
        "href": url_for("journal_entries.index", accountId=account.account_id, status="POSTED"),
        "link": "See the entries",
    }


def render_dock(
    fa_id: int,
    *,
    asking: dict[str, Any] | None = None,
    problem: Problem | None = None,
    notice: dict[str, str] | None = None,
) -> Response:
    """Answer an act on selected lines."""
    if not is_htmx() and asking is None and problem is None:
        return redirect_back(url_for("feed_accounts.show", fa_id=fa_id))
    query = {**WorkspaceQuerySchema().load({}), **workspace_filters(fa_id)}
    parts = ("dock",) if asking else ("lines", "filters", "panel", "dock", "toast")
    asked = parts if is_htmx() else ()
    context = workspace(fa_id, query, asked, problem=problem, asking=asking) | {"notice": notice}
    status = 409 if asking or problem else 200
    return render(TEMPLATE, parts={part: part for part in parts}, status=status, **context)
