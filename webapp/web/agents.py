"""What is undone as a whole: the acts of a token since an instant, and those of a plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from webapp import queries
from webapp.ledger.errors import NotFoundError
from webapp.ledger.titles import PLAN
from webapp.models import ActionRequest, ApiToken
from webapp.services.undo import agent_undos
from webapp.services.undo.agent_undos import AgentActs
from webapp.web import uploads
from webapp.web.access.auth import acting, organization_id, principal


def token(token_id: int) -> ApiToken:
    """Find a token whose acts the signed-in person may undo: their own, or for an owner any; else NotFoundError."""
    return queries.access.tokens.get(organization_id(), token_id, user_id=_own_only())


def plan(plan_id: str) -> ActionRequest:
    """Find a plan that was done and that the signed-in person may undo: of a token of theirs or by them, as above."""
    found = queries.audit.action_requests.get(organization_id(), plan_id)
    if found.kind != PLAN or found.status != "EXECUTED":
        raise NotFoundError
    if found.actor["kind"] == "TOKEN":
        token(found.actor["id"])
    elif _own_only() not in (None, found.actor["id"]):
        raise NotFoundError
    return found


def undoable_plans(requests: Sequence[ActionRequest]) -> set[str]:
    """List the ids of the plans among acts that `plan` finds."""
    plans = [each for each in requests if each.kind == PLAN and each.status == "EXECUTED"]
    user_id = _own_only()
    if user_id is None or not plans:
        return {each.id for each in plans}
    tokens = queries.access.tokens.listed(organization_id(), user_id=user_id)
    own = {("PERSON", user_id), *(("TOKEN", each.id) for each in tokens)}
    return {each.id for each in plans if (each.actor["kind"], each.actor["id"]) in own}


def acts(query: Mapping[str, Any]) -> AgentActs:
    """Find the acts that a body of SinceSchema names; raises NotFoundError."""
    if query["plan_id"] is not None:
        return agent_undos.of_plan(plan(query["plan_id"]), query["before"])
    return agent_undos.of_key(token(query["token_id"]), query["since"], query["before"])


def undoing() -> dict[str, Any]:
    """The actor, the time, their scopes, and the folder of previewed files."""
    return {**acting(), "scopes": principal().scopes, "folder": uploads.folder()}


def _own_only() -> int | None:
    """The person whose own acts these have to be; none where an owner asks."""
    return None if "admin" in principal().scopes else principal().user_id
