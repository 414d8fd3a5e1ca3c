"""What stands between the guard and a view: dry runs, proposals, and answers in a few figures (`view=summary`)."""

import json
from collections.abc import Sequence
from typing import Any

import marshmallow as ma
from flask import Flask, Response, current_app, jsonify, request
from werkzeug.exceptions import HTTPException

from webapp.database.sessions import db
from webapp.errors import answer_ledger_error, refusal_body
from webapp.ledger import titles
from webapp.ledger.canonical import instant_text
from webapp.ledger.errors import LedgerError
from webapp.ledger.titles import PLAN
from webapp.models import ActionRequest
from webapp.queries.effects import pages, summaries
from webapp.schemas.audit.action_requests import ActionRequestAnswerSchema
from webapp.schemas.audit.effects import DryRunSchema
from webapp.schemas.untrusted import UNTRUSTED_KEY, untrusted_paths
from webapp.services.access import letters
from webapp.services.access.token_caps import CapReachedError
from webapp.services.audit import proposals, trials
from webapp.services.audit.act import Act
from webapp.services.audit.action_requests import title_of
from webapp.services.audit.proposals import ProposedCall
from webapp.services.audit.trials import Json, Trial
from webapp.web.access import requests, selections
from webapp.web.access.auth import (
    ProposableError,
    acting,
    may_propose,
    organization_id,
    principal,
    settings,
)
from webapp.web.access.request_state import requested_view, state
from webapp.web.proposals import calls, preconditions


class SecretProposedError(LedgerError):
    """A secret is not kept in a proposal; a person who may do this sends it."""

    status = 403
    code = "forbidden"


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
    return summarised() if state().of_write.is_summary else None


def dry_run() -> Response:
    """Answer what the call would answer and change; nothing is written."""
    tried = _tried_with_role() if state().is_proposal else _tried()
    db.session.rollback()
    status, body = _answer(tried)
    if not state().of_write.is_summary:
        answer = {"dryRun": True, "status": status, "answer": body, "effect": tried.effect}
        return jsonify({**answer, UNTRUSTED_KEY: list(untrusted_paths(DryRunSchema()))})
    summary = summaries.of_effect(
        tried.effect, title=titles.proposed(tried.title), blockers=tried.blockers, digest=tried.digest
    )
    shape = _selected(selections.DRY_RUN_SUMMARY)
    return _answered(shape.dump({"dry_run": True, "status": status, "summary": summary}), 200)


def _tried() -> Trial:
    """Try a call as whom it comes from; one that would be proposed in its midst, as a proposal."""
    try:
        return calls.tried()
    except (ProposableError, CapReachedError):
        if not _may_propose():
            raise
        db.session.rollback()
        requests.begin(organization_id())
        return _tried_with_role()


def _may_propose() -> bool:
    """Return whether the token may propose all that the call needs."""
    needed = set(calls.scope().split()) - {selections.READ}
    return bool(needed) and all(map(may_propose, needed))


def propose_instead(_error: ProposableError | None = None) -> Response:
    """Propose a call whose view found that it needs more than the address says."""
    db.session.rollback()
    requests.begin(organization_id())
    try:
        return propose()
    except (LedgerError, HTTPException) as error:
        # What is raised while another error is answered has no handler.
        return current_app.make_response(current_app.handle_user_exception(error))


def propose_at_cap(error: CapReachedError) -> Response:
    """Propose the whole of a call that would pass its token's cap; without the scope it is refused."""
    return propose_instead() if _may_propose() else answer_ledger_error(error)


def propose() -> Response:
    """Let the call wait for a person (202); one that would change nothing, or is refused, is answered as it is.

    A bulk call waits without the items that the books refuse; the answer names them.
    """
    if getattr(requested_view(), "is_secret", False):
        raise SecretProposedError
    tried, replaces = _tried_with_role(), request.args.get(selections.REPLACES)
    if tried.refusal is not None:
        # It is recorded as the refusal of a key that may do it.
        tried.refusal.act = getattr(tried.refusal, "act", None) or tried.refused_act  # type: ignore[attr-defined]
        raise tried.refusal
    if not tried.acts:
        return _unchanged(tried)
    without = calls.without_refused(tried.result) if tried.failures else None
    if without is None:
        return _proposed(tried, [], replaces)
    with calls.made_again(without):
        return _proposed(_tried_with_role(), tried.failures, replaces)


def _tried_with_role() -> Trial:
    with calls.acting_as(calls.with_role(principal())):
        return calls.tried()


def _unchanged(tried: Trial) -> Response:
    """Answer a call that comes to no act, with all that it refuses."""
    status, body = _answer(tried)
    if not state().of_write.is_summary or not tried.failures:
        return _answered(body, status)
    summary = summaries.of_effect(tried.effect, title="", blockers=tried.failures)
    return _answered(_selected(selections.DONE_SUMMARY).dump({"summary": summary, "changed": False}), status)


def _proposed(tried: Trial, refused: Sequence[Json], replaces: str | None) -> Response:
    """Let the request's call, which was tried, wait for a person; `refused` are the items that it leaves out."""
    waiting = _wait(tried, replaces)
    found = pages.neighbours(waiting.proposal) if waiting.proposal is not None else []
    others = [{"id": each.id, "title": titles.proposed(each.title)} for each in found]
    beside = {key: each for key, each in (("refused", refused), ("waiting", others)) if each}
    if state().of_write.is_summary:
        shape = _selected(selections.REQUEST_SUMMARY)
        body = shape.dump({"actionRequest": summaries.of_request(waiting), **beside})
    else:
        body = ActionRequestAnswerSchema().dump({"actionRequest": waiting, **beside})
    return _answered(body, selections.WAITS)


def _wait(tried: Trial, replaces: str | None) -> ActionRequest:
    """Let the request's call, which was tried, wait for a person, in place of an older proposal where it says so."""
    call = calls.received()
    of_plan = json.loads(call.body or "{}").get(selections.REPLACES) if tried.is_plan else None
    proposed = ProposedCall(
        kind=calls.kind(),
        scope=calls.scope(),
        fingerprint=call.fingerprint,
        payload=call.payload,
        keep=lambda: calls.with_file(call).as_columns(),
        replaces=replaces,
        replaces_plan=of_plan,
        if_match=call.if_match,
    )
    waiting = proposals.wait(proposed, tried, calls.folder(), **acting())
    if settings().smtp_url:
        letters.mail_waiting_proposal(organization_id(), requests.now())
    return waiting


def summarised() -> Response:
    """Make the call, and answer with a summary of what it did; a refusal is answered as ever."""
    result, effect, acts = trials.watched(organization_id(), calls.make, calls.InterfaceShapes())
    if result.status >= selections.REFUSED:
        return _answered(result.body, result.status)
    plan = result.body["plan"] if calls.has_own_trial(calls.view()) else None
    facts = _of_acts(acts) if plan is None else {"id": plan["id"], "kind": PLAN, "title": plan["title"]}
    if acts:
        facts |= {"status": "EXECUTED", "created_at": requests.now(), "effect": _place(facts["id"])}
    summary = summaries.of_effect(effect, blockers=result.failures, **facts)
    shape = _selected(selections.DONE_SUMMARY)
    return _answered(shape.dump({"summary": summary, "changed": bool(acts)}), result.status)


def _of_acts(acts: Sequence[Act]) -> dict[str, Any]:
    if len(acts) != 1:
        return {"id": None, "title": titles.of_several([title_of(each) for each in acts]) if acts else ""}
    (one,) = acts
    target = {"kind": one.target_kind, "id": one.target_id}
    return {"id": one.id, "kind": one.kind, "title": title_of(one), "target": target}


def _place(request_id: str | None) -> str:
    """Give the address of what was done: of one act its effect, of several their list."""
    if request_id is not None:
        return summaries.address(request_id)
    return f"/api/action-requests?actor=me&since={instant_text(requests.now())}"


def _answer(tried: Trial) -> tuple[int, Any]:
    """Give the status and the body that the call would be answered with."""
    if tried.refusal is not None:
        return tried.refusal.status, refusal_body(tried.refusal)
    return (tried.result.status, tried.result.body) if tried.result else (204, None)


def _selected(schema: ma.Schema) -> ma.Schema:
    return selections.selected(schema, state().of_write)


def _answered(body: Any, status: int) -> Response:
    response = jsonify(body)
    response.status_code = status
    return response
