"""The undo of a key's acts: its start, its preview, and its execution."""

from collections.abc import Callable
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import marshmallow as ma
from flask import Blueprint, Response, request

from webapp import queries
from webapp.schemas.audit.agent_undos import SinceFormSchema, UndoFormSchema
from webapp.schemas.base import Schema
from webapp.services.undo import agent_undos
from webapp.services.undo.agent_undos import AgentActs, UndoMovedError
from webapp.web import agents
from webapp.web.access.auth import principal, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.notation import today
from webapp.web.rendering.problems import REFUSALS, problem_of

bp = Blueprint("agent_undos", __name__, url_prefix="/settings/keys/<id:token_id>/undo")


@bp.get("")
@requires("read")
def show(token_id: int) -> Response:
    """Show the form for the start."""
    return show_form(token_id, typed={"since": f"{today()}T00:00"})


@bp.post("/preview")
@requires("draft", session_only=True, is_heavy=True)
def preview(token_id: int) -> Response:
    """Preview the undo; nothing is written."""
    acts = partial(agent_undos.of_key, agents.token(token_id))
    return answer(acts, SinceFormSchema, partial(show_form, token_id))


@bp.post("")
@requires("draft", session_only=True, is_heavy=True)
def undo(token_id: int) -> Response:
    """Undo as previewed, and show the result for each act; if the books have changed, show a new preview."""
    acts = partial(agent_undos.of_key, agents.token(token_id))
    return answer(acts, UndoFormSchema, partial(show_form, token_id))


def answer(acts: Callable[..., AgentActs], form: type[Schema], page: Callable[..., Response]) -> Response:
    """Preview an undo, or with the digest of a preview do it; where that is not what would happen, preview it anew."""
    undoing = agents.undoing()
    is_late = undoing["actor"].is_late
    try:
        body = form(unknown=ma.EXCLUDE).load(form_body())
        if "since" in body:
            body["since"] = body["since"].replace(tzinfo=ZoneInfo(principal().time_zone))
        digest = body.pop("digest", None)
        if digest is None:
            return page(agent_undo=agent_undos.preview(acts(**body), **undoing), is_late=is_late)
        return page(agent_undo=agent_undos.undo(acts(**body), digest=digest, **undoing), is_late=is_late)
    except UndoMovedError as error:
        return page(problem=problem_of(error), agent_undo=error.preview, is_late=is_late)
    except REFUSALS as error:
        return page(problem=problem_of(error))


def show_form(token_id: int, **context: Any) -> Response:
    """Render the page with its form, and a preview or results."""
    typed = {"since": request.form.get("since", "")} | context.pop("typed", {})
    return render(
        "settings/undo.html",
        key=queries.access.tokens.record(agents.token(token_id)),
        typed=typed,
        most=agent_undos.MOST_AT_ONCE,
        **{"agent_undo": None, "problem": None, "is_late": False, **context},
    )
