"""Undoing what a token did, over JSON."""

from __future__ import annotations

from typing import Any

from webapp import services
from webapp.schemas.audit.agent_undos import SinceSchema, UndoneAgentSchema, UndoPreviewSchema, UndoSchema
from webapp.services.undo.agent_undos import MovedError
from webapp.web import agents
from webapp.web.access.auth import requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint(
    "api_agent_undos", __name__, url_prefix="/api/action-requests/undo", description="Undoing what a key did"
)


@bp.post("/preview")
@requires("draft", session_only=True)
@bp.arguments(SinceSchema)
@bp.response(200, UndoPreviewSchema)
def preview(asked: dict[str, Any]) -> Any:
    """Tell what undoing everything that a key did since an instant would do, 100 acts at a time; nothing is written."""
    token = agents.token(asked["token_id"])
    return services.undo.agent_undos.preview(
        token, asked["since"], before=asked["before"], **agents.undoing()
    )


@bp.post("")
@requires("draft", session_only=True)
@bp.arguments(UndoSchema)
@bp.response(200, UndoneAgentSchema)
def undo(asked: dict[str, Any]) -> Any:
    """Undo everything that a key did since an instant, exactly as previewed, one result for each act."""
    token = agents.token(asked.pop("token_id"))
    try:
        return services.undo.agent_undos.undo(token, **asked, **agents.undoing())
    except MovedError as error:
        error.details["preview"] = UndoPreviewSchema().dump(error.batch)
        raise
