"""Answers with `view=summary`: what a write did, would do or waits to do, in a few figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import marshmallow as ma
from flask import Response, jsonify

from webapp.ledger import titles
from webapp.ledger.canonical import instant_text
from webapp.ledger.titles import PLAN
from webapp.models import ActionRequest
from webapp.queries.effects import summaries
from webapp.services.audit import trials
from webapp.services.audit.act import Act
from webapp.services.audit.action_requests import title_of
from webapp.services.audit.trials import Trial
from webapp.web.access import requests, selections
from webapp.web.access.auth import organization_id
from webapp.web.access.request_state import state
from webapp.web.proposals import calls


def done() -> Response:
    """Make the call, and answer with what it did; a refusal is answered as ever."""
    result, effect, acts = trials.watched(organization_id(), calls.make, calls.InterfaceShapes())
    if result.status >= selections.REFUSED:
        return answered(result.body, result.status)
    plan = result.body["plan"] if calls.has_own_trial(calls.view()) else None
    facts = _of_plan(plan) if plan is not None else _of_acts(acts)
    if acts:
        facts |= {"status": "EXECUTED", "created_at": requests.now(), "effect": _place(facts["id"])}
    summary = summaries.of_effect(effect, blockers=result.failures, **facts)
    shape = _selected(selections.DONE_SUMMARY)
    return answered(shape.dump({"summary": summary, "changed": bool(acts)}), result.status)


def of_dry_run(tried: Trial, status: int) -> Response:
    """Answer a dry run."""
    summary = summaries.of_effect(
        tried.effect, title=titles.proposed(tried.title), blockers=tried.blockers, digest=tried.digest
    )
    shape = _selected(selections.DRY_RUN_SUMMARY)
    return answered(shape.dump({"dry_run": True, "status": status, "summary": summary}), 200)


def of_waiting(waiting: ActionRequest) -> Response:
    """Answer a call that waits for a person."""
    shape = _selected(selections.REQUEST_SUMMARY)
    return answered(shape.dump({"actionRequest": summaries.of_request(waiting)}), selections.WAITS)


def is_asked() -> bool:
    """Return whether the write is answered with a summary."""
    return state().of_write.is_summary


def answered(body: Any, status: int) -> Response:
    """Answer with JSON."""
    response = jsonify(body)
    response.status_code = status
    return response


def _selected(schema: ma.Schema) -> ma.Schema:
    return selections.selected(schema, state().of_write)


def _of_plan(plan: dict[str, Any]) -> dict[str, Any]:
    return {"id": plan["id"], "kind": PLAN, "title": plan["title"]}


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
