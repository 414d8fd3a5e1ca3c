"""Plans: calls in an order, tried together, proposed as one, and done together or not at all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from webapp.database.session_state import state_of
from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.titles import PLAN
from webapp.models import ActionRequest
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import append, facts_of, new_id, recording, unrecorded
from webapp.services.audit.limits import ActTooLargeError
from webapp.services.audit.trials import CallResult

MOST_STEPS: Final = 100
# Nobody else writes while a plan is done; measured with others at work on two cores (docs/decisions/proposals.md).
MOST_MILLISECONDS: Final = 1000
OF_A_CALL, OF_AN_ITEM, OF_A_CONFIRMATION = 15, 9, 2.5
CONFIRMATIONS: Final = "/api/transactions/confirm"
# What says something of the installation, and not of the step: it is answered as it is.
NOT_OF_STEPS: Final = frozenset({401, 403, 408, 429, 500, 503})
CONFLICT: Final = 409


class StepRefusedError(UnprocessableError):
    """A step of this plan is refused, so that nothing of it was done. Change that step, and send the plan again."""

    code = "step_refused"
    untrusted = ("error", "details")


class StepConflictError(StepRefusedError):
    """The books stand against a step of this plan, so that nothing of it was done. Look at what the step is about."""

    status = CONFLICT


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a plan as it was sent; `make` makes it upon the answers of those before."""

    number: int
    method: str
    path: str
    body: Any
    make: Callable[[Mapping[int, Any]], CallResult]

    @property
    def items(self) -> int:
        """How many items it is about: the length of the longest list in its body, else one."""
        values = self.body.values() if isinstance(self.body, Mapping) else ()
        return max([1, *(len(each) for each in values if isinstance(each, list))])

    @property
    def milliseconds(self) -> float:
        """How long it takes about; a file that it brings apart."""
        of_each = OF_A_CONFIRMATION if self.path == CONFIRMATIONS else OF_AN_ITEM
        return max(OF_A_CALL, self.items * of_each)


@dataclass(frozen=True, slots=True)
class CallPlan:
    """Calls in an order under a title; `payload` is what the audit trail has of it."""

    title: str
    steps: Sequence[Step]
    payload: Mapping[str, Any]
    actor: Actor
    now: datetime

    def act(self) -> Act:
        """The act that the plan itself is, which its steps' acts name."""
        return Act(
            self.actor,
            self.now,
            PLAN,
            PLAN,
            "new",
            title=self.title,
            note=self.actor.note,
            payload=self.payload,
            id=new_id(self.now),
        )


@dataclass(frozen=True, slots=True)
class StepDone:
    """What a step was answered, and the acts that it came to."""

    step: Step
    result: CallResult
    acts: Sequence[Act]

    @property
    def action_request_ids(self) -> list[str]:
        """The ids of its acts."""
        return [act.id for act in self.acts]


@dataclass(frozen=True, slots=True)
class PlanDone:
    """A plan that was done: all its steps; without an id nothing was to do."""

    id: str | None
    title: str
    steps: Sequence[StepDone]

    @property
    def changed(self) -> bool:
        """Whether anything was changed."""
        return self.id is not None


def refuse_above(steps: Sequence[Step]) -> None:
    """Refuse a plan that is longer than fits in one transaction, and say how many of its steps fit."""
    fits, taken = 0, 0.0
    for step in steps[:MOST_STEPS]:
        taken += step.milliseconds
        if taken > MOST_MILLISECONDS:
            break
        fits += 1
    if fits == len(steps):
        return
    total = sum(step.items for step in steps)
    facts = {"steps": len(steps), "items": total, "mostSteps": MOST_STEPS, "fits": fits}
    if not fits:
        most = int(steps[0].items * MOST_MILLISECONDS / steps[0].milliseconds)
        raise ActTooLargeError(
            f"Step 1 is on {steps[0].items:,} items, more than the {most} that fit in one plan. Divide it.",
            details={**facts, "mostItems": most},
        )
    raise ActTooLargeError(
        f"{len(steps):,} steps on {total:,} items are more than fit in one plan: at most {MOST_STEPS} steps, and what"
        f" is done in a second. Send steps 1 to {fits} in one plan, and the others in the next.",
        details=facts,
    )


def make(step: Step, answers: dict[int, Any], plan_act: Act) -> CallResult:
    """Make the call of a step, and note its answer; raises StepRefusedError with the plan's act."""
    try:
        result = step.make(answers)
    except LedgerError as error:
        unrecorded(error)
        if error.status in NOT_OF_STEPS:
            raise
        raise refused(step, error, plan_act) from error
    if result.failures:
        raise _refused_items(step, result.failures, plan_act)
    answers[step.number] = result.body
    return result


def refused(step: Step, error: LedgerError, plan_act: Act) -> StepRefusedError:
    """Name the step that is refused, with its own error."""
    own: dict[str, object] = {"status": error.status, "code": error.code, "error": str(error)}
    own |= {key: value for key, value in (("fields", error.fields), ("details", error.details)) if value}
    kind = StepConflictError if error.status == CONFLICT else StepRefusedError
    place = {"number": step.number, "method": step.method, "path": step.path}
    refusal = kind(
        f"Step {step.number}, {step.method} {step.path}: {error}", details={"step": {**place, **own}}
    )
    refusal.act = plan_act  # type: ignore[attr-defined]
    return refusal


def _refused_items(step: Step, failures: Sequence[Mapping[str, Any]], plan_act: Act) -> StepRefusedError:
    first = failures[0]
    error = UnprocessableError(
        f"{len(failures)} of {step.items} items {'is' if len(failures) == 1 else 'are'} refused."
        f" {first['id']}: {first['message']}",
        code=str(first["code"]),
        details={"failures": [dict(each) for each in failures]},
    )
    return refused(step, error, plan_act)


def execute(plan: CallPlan) -> PlanDone:
    """Do all steps, or raise StepRefusedError; the caller's transaction is rolled back then.

    Where a proposal is executed its action request is the plan's; else it is written here.
    """
    outer = state_of(db.session()).recording
    approved_id = None if outer is None else outer.plan_id
    act = plan.act() if approved_id is None else replace(plan.act(), id=approved_id)
    done: list[StepDone] = []
    answers: dict[int, Any] = {}
    with db.session.begin_nested() as savepoint, recording(plan_id=act.id) as recorded:
        if approved_id is None:
            _write(act)
        for step in plan.steps:
            count = len(recorded)
            result = make(step, answers, act)
            done.append(StepDone(step, result, [each for each, _ in recorded[count:]]))
        if not recorded:
            savepoint.rollback()
            return PlanDone(None, plan.title, done)
    if outer is not None:
        outer.acts.extend(recorded)
    if approved_id is None:
        _record(act, [each.id for each, _ in recorded])
    return PlanDone(act.id, plan.title, done)


def _write(act: Act) -> None:
    """Write the row of a plan, which those of its steps' acts name."""
    db.session.add(
        ActionRequest(
            id=act.id,
            organization_id=act.actor.organization_id,
            created_at=act.now,
            decided_at=act.now,
            status="EXECUTED",
            error="",
            **facts_of(act),
        )
    )
    db.session.flush()


def _record(act: Act, ids: list[str]) -> None:
    """Note with a plan the acts that it came to, and append its event behind theirs."""
    act.result = {"actionRequestIds": ids}
    row = db.session.get_one(ActionRequest, (act.actor.organization_id, act.id))
    row.result = act.result
    db.session.flush()
    append(act, "EXECUTED")
