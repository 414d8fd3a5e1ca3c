"""Acts over JSON: what was done, by whom, and what it changed; and decisions on what was proposed."""

from __future__ import annotations

from typing import Any

from webapp import queries
from webapp.schemas.audit.action_requests import (
    ActionRequestAnswerSchema,
    ActionRequestQuerySchema,
    ActionRequestSchema,
    ApprovalSchema,
    ApprovedManySchema,
    ApproveManySchema,
    RejectionSchema,
)
from webapp.schemas.paging import listing
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.proposals import approvals

bp = Blueprint("api_action_requests", __name__, url_prefix="/api/action-requests", description="Acts")


@bp.get("")
@requires("read")
@bp.arguments(ActionRequestQuerySchema, location="query")
@bp.response(200, listing("actionRequests", ActionRequestSchema))
def listed(asked: dict[str, Any]) -> dict[str, Any]:
    """List acts, newest first."""
    after = paging.decode(asked.pop("cursor"), "s")
    found = queries.audit.action_requests.listed(organization_id(), now=requests.now(), after=after, **asked)
    return paging.answer("actionRequests", found)


@bp.get("/<act:request_id>")
@requires("read")
@bp.response(200, ActionRequestAnswerSchema)
def read(request_id: str) -> dict[str, Any]:
    """Read one act, or what became of a proposal."""
    return {
        "actionRequest": queries.audit.action_requests.read(organization_id(), request_id, requests.now())
    }


@bp.post("/<act:request_id>/approve")
@requires("read", session_only=True)
@bp.arguments(ApprovalSchema)
@bp.response(200, ActionRequestAnswerSchema)
def approve(said: dict[str, Any], request_id: str) -> dict[str, Any]:
    """Do what was proposed, if it still does what was shown; else 409 `moved` with the new preview."""
    return {"actionRequest": approvals.approve_alone(request_id, said["digest"], said["note"])}


@bp.post("/<act:request_id>/reject")
@requires("read", session_only=True)
@bp.arguments(RejectionSchema)
@bp.response(200, ActionRequestAnswerSchema)
def reject(said: dict[str, Any], request_id: str) -> dict[str, Any]:
    """Decide against a proposal."""
    return {"actionRequest": approvals.reject(request_id, said["reason"])}


@bp.post("/approve")
@requires("read", session_only=True)
@bp.arguments(ApproveManySchema)
@bp.response(200, ApprovedManySchema)
def approve_many(said: dict[str, Any]) -> dict[str, Any]:
    """Do several proposals, one result for each."""
    return {"results": approvals.approve_many(said["ids"])}
