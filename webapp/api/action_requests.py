"""Acts over JSON: what was done, by whom, and what it changed."""

from __future__ import annotations

from typing import Any

from flask_smorest import Blueprint

from webapp import queries
from webapp.schemas.action_requests import ActionRequestQuerySchema, ActionRequestSchema
from webapp.schemas.paging import listing, wrapped
from webapp.web import paging
from webapp.web.auth import here, requires

bp = Blueprint("api_action_requests", __name__, url_prefix="/api/action-requests", description="Acts")


@bp.get("")
@requires("read")
@bp.arguments(ActionRequestQuerySchema, location="query")
@bp.response(200, listing("actionRequests", ActionRequestSchema))
def listed(asked: dict[str, Any]) -> dict[str, Any]:
    """List acts, newest first."""
    after = paging.decode(asked.pop("cursor"), "s")
    return paging.answer("actionRequests", queries.action_requests.listed(here(), after=after, **asked))


@bp.get("/<string:request_id>")
@requires("read")
@bp.response(200, wrapped("actionRequest", ActionRequestSchema))
def read(request_id: str) -> dict[str, Any]:
    """Read one act."""
    return {"actionRequest": queries.action_requests.get(here(), request_id)}
