"""The undo of a plan: its preview, and its execution."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from flask import Blueprint, Response

from webapp import services
from webapp.schemas.audit.agent_undos import PlanUndoFormSchema, PlanUndoPreviewFormSchema
from webapp.services.undo.agent_undos import PlanActs, UndoMovedError
from webapp.web import agents
from webapp.web.access.auth import requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import REFUSALS, problem_of

bp = Blueprint("plan_undos", __name__, url_prefix="/activity/plans/<act:plan_id>/undo")


@bp.get("")
@requires("read")
def show(plan_id: str) -> Response:
    """Show the plan, and offer the preview of its undo."""
    return show_page(plan_id)


@bp.post("/preview")
@requires("draft", session_only=True, is_heavy=True)
def preview(plan_id: str) -> Response:
    """Preview the undo; nothing is written."""
    plan = agents.plan(plan_id)
    try:
        body = PlanUndoPreviewFormSchema(unknown=ma.EXCLUDE).load(form_body())
        shown = services.undo.agent_undos.preview(PlanActs(plan, **body), **agents.undoing())
    except REFUSALS as error:
        return show_page(plan_id, problem=problem_of(error))
    return show_page(plan_id, agent_undo=shown)


@bp.post("")
@requires("draft", session_only=True, is_heavy=True)
def undo(plan_id: str) -> Response:
    """Undo as previewed, and show the result for each act; if the books have changed, show a new preview."""
    plan = agents.plan(plan_id)
    try:
        body = PlanUndoFormSchema(unknown=ma.EXCLUDE).load(form_body())
        acts = PlanActs(plan, body["before"])
        done = services.undo.agent_undos.undo(acts, digest=body["digest"], **agents.undoing())
    except UndoMovedError as error:
        return show_page(plan_id, problem=problem_of(error), agent_undo=error.preview)
    except REFUSALS as error:
        return show_page(plan_id, problem=problem_of(error))
    return show_page(plan_id, agent_undo=done)


def show_page(plan_id: str, **context: Any) -> Response:
    """Render the page, and a preview or results."""
    problem = context.setdefault("problem", None)
    return render(
        "action_requests/undo.html",
        status=problem.status if problem else 200,
        plan=agents.plan(plan_id),
        **{"agent_undo": None, **context},
    )
