"""Action requests over JSON: the audit trail, and decisions on proposals."""

from typing import Any

from webapp import queries
from webapp.schemas.audit.action_requests import (
    ActionRequestAnswerSchema,
    ActionRequestSchema,
    ActQuerySchema,
    ApprovalSchema,
    ApprovedManySchema,
    ApproveManySchema,
    RejectionSchema,
    RejectManySchema,
)
from webapp.schemas.audit.summaries import EffectPartSchema, RequestSummarySchema, SummaryListSchema
from webapp.schemas.paging import PageSchema, listing
from webapp.services.audit.act import Actor
from webapp.web import paging
from webapp.web.access import requests, versions
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.access.request_state import state
from webapp.web.proposals import approvals

bp = Blueprint(
    "api_action_requests", __name__, url_prefix="/api/action-requests", description="Action requests"
)


@bp.get("")
@requires("read")
@bp.arguments(ActQuerySchema, location="query")
@bp.response(200, listing("actionRequests", ActionRequestSchema), summary=SummaryListSchema)
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List action requests, newest first: of an actor, about a target, since an instant."""
    after = paging.decode(query.pop("cursor"), "s")
    query["actor"], query["target"] = _actor(query["actor"]), _pair(query["target"])
    found = queries.audit.action_requests.listed(organization_id(), now=requests.now(), after=after, **query)
    if not state().selection.is_summary:
        return paging.answer("actionRequests", found)
    summaries = [queries.effects.summaries.of_request(each) for each in found.items]
    return paging.answer("actionRequests", found.of(summaries))


@bp.get("/<act:request_id>")
@requires("read")
@bp.response(200, ActionRequestAnswerSchema, summary=RequestSummarySchema)
def read(request_id: str) -> dict[str, Any]:
    """Read one action request, also to see the outcome of a proposal."""
    found = queries.audit.action_requests.current(organization_id(), request_id, requests.now())
    if not state().selection.is_summary:
        return {"actionRequest": found}
    versions.note(read, {"actionRequest": found})
    return {"actionRequest": queries.effects.summaries.of_request(found)}


@bp.get("/<act:request_id>/effect")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("parts", EffectPartSchema))
def read_effect(query: dict[str, Any], request_id: str) -> dict[str, Any]:
    """List the whole effect of an act or a proposal: its acts, entries, balances and proofs, of a plan by its steps."""
    found = queries.audit.action_requests.get(organization_id(), request_id)
    version, after = paging.decode(query["cursor"], "si") or (None, 0)
    if version not in (None, queries.effects.summaries.version(found)) or after < 0:
        raise paging.CursorError
    return paging.answer("parts", queries.effects.summaries.page(found, after=after, limit=query["limit"]))


@bp.post("/<act:request_id>/approve")
@requires("read", session_only=True, decides=True)
@bp.arguments(ApprovalSchema)
@bp.response(200, ActionRequestAnswerSchema)
def approve(body: dict[str, Any], request_id: str) -> dict[str, Any]:
    """Approve and execute a proposal, if its effect is still that of `digest`; else 409 `moved` with the new one."""
    return {"actionRequest": approvals.approve_alone(request_id, body["digest"], body["note"])}


@bp.post("/<act:request_id>/reject")
@requires("read", session_only=True, decides=True)
@bp.arguments(RejectionSchema)
@bp.response(200, ActionRequestAnswerSchema)
def reject(body: dict[str, Any], request_id: str) -> dict[str, Any]:
    """Reject a proposal."""
    return {"actionRequest": approvals.reject(request_id, body["reason"])}


@bp.post("/approve")
@requires("read", session_only=True, decides=True, is_heavy=True)
@bp.arguments(ApproveManySchema)
@bp.response(200, ApprovedManySchema)
def approve_many(body: dict[str, Any]) -> dict[str, Any]:
    """Approve several proposals, each if its effect is still the one of its digest; one result for each."""
    reviewed = [(each["id"], each["digest"]) for each in body["proposals"]]
    return {"results": approvals.approve_many(reviewed)}


@bp.post("/reject")
@requires("read", session_only=True, decides=True, is_heavy=True)
@bp.arguments(RejectManySchema)
@bp.response(200, ApprovedManySchema)
def reject_many(body: dict[str, Any]) -> dict[str, Any]:
    """Reject several proposals with one reason; one result for each."""
    return {"results": approvals.reject_many(body["ids"], body["reason"])}


def _actor(written: str | None) -> tuple[str, int] | None:
    """Read who did an act: the caller, or a kind and an id."""
    if written == "me":
        me: Actor = acting()["actor"]
        return me.kind, me.id or 0
    found = _pair(written)
    return None if found is None else (found[0], int(found[1]))


def _pair(written: str | None) -> tuple[str, str] | None:
    """Read a kind and an id."""
    if written is None:
        return None
    kind, _, row_id = written.partition(":")
    return kind, row_id
