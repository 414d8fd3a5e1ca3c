"""Acts on bank lines in the workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import marshmallow as ma
from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.ledger.titles import counted
from webapp.pages.transactions.feed_accounts import TEMPLATE, render_line, workspace, workspace_filters
from webapp.schemas.addresses import WorkspaceQuerySchema
from webapp.schemas.transactions.transactions import (
    ConfirmManyFormSchema,
    ConfirmSchema,
    TransactionFormSchema,
)
from webapp.services.audit.results import FailedItem
from webapp.services.transactions.edits import LineChanges
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.figures import typed
from webapp.web.rendering.forms import chosen_id, form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back, render
from webapp.web.rendering.problems import Problem, problem_of

if TYPE_CHECKING:
    from webapp.models import Transaction

bp = Blueprint("transactions", __name__, url_prefix="/transactions")


@bp.post("/<id:transaction_id>")
@requires("draft")
def edit(transaction_id: int) -> Response:
    """Change a line's entry."""
    return act_on(transaction_id, save)


@bp.post("/<id:transaction_id>/confirm")
@requires("confirm")
def confirm(transaction_id: int) -> Response:
    """Confirm a line."""
    return act_on(
        transaction_id,
        lambda line: services.transactions.lifecycle.confirm(
            line, **ConfirmSchema().load(form_body()), **acting()
        ),
    )


@bp.post("/<id:transaction_id>/delete")
@requires("draft")
def delete(transaction_id: int) -> Response:
    """Delete a line."""
    return act_on(transaction_id, lambda line: services.transactions.lifecycle.delete(line, **acting()))


@bp.post("/<id:transaction_id>/restore")
@requires("draft")
def restore(transaction_id: int) -> Response:
    """Restore a line."""
    return act_on(transaction_id, lambda line: services.transactions.lifecycle.restore(line, **acting()))


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
    context = workspace(fa_id, query, problem=problem, asking=asking) | {"notice": notice}
    parts = ("dock",) if asking else ("lines", "filters", "panel", "dock", "toast")
    status = 409 if asking or problem else 200
    return render(TEMPLATE, parts={part: part for part in parts}, status=status, **context)


def act_on(transaction_id: int, act: Callable[[Transaction], object]) -> Response:
    """Act on one line, and answer with its row, or with the error in it."""
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    try:
        act(line)
    except (LedgerError, ma.ValidationError) as error:
        problem = problem_of(error, line_id=transaction_id, place="line")
        line = queries.transactions.transactions.get(organization_id(), transaction_id)
        rows = typed_rows()
        editing = "splits" if rows else "description" if "description" in request.form else None
        return render_line(line, current_id=transaction_id, editing=editing, problem=problem, rows=rows)
    if not is_htmx():
        return redirect_back(url_for("feed_accounts.show", fa_id=line.feed_account_id))
    return render_line(line, current_id=transaction_id)


def as_typed(part: Any) -> Any:
    """A split with its typed amount as a plain decimal; None for an empty one."""
    if not isinstance(part, dict) or not isinstance(part.get("amount"), (str, type(None))):
        return part
    return {**part, "amount": typed(part["amount"])} if part.get("amount") else None


def typed_rows() -> list[dict[str, Any]]:
    """The rows of a refused split form as they were typed."""
    parts = form_body().get("splits")
    rows = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return [
        {
            "amount": row.get("amount"),
            "account_id": chosen_id(row.get("accountId")),
            "org_merchant_id": chosen_id(row.get("orgMerchantId")),
            "project_id": chosen_id(row.get("projectId")),
        }
        for row in rows
    ]


def save(line: Transaction) -> None:
    """Save the changed fields of a line's form."""
    body = form_body()
    if isinstance(body.get("splits"), list):
        body["splits"] = [part for part in map(as_typed, body["splits"]) if part]
    changes = TransactionFormSchema().load(body)
    present = queries.transactions.transactions.record(line)
    changed = {
        name: value
        for name, value in changes.items()
        if name in ("splits", "description") or value != getattr(present, name)
    }
    if changed:
        services.transactions.edits.edit(line, cast("LineChanges", changed), **acting())
