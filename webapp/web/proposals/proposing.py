"""Calls that are only tried: a dry run answers what would be, a proposal waits until a person approves it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from flask import Flask, Response, current_app, jsonify
from werkzeug.exceptions import HTTPException

from webapp.database.sessions import db
from webapp.errors import answer_ledger_error, refusal_body
from webapp.ledger.errors import LedgerError
from webapp.ledger.scopes import PROPOSE
from webapp.models import ActionRequest
from webapp.queries.access.principals import Principal
from webapp.schemas.audit.action_requests import ActionRequestAnswerSchema
from webapp.schemas.audit.effects import DryRunSchema
from webapp.schemas.untrusted import UNTRUSTED_KEY, untrusted_paths
from webapp.services.access.token_caps import CapReachedError
from webapp.services.audit import proposals
from webapp.services.audit.proposals import ProposedCall
from webapp.services.audit.results import FailedItem, ItemResult
from webapp.services.audit.trials import Trial
from webapp.web.access import requests, selections
from webapp.web.access.auth import ProposableError, acting, may_propose, principal
from webapp.web.access.request_state import state
from webapp.web.proposals import bounded_trials, calls, preconditions, stored_calls, summarising
from webapp.web.proposals.stored_calls import Call
from webapp.web.proposals.summarising import answered


def register_proposing(app: Flask) -> None:
    """Stand between the guard and the views."""
    app.before_request(only_try)
    app.register_error_handler(ProposableError, propose_instead)
    app.register_error_handler(CapReachedError, propose_at_cap)


def only_try() -> Response | None:
    """Try the call instead of making it, where it was asked so or the token may no more."""
    preconditions.check()
    if state().is_dry_run:
        return dry_run()
    if state().is_proposal:
        return propose()
    return summarising.done() if summarising.is_asked() else None


def dry_run() -> Response:
    """Answer what the call would answer and change; nothing is written."""
    found = principal()
    proposes = PROPOSE in found.scopes and found.token_id is not None
    tried = _tried(calls.with_role(found) if proposes else None)
    db.session.rollback()
    status, body = _answer(tried)
    if summarising.is_asked():
        return summarising.of_dry_run(tried, status)
    answer = {"dryRun": True, "status": status, "answer": body, "effect": tried.effect}
    return jsonify({**answer, UNTRUSTED_KEY: list(untrusted_paths(DryRunSchema()))})


def propose_instead(_error: ProposableError | None = None) -> Response:
    """Propose a call of which its view found that it needs more than the address says."""
    db.session.rollback()
    requests.begin(principal().organization_id)
    try:
        return propose()
    except (LedgerError, HTTPException) as error:
        # What is raised while another error is answered has no handler.
        return current_app.make_response(current_app.handle_user_exception(error))


def propose_at_cap(error: CapReachedError) -> Response:
    """Propose what a token may do and has done as much of as it may in a day; without the scope it is refused."""
    return propose_instead() if may_propose(calls.scope()) else answer_ledger_error(error)


def propose() -> Response:
    """Let the call wait for a person (202); one that would change nothing is answered as it is."""
    tried = _tried(calls.with_role(principal()))
    if tried.is_plan and tried.refusal is not None:
        raise tried.refusal
    if not tried.acts and not tried.blockers:
        status, body = _answer(tried)
        return answered(body, status)
    bounded_trials.begin_again()
    waiting = wait(stored_calls.received(), tried)
    if summarising.is_asked():
        return summarising.of_waiting(waiting)
    return answered(ActionRequestAnswerSchema().dump({"actionRequest": waiting}), selections.WAITS)


def _tried(who: Principal | None) -> Trial:
    """Try the call so that nobody waits for it for long: one that reads a file of the bank does so on a copy."""
    view = calls.view()
    return bounded_trials.bounded(lambda: calls.tried(who), is_long=bounded_trials.is_long(view))


def propose_rest(results: list[ItemResult]) -> list[ItemResult]:
    """Let what a call on several ids cannot post for its token's cap wait as one proposal, which its results name."""
    beyond = [
        each.id for each in results if isinstance(each, FailedItem) and each.code == CapReachedError.code
    ]
    if not beyond or state().is_step or not may_propose(calls.scope()):
        return results
    call = stored_calls.received()
    rest = replace(call, body=json.dumps({**json.loads(call.body or "{}"), "ids": beyond}))
    with stored_calls.made_again(rest):
        tried = calls.tried(calls.with_role(principal()))
    request_id = wait(rest, tried).id
    return [
        ItemResult(id=each.id, action_request_id=request_id, changed=False, status="PENDING")
        if each.id in beyond
        else each
        for each in results
    ]


def wait(call: Call, tried: Trial) -> ActionRequest:
    """Let a call that was tried wait for a person."""
    proposed = ProposedCall(
        kind=calls.kind(),
        scope=calls.scope(),
        fingerprint=call.fingerprint,
        payload=call.payload,
        keep=lambda: stored_calls.with_file(call).as_columns(),
        replaces=json.loads(call.body or "{}").get(stored_calls.REPLACES) if tried.is_plan else None,
        if_match=call.if_match,
    )
    return proposals.wait(proposed, tried, stored_calls.folder(), **acting())


def _answer(tried: Trial) -> tuple[int, Any]:
    """Give the status and the body that the call would be answered with."""
    if tried.refusal is not None:
        return tried.refusal.status, refusal_body(tried.refusal)
    return (tried.result.status, tried.result.body) if tried.result else (204, None)
