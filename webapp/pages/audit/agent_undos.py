"""The undo of a key's acts: its start, its preview, and its execution."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from flask import Blueprint, Response, request

from webapp import queries, services
from webapp.schemas.audit.agent_undos import SinceFormSchema, UndoFormSchema
from webapp.services.undo.agent_undos import KeyActs, UndoMovedError
from webapp.web import agents
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import REFUSALS, problem_of

bp = Blueprint("agent_undos", __name__, url_prefix="/settings/keys/<id:token_id>/undo")


@bp.get("")
@requires("read")
def show(token_id: int) -> Response:
    """Show the form for the start."""
    today = queries.access.organizations.today(organization_id(), requests.now())
    return show_form(token_id, typed={"since": f"{today}T00:00"})


@bp.post("/preview")
@requires("draft", session_only=True, is_heavy=True)
def preview(token_id: int) -> Response:
    """Preview the undo; nothing is written."""
    token = agents.token(token_id)
    try:
        body = SinceFormSchema(unknown=ma.EXCLUDE).load(form_body())
        shown = services.undo.agent_undos.preview(KeyActs(token, **body), **agents.undoing())
    except REFUSALS as error:
        return show_form(token_id, problem=problem_of(error))
    return show_form(token_id, agent_undo=shown)


@bp.post("")
@requires("draft", session_only=True, is_heavy=True)
def undo(token_id: int) -> Response:
    """Undo as previewed, and show the result for each act; if the books have changed, show a new preview."""
    token = agents.token(token_id)
    try:
        body = UndoFormSchema(unknown=ma.EXCLUDE).load(form_body())
        digest = body.pop("digest")
        done = services.undo.agent_undos.undo(KeyActs(token, **body), digest=digest, **agents.undoing())
    except UndoMovedError as error:
        return show_form(token_id, problem=problem_of(error), agent_undo=error.preview)
    except REFUSALS as error:
        return show_form(token_id, problem=problem_of(error))
    return show_form(token_id, agent_undo=done)


def show_form(token_id: int, **context: Any) -> Response:
    """Render the page with its form, and a preview or results."""
    problem = context.setdefault("problem", None)
    typed = {"since": request.form.get("since", "")} | context.pop("typed", {})
    return render(
        "settings/undo.html",
        status=problem.status if problem else 200,
        key=queries.access.tokens.record(agents.token(token_id)),
        typed=typed,
        most=services.undo.agent_undos.MOST_AT_ONCE,
        **{"agent_undo": None, **context},
    )
