"""Calls that are only tried: a dry run tells what would be, a proposal waits until a person approves it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from flask import Flask, Response, current_app, jsonify, request

from webapp.db import db
from webapp.errors import answer_ledger_error
from webapp.ledger import titles
from webapp.ledger.scopes import PROPOSE, scopes_of_role
from webapp.models import ActionRequest
from webapp.queries.access.principals import Principal
from webapp.schemas.audit.action_requests import ActionRequestAnswerSchema
from webapp.schemas.audit.effects import DryRunSchema
from webapp.schemas.untrusted import UNTRUSTED_KEY, untrusted_paths
from webapp.services.access.token_caps import CapReachedError
from webapp.services.audit import proposals
from webapp.services.audit.act import Act
from webapp.services.audit.action_requests import words_of
from webapp.services.audit.proposals import Asked, Preview
from webapp.services.audit.results import FailedItem, ItemResult
from webapp.web.access import requests
from webapp.web.access.auth import ProposableError, acting, may_propose, organization_id, principal
from webapp.web.access.request_state import state
from webapp.web.proposals import dry_runs, stored_calls
from webapp.web.proposals.dry_runs import Trial
from webapp.web.proposals.stored_calls import Call


def register_proposing(app: Flask) -> None:
    """Stand between the guard and the views."""
    app.before_request(only_try)
    app.register_error_handler(ProposableError, propose_instead)
    app.register_error_handler(CapReachedError, propose_at_cap)


def only_try() -> Response | None:
    """Try the call instead of making it, where it was asked so or the token may no more."""
    if state().is_dry_run:
        return dry_run()
    return propose() if state().is_proposal else None


def dry_run() -> Response:
    """Tell what the call would answer and change; nothing is written."""
    found = principal()
    if PROPOSE in found.scopes and found.token_id is not None:
        with acting_as(at_its_best(found)):
            tried = dry_runs.run(found.organization_id, dry_runs.call_view)
    else:
        tried = dry_runs.run(found.organization_id, dry_runs.call_view)
    db.session.rollback()
    told = {"dryRun": True, "status": tried.status, "answer": tried.answer, "effect": tried.effect}
    return jsonify({**told, UNTRUSTED_KEY: list(untrusted_paths(DryRunSchema()))})


def propose_instead(_error: ProposableError | None = None) -> Response:
    """Propose a call of which its view found that it needs more than the address says."""
    db.session.rollback()
    requests.begin(principal().organization_id)
    return propose()


def propose_at_cap(error: CapReachedError) -> Response:
    """Propose what a token may do and has done as much of as it may in a day; without the scope it is refused."""
    return propose_instead() if may_propose(scope_of_view()) else answer_ledger_error(error)


def propose() -> Response:
    """Let the call wait for a person (202); one that would change nothing is answered as it is."""
    found = principal()
    with acting_as(at_its_best(found)):
        tried = dry_runs.run(found.organization_id, dry_runs.call_view)
    if not tried.acts and not tried.blockers:
        return _answered(tried)
    waiting = wait(stored_calls.received(), tried)
    response = jsonify(ActionRequestAnswerSchema().dump({"actionRequest": waiting}))
    response.status_code = 202
    return response


def propose_rest(results: list[ItemResult]) -> list[ItemResult]:
    """Let what a call on several ids cannot post for its token's cap wait as one proposal, which its results name."""
    beyond = [
        each.id for each in results if isinstance(each, FailedItem) and each.code == CapReachedError.code
    ]
    if not beyond or not may_propose(scope_of_view()):
        return results
    call = stored_calls.received()
    rest = replace(call, body=json.dumps({**json.loads(call.body or "{}"), "ids": beyond}))
    with stored_calls.made_again(rest), acting_as(at_its_best(principal())):
        tried = dry_runs.run(organization_id(), dry_runs.call_view)
    request_id = wait(rest, tried).id
    return [
        ItemResult(id=each.id, action_request_id=request_id, changed=False, status="PENDING")
        if each.id in beyond
        else each
        for each in results
    ]


def wait(call: Call, tried: Trial) -> ActionRequest:
    """Let a call that was tried wait for a person, as the proposal that waits for the same call already if one does."""
    proposals.sweep(organization_id(), stored_calls.folder(), now=requests.now())
    asked = asked_of(call, tried)
    waiting = proposals.waiting_like(organization_id(), asked)
    if waiting is None:
        return proposals.propose(replace(asked, call=stored(stored_calls.with_file(call))))
    if waiting.proposal is not None and not stored_calls.is_whole(waiting.proposal.form):
        waiting.proposal.form = stored(stored_calls.with_file(call))["form"]
    return waiting


def asked_of(call: Call, tried: Trial) -> Asked:
    """Say what a call asks for, from what it did when it was tried."""
    doing = Act(**acting(), kind=_kind(), target_kind="call", target_id="new", payload=call.told)
    acts = acts_of(tried)
    if acts:
        first = acts[0]
        kinds = {each.kind for each in acts}
        doing.kind = first.kind if len(kinds) == 1 else doing.kind
        told = tried.effect["acts"][0]["target"] if tried.effect["acts"] else None
        target_id = told["id"] if told else first.target_id
        doing.target_kind = first.target_kind
        doing.target_id = "new" if target_id.startswith("new-") else target_id
        doing.note = first.note
    if len(tried.acts) == 1:
        doing.before, doing.after = (tried.effect["acts"][0][key] for key in ("before", "after"))
    doing.title = title_of(tried) or words_of(doing.kind)
    return Asked(
        act=doing,
        scope=scope_of_view(),
        call={},
        fingerprint=call.fingerprint,
        preview=preview_of(tried),
    )


def stored(call: Call) -> dict[str, Any]:
    """Give a call as a proposal keeps it."""
    return {key: getattr(call, key) for key in ("method", "path", "query", "body", "form")}


def preview_of(tried: Trial) -> Preview:
    """Give what a person decides on."""
    return Preview(tried.effect, tried.blockers, tried.digest, title_of(tried))


def acts_of(tried: Trial) -> list[Act]:
    """List what a call comes to: its acts, else the one that is refused."""
    return list(tried.acts) or ([tried.refused_act] if tried.refused_act else [])


def title_of(tried: Trial) -> str:
    """Say in one title what a call would do; nothing where it comes to no act."""
    said = [each.title or words_of(each.kind) for each in acts_of(tried)]
    return titles.of_several(said) if said else ""


def scope_of_view() -> str:
    """Tell the scope that the request's address needs."""
    view: Any = current_app.view_functions[request.endpoint or ""]
    return str(view.scope)


def at_its_best(found: Principal) -> Principal:
    """Give a token all that its owner may: what it may not do itself is only tried in this name."""
    return replace(found, scopes=scopes_of_role(found.role))


@contextmanager
def acting_as(who: Principal) -> Iterator[None]:
    """Let somebody else be the one who asks, for what a person decides on; no cap of a token stands against it."""
    asked = state()
    before = asked.principal
    asked.principal, asked.is_decided_on = who, True
    try:
        yield
    finally:
        asked.principal, asked.is_decided_on = before, False


def _kind() -> str:
    """Name what is done at an address, for a call that comes to no act or to several kinds."""
    return (request.endpoint or "").removeprefix("api_").replace(".", "_")


def _answered(tried: Trial) -> Response:
    response = jsonify(tried.answer)
    response.status_code = tried.status
    return response
