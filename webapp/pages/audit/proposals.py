"""Proposals of agents, the oldest first, with their effects, for a person to approve or reject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request, url_for

from webapp import queries
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.schemas.audit.action_requests import (
    ApprovalFormSchema,
    ApproveManyFormSchema,
    ProposalsPageSchema,
    RejectionFormSchema,
    RejectManyFormSchema,
)
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, principal, requires
from webapp.web.proposals import approvals
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

if TYPE_CHECKING:
    from webapp.models import Proposal

MOST_SHOWN = 200
WAITING, DECIDED = "waiting", "decided"

bp = Blueprint("proposals", __name__, url_prefix="/proposals")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show waiting or decided proposals, and one of them in full."""
    return show()


@bp.post("/approve")
@requires("read", session_only=True, is_heavy=True)
def approve_many() -> Response:
    """Approve the chosen proposals, each if its effect is still the reviewed one."""
    try:
        selected = ApproveManyFormSchema().load(form_body(lists=frozenset({"ids"})))["ids"]
        results = approvals.approve_many([*dict(each.split(".") for each in selected).items()])
    except REFUSALS as error:
        return show(problem=problem_of(error))
    failed = [each for each in results if each["error"]]
    if not failed:
        return redirect_to(url_for("proposals.index", done=results[-1]["id"], count=len(results)))
    return show(chosen=failed[0]["id"], refused=failed, count=len(results) - len(failed))


@bp.post("/reject")
@requires("read", session_only=True, is_heavy=True)
def reject_many() -> Response:
    """Reject the chosen proposals, with one reason for their agents."""
    try:
        chosen = RejectManyFormSchema().load(form_body(lists=frozenset({"ids"})))
        ids = [each.split(".")[0] for each in chosen["ids"]]
        results = approvals.reject_many(ids, chosen["reason"])
    except REFUSALS as error:
        return show(problem=problem_of(error, place="reject_many"))
    failed = [each for each in results if each["error"]]
    if not failed:
        return redirect_to(url_for("proposals.index", done=results[-1]["id"], count=len(results)))
    return show(chosen=failed[0]["id"], refused=failed, count=len(results) - len(failed), verb="rejected")


@bp.post("/<string:request_id>/approve")
@requires("read", session_only=True)
def approve(request_id: str) -> Response:
    """Approve one proposal, if its effect is still the reviewed one."""
    try:
        approvals.approve_alone(request_id, **ApprovalFormSchema().load(form_body()))
    except NotFoundError:
        raise
    except REFUSALS as error:
        return show(chosen=request_id, problem=problem_of(error))
    return redirect_to(url_for("proposals.index", done=request_id))


@bp.post("/<string:request_id>/reject")
@requires("read", session_only=True)
def reject(request_id: str) -> Response:
    """Reject one proposal, with a reason for its agent."""
    try:
        approvals.reject(request_id, **RejectionFormSchema().load(form_body()))
    except NotFoundError:
        raise
    except REFUSALS as error:
        return show(chosen=request_id, problem=problem_of(error, place="reject"))
    return redirect_to(url_for("proposals.index", done=request_id))


def show(
    *,
    chosen: str | None = None,
    problem: Problem | None = None,
    refused: Sequence[dict[str, Any]] = (),
    count: int = 0,
    verb: str = "approved",
) -> Response:
    """Render the queue with one proposal open: the given one, else the first.

    `count` of several were decided, as `verb` says, and the `refused` ones not.
    """
    query = ProposalsPageSchema.read_leniently(request.query_string.decode())
    listed = proposals_shown(query["show"])
    opened = _opened(listed, chosen or query["id"])
    ids = [each.action_request_id for each in listed]
    place = ids.index(opened.action_request_id) if opened and opened.action_request_id in ids else None
    return render(
        "proposals/index.html",
        status=problem.status if problem else 409 if refused else 200,
        show=query["show"],
        proposals=listed,
        headings={each.action_request_id: heading(each) for each in {*listed, *filter(None, [opened])}},
        breaks={each.action_request_id: queries.effects.pages.breaks(each) for each in listed},
        waiting=queries.audit.proposals.count(organization_id(), requests.now()),
        opened=opened,
        shown=queries.effects.pages.shown(opened) if opened else None,
        steps=queries.effects.pages.steps(opened) if opened else [],
        sent=queries.effects.pages.sent(opened) if opened else [],
        neighbours=queries.effects.pages.neighbours(opened) if opened else [],
        file=queries.effects.pages.file_of(opened) if opened else None,
        may_decide=opened is not None and set(opened.scope.split()) <= principal().scopes,
        place=place,
        before=ids[place - 1] if place else None,
        after=ids[place + 1] if place is not None and place + 1 < len(ids) else None,
        problem=problem,
        refused=refused,
        refused_titles={each["id"]: title_of(each["id"]) for each in refused},
        decided_count=count,
        verb=verb,
        notice=notice_of(query),
    )


def _opened(listed: Sequence[Proposal], request_id: str | None) -> Proposal | None:
    """Find the proposal that is shown whole: a listed one, another one, or else the first."""
    for each in listed:
        if request_id in {None, each.action_request_id}:
            return each
    return None if request_id is None else found(request_id)


def heading(proposal: Proposal) -> str:
    """Name a proposal: a plan by what it does, before its own title."""
    return queries.effects.summaries.heading(proposal.request)


def proposals_shown(which: str) -> Sequence[Proposal]:
    """List waiting or decided proposals."""
    if which == DECIDED:
        return queries.audit.proposals.decided(organization_id(), limit=MOST_SHOWN)
    return queries.audit.proposals.waiting(organization_id(), requests.now(), limit=MOST_SHOWN)


def found(request_id: str) -> Proposal | None:
    """Find a proposal by an id of the URL, or None."""
    try:
        return queries.audit.proposals.get(organization_id(), request_id)
    except LedgerError:
        return None


def title_of(request_id: str) -> str:
    """The title of a proposal for a sentence."""
    proposal = found(request_id)
    return proposal.request.title if proposal else "A proposal"


def notice_of(query: dict[str, Any]) -> dict[str, str] | None:
    """The notice on the last decision."""
    proposal = found(query["done"]) if query["done"] else None
    if proposal is None:
        return None
    decision = {"EXECUTED": "Approved", "REJECTED": "Rejected"}.get(proposal.request.status)
    if decision is None:
        return None
    what = (
        f"{query['count']} proposals"
        if (query["count"] or 1) > 1
        else titles.proposed(proposal.request.title)
    )
    return {"text": f"{decision}: {what}", "href": url_for("action_requests.index"), "link": "See it"}
