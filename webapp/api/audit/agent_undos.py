"""Undoing the acts of a token or of a plan over JSON."""

from typing import Any

from webapp import services
from webapp.schemas.audit.agent_undos import AgentUndoResultSchema, SinceSchema, UndoPreviewSchema, UndoSchema
from webapp.services.undo.agent_undos import UndoMovedError
from webapp.web import agents
from webapp.web.access.auth import requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint(
    "api_agent_undos", __name__, url_prefix="/api/action-requests/undo", description="Undo of a key's acts"
)


@bp.post("/preview")
@requires("draft", session_only=True, is_heavy=True, posts=True)
@bp.arguments(SinceSchema)
@bp.response(200, UndoPreviewSchema)
def preview(query: dict[str, Any]) -> Any:
    """Preview the undo of all acts of a key since an instant, or of a plan; nothing is written.

    It takes 25 acts of a key at a time, and 60 of a plan.
    """
    return services.undo.agent_undos.preview(agents.acts(query), **agents.undoing())


@bp.post("")
@requires("draft", session_only=True, is_heavy=True, posts=True)
@bp.arguments(UndoSchema)
@bp.response(200, AgentUndoResultSchema)
def undo(query: dict[str, Any]) -> Any:
    """Undo all acts of a key since an instant, or of a plan, exactly as previewed, one result for each act."""
    try:
        return services.undo.agent_undos.undo(agents.acts(query), digest=query["digest"], **agents.undoing())
    except UndoMovedError as error:
        error.details["preview"] = UndoPreviewSchema().dump(error.preview)
        raise
