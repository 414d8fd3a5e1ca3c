"""Joining and separating rows of one bank line, in the workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import marshmallow as ma
from flask import Blueprint, Response, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.pages.transactions.feed_accounts import TEMPLATE, render_line, workspace, workspace_filters
from webapp.schemas.addresses import WorkspaceQuerySchema
from webapp.schemas.transactions.line_joins import OtherLineFormSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back, render
from webapp.web.rendering.problems import problem_of

if TYPE_CHECKING:
    from webapp.models import Transaction

bp = Blueprint("line_joins", __name__, url_prefix="/transactions")


@bp.post("/<id:transaction_id>/join")
@requires("draft")
def join(transaction_id: int) -> Response:
    """Join two rows as one line."""
    return act_on_pair(
        transaction_id, lambda line, other: services.transactions.joins.join(line, other, **acting())
    )


@bp.post("/<id:transaction_id>/unjoin")
@requires("draft")
def unjoin(transaction_id: int) -> Response:
    """Separate two rows as two lines."""
    return act_on_pair(
        transaction_id, lambda line, other: services.transactions.joins.unjoin(line, other, **acting())
    )


def act_on_pair(transaction_id: int, act: Callable[[Transaction, Transaction], Transaction]) -> Response:
    """Join or separate two rows, and answer with all lines; one of the two may be gone."""
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    try:
        other_id = OtherLineFormSchema().load(form_body())["transaction_id"]
        left = act(line, queries.transactions.transactions.refer(organization_id(), other_id))
    except (LedgerError, ma.ValidationError) as error:
        problem = problem_of(error, line_id=transaction_id, place="line")
        return render_line(line, current_id=transaction_id, problem=problem)
    if not is_htmx():
        return redirect_back(url_for("feed_accounts.show", fa_id=line.feed_account_id))
    query = {**WorkspaceQuerySchema().load({}), **workspace_filters(line.feed_account_id), "line": left.id}
    parts = {part: part for part in ("lines", "foot", "filters", "panel", "coverage")}
    return render(TEMPLATE, parts=parts, **workspace(line.feed_account_id, query, parts))
