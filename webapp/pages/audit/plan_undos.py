"""The undo of a plan: its preview, and its execution."""

from functools import partial
from typing import Any

from flask import Blueprint, Response

from webapp.pages.audit.agent_undos import answer
from webapp.schemas.audit.agent_undos import PlanUndoFormSchema, PlanUndoPreviewFormSchema
from webapp.services.undo import agent_undos
from webapp.web import agents
from webapp.web.access.auth import requires
from webapp.web.rendering.htmx import render

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
    acts = partial(agent_undos.of_plan, agents.plan(plan_id))
    return answer(acts, PlanUndoPreviewFormSchema, partial(show_page, plan_id))


@bp.post("")
@requires("draft", session_only=True, is_heavy=True)
def undo(plan_id: str) -> Response:
    """Undo as previewed, and show the result for each act; if the books have changed, show a new preview."""
    acts = partial(agent_undos.of_plan, agents.plan(plan_id))
    return answer(acts, PlanUndoFormSchema, partial(show_page, plan_id))


def show_page(plan_id: str, **context: Any) -> Response:
    """Render the page, and a preview or results."""
    return render(
        "action_requests/undo.html",
        plan=agents.plan(plan_id),
        **{"agent_undo": None, "problem": None, "is_late": False, **context},
    )
