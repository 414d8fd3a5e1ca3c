"""Plans as they are sent: each step read as the call that it is, with the checks that this call has by itself."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs

from flask import request
from werkzeug.exceptions import HTTPException, NotFound, RequestEntityTooLarge

from webapp.database.sessions import db
from webapp.errors import http_error_facts
from webapp.ledger import plan_references
from webapp.ledger.errors import LedgerError, NotFoundError, UnprocessableError
from webapp.ledger.plan_references import BadReferenceError
from webapp.ledger.texts.legible import masked, masked_in
from webapp.schemas.plans import PlanInputSchema
from webapp.services.audit import plan_trials, plans, proposals
from webapp.services.audit.plans import CallPlan, PlanDone, Step
from webapp.services.audit.trials import CallResult, Trial
from webapp.web import advice
from webapp.web.access import requests
from webapp.web.access.auth import (
    NoScopeError,
    acting,
    demand,
    is_decided_on,
)
from webapp.web.access.request_state import state
from webapp.web.access.selections import DRY_RUN, READ, REPLACES, VIEW
from webapp.web.access.strictness import ArgumentsParser, refuse_undeclared
from webapp.web.proposals import calls
from webapp.web.proposals.calls import Call, without_bytes

ADDRESS: Final = "/api/plans"
# Of it 1 MiB is for all but the files, which have room as base64 for some months of a bank.
BODY_LIMIT: Final = 4 * requests.MEBIBYTE


class ExcludedStepError(UnprocessableError):
    """This call cannot be a step of a plan. Make it by itself."""

    code = "excluded"


class StepInputError(UnprocessableError):
    """What a step sends is not what its address takes."""

    code = "validation"


def execute(body: Mapping[str, Any]) -> PlanDone:
    """Do a plan, all or nothing; raises ProposableError where its key may only propose it, and CapReachedError."""
    plan = _plan(body)
    done = plans.execute(plan)
    older = body[REPLACES]
    if older is not None and done.id is not None and not is_decided_on():
        proposals.replace_plan(older, done.id, actor=plan.actor, now=plan.now)
    return done


def tried() -> Trial:
    """Try the plan that the request is for."""
    return plan_trials.run(_plan(_sent()), calls.InterfaceShapes())


def scope() -> str:
    """Give the scopes that the plan of the request needs, with spaces between."""
    return " ".join(_scopes(_steps(_sent())))


def _sent() -> dict[str, Any]:
    """Read the plan of the request."""
    found: dict[str, Any] = ArgumentsParser().parse(PlanInputSchema(), request, location="json")
    return found


def _plan(body: Mapping[str, Any]) -> CallPlan:
    """Make the plan of a body, whose steps are checked as far as they can be before any is made."""
    steps = _steps(body)
    plans.refuse_above(steps)
    for scope in _scopes(steps):
        demand(scope)
    body = {**body, "note": masked(body["note"])}
    state().note, state().lines_of_steps = body["note"], 0
    named = {key: value for key, value in body.items() if value not in (None, "")}
    payload = masked_in(without_bytes(named))
    if len(json.dumps(payload)) > requests.BODY_LIMIT:
        raise RequestEntityTooLarge
    plan = CallPlan(body["title"], steps, {"method": "POST", "path": ADDRESS, "body": payload}, **acting())
    for step in steps:
        try:
            _check(step)
        except UnprocessableError as error:
            raise plans.refused(step, error, plan.act()) from error
    return plan


def _steps(body: Mapping[str, Any]) -> list[Step]:
    return [
        Step(number, each["method"], each["path"], each["body"], _maker(number, each, body["note"]))
        for number, each in enumerate(body["steps"], 1)
    ]


def _scopes(steps: Sequence[Step]) -> list[str]:
    """List the scopes that the addresses of steps need; one that is none is refused when it is checked."""
    found = {READ}
    for step in steps:
        with suppress(BadReferenceError):
            path = plan_references.check(step.path, None, step.number)
            found.add(str(getattr(_view(step.method, path), "scope", READ)))
    return sorted(found)


def _view(method: str, path: str) -> Any:
    return Call(method, path.partition("?")[0]).view


def _check(step: Step) -> None:
    """Refuse a step that no plan can have, and references that cannot be."""
    path, _, query = plan_references.check(step.path, step.body, step.number).partition("?")
    view = _view(step.method, path)
    if view is None:
        raise ExcludedStepError(
            f"The API has no {step.method} {path[:80]}. GET /api/docs.md lists its calls."
        )
    if getattr(view, "session_only", False):
        raise ExcludedStepError("No key may do this; a person does it, signed in. Leave it out of the plan.")
    if getattr(view, "is_secret", False):
        raise ExcludedStepError("A secret is not kept in a plan. Make this call by itself.")
    if calls.has_own_trial(view):
        raise ExcludedStepError("A plan is no step of a plan. Send its steps here.")
    asked = {DRY_RUN, VIEW} & parse_qs(query, keep_blank_values=True).keys()
    if asked:
        raise ExcludedStepError(
            f"{min(asked)} is of the whole: send it with the plan itself, not with a step."
        )


def _maker(number: int, sent: Mapping[str, Any], note: str) -> Any:
    """Give what makes the call of a step once the answers of those before are there."""

    def make(answers: Mapping[int, Any]) -> CallResult:
        path = plan_references.resolved_path(sent["path"], number, answers)
        body = plan_references.resolved(sent["body"], number, answers)
        path, _, query = path.partition("?")
        call = Call(sent["method"], path, query, None if body is None else json.dumps(body))
        checked = _view(sent["method"], plan_references.check(sent["path"], None, number))
        try:
            with calls.made_again(call):
                if calls.view() is not checked:
                    raise BadReferenceError(
                        f"{path:.80} is the address of another call. A reference in a path stands for an id."
                    )
                return _made(note)
        except (NoScopeError, UnprocessableError):
            raise
        except HTTPException as error:
            raise _input_error(error, path, sent["method"]) from error

    return make


def _made(note: str) -> CallResult:
    """Make the call that the context is for, with the checks of its own query and body before."""
    asked = state()
    asked.note, before, asked.is_step = asked.note or note, asked.is_step, True
    try:
        refuse_undeclared()
        result = calls.make()
    except NotFoundError as error:
        raise advice.NothingThereError(advice.nothing_here()) from error
    finally:
        asked.is_step = before
    db.session.flush()
    return result


def _input_error(error: HTTPException, path: str, method: str) -> LedgerError:
    nothing = advice.nothing_at(path, method) if isinstance(error, NotFound) else None
    if nothing is not None:
        return advice.NothingThereError(nothing)
    facts = http_error_facts(error)
    return StepInputError(facts.sentence, fields=facts.fields, code=facts.code)
