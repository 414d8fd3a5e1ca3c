"""Trials of plans: step by step in one savepoint, each upon what the steps before leave, with what each one changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.ledger import titles
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.queries.effects import books, summaries
from webapp.queries.effects.books import NO_EFFECT, Mark
from webapp.services.audit import plans
from webapp.services.audit.act import Act
from webapp.services.audit.action_requests import recording
from webapp.services.audit.plans import CallPlan, Step, StepRefusedError
from webapp.services.audit.trials import (
    TOUCHES,
    WARNINGS,
    CallResult,
    Json,
    NewNames,
    Observed,
    Shapes,
    Trial,
    warnings_of,
)
from webapp.services.storage.savepoints import trial


@dataclass(frozen=True, slots=True)
class StepTrial:
    """A step, and what it would change."""

    step: Step
    tried: Trial

    @property
    def facts(self) -> Json:
        """What its plan's digest has of it."""
        return {
            "method": self.step.method,
            "path": self.step.path,
            "body": self.step.body,
            "digest": self.tried.digest,
        }

    @property
    def effect(self) -> Json:
        """What its plan's effect has of it."""
        step, title = self.step, titles.proposed(self.tried.title)
        place = {"number": step.number, "method": step.method, "path": step.path}
        return {**place, "title": title, "digest": self.tried.digest, **self.tried.effect}


@dataclass(frozen=True, slots=True)
class PlanTrial(Trial):
    """What a plan would answer and change, as a whole and by its steps; a refused one ends with the step before."""

    plan_act: Act | None = None
    steps: Sequence[StepTrial] = ()

    @property
    def digest(self) -> str:
        """Give the SHA-256 of what its steps are and would do."""
        whole: Json = {"v": 2, "steps": [each.facts for each in self.steps]}
        if self.refusal is not None:
            whole["refused"] = self.refusal.details["step"]
        return sha256_hex(canonical_json(whole))

    @property
    def asked(self) -> Sequence[Act]:
        """The act that it is itself."""
        return [self.plan_act] if self.plan_act is not None else []

    @property
    def title(self) -> str:
        """Its own title."""
        return "" if self.plan_act is None else self.plan_act.title

    @property
    def is_one_act(self) -> bool:
        """No: each step's acts are acts of their own."""
        return False

    @property
    def is_plan(self) -> bool:
        """Yes."""
        return True

    def moved_step(self, kept: Mapping[str, Any]) -> int | None:
        """Give the first step that differs from a kept effect of the same plan; None where none does."""
        before = [each["digest"] for each in kept.get("steps", ())]
        now = [each.tried.digest for each in self.steps]
        pairs = enumerate(zip(before, now, strict=False), 1)
        moved = next((number for number, (earlier, later) in pairs if earlier != later), None)
        if moved is None and len(before) != len(now):
            return min(len(before), len(now)) + 1
        return moved


def run(plan: CallPlan, shapes: Shapes) -> PlanTrial:
    """Try a plan in the open transaction, which writes; the books are as before when this returns.

    The step that is refused is part of the trial, whatever refuses it.
    """
    organization_id, plan_act = plan.actor.organization_id, plan.act()
    start = books.mark(organization_id)
    watch = _Watch(organization_id, shapes, start)
    answers: dict[int, Any] = {}
    refusal: StepRefusedError | None = None
    with trial():
        for step in plan.steps:
            try:
                watch.make(step, answers, plan_act)
            except StepRefusedError as error:
                refusal = error
                break
        whole = watch.whole_after()
    return watch.tried(whole, plan_act, refusal)


class _Watch:
    """Sees what each step of a trial changes: after it, and behind the trial what was before."""

    def __init__(self, organization_id: str, shapes: Shapes, start: Mark) -> None:
        self._organization_id, self._shapes, self._start = organization_id, shapes, start
        self._mark = start
        self._seen: list[tuple[Step, CallResult, Observed]] = []
        self._act_ids: set[str] = set()

    def make(self, step: Step, answers: dict[int, Any], plan_act: Act) -> None:
        """Make the call of a step, and read what it left behind."""
        with recording() as recorded:
            result = plans.make(step, answers, plan_act)
        acts = [act for act, status in recorded if status == "EXECUTED"]
        observed = Observed(self._organization_id, self._mark, self._shapes, acts)
        observed.read_after()
        self._act_ids |= {act.id for act, _ in recorded}
        self._seen.append((step, result, observed))
        self._mark = books.mark(self._organization_id)

    def whole_after(self) -> Observed:
        """Read what all steps together left behind."""
        acts = [act for _, _, observed in self._seen for act in observed.acts]
        whole = Observed(self._organization_id, self._start, self._shapes, acts)
        whole.read_sums()
        return whole

    def tried(self, whole: Observed, plan_act: Act, refusal: StepRefusedError | None) -> PlanTrial:
        """Say what would be done, with the same name for the same new row in all steps."""
        first: dict[int, Json | None] = {}
        last: dict[int, Json | None] = {}
        for _, _, observed in self._seen:
            observed.read_before(last)
            for entry_id in observed.ids:
                first.setdefault(entry_id, observed.before.get(entry_id))
                last[entry_id] = observed.after.get(entry_id)
        names = NewNames(self._start.newest, self._act_ids)
        steps = [_step_tried(*each, names) for each in self._seen]
        effect = {
            **NO_EFFECT,
            "entryCount": sum(first[each] != last[each] for each in first)
            + sum(observed.unseen_count for _, _, observed in self._seen),
            "balances": names.written(whole.balances),
            "proofs": names.written(whole.proofs),
            "steps": [each.effect for each in steps],
            TOUCHES: names.touched(whole.acts),
            # What a step warns of, the step that posts it would say again.
            WARNINGS: list(
                dict.fromkeys(
                    [
                        *summaries.warnings_of_steps([each.effect for each in steps]),
                        *(sentence for each in steps for sentence in each.tried.effect[WARNINGS]),
                    ]
                )
            ),
        }
        done = [_done(step, result, names) for step, result, _ in self._seen]
        answer = {"plan": {"id": None, "title": plan_act.title, "changed": bool(whole.acts), "steps": done}}
        return PlanTrial(
            effect, whole.acts, CallResult(200, answer), refusal=refusal, plan_act=plan_act, steps=steps
        )


def _step_tried(step: Step, result: CallResult, observed: Observed, names: NewNames) -> StepTrial:
    effect = observed.effect(names) | {WARNINGS: warnings_of(result.body)}
    return StepTrial(step, Trial(effect, observed.acts, result, rest=observed.rest(names)))


def _done(step: Step, result: CallResult, names: NewNames) -> Json:
    return {
        "number": step.number,
        "method": step.method,
        "path": step.path,
        "status": result.status,
        "answer": names.written(result.body),
        "actionRequestIds": [],
    }
