"""Runs of rules by hand: a rule applied to the past exactly as its preview said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from webapp.db import db
from webapp.ledger.errors import LedgerError
from webapp.models import Organization, Rule, RuleRun
from webapp.queries import organizations as organizations_
from webapp.queries import past_lines, rule_effects, rule_previews
from webapp.queries.asked_rules import AskedRules
from webapp.queries.past_lines import Chosen
from webapp.queries.rule_effects import Digest, LineEffect
from webapp.services import rule_choices, rule_writes
from webapp.services.action_requests import Act, act
from webapp.services.actors import Actor
from webapp.services.line_rules import Tally

MANUAL_APPLY = "MANUAL_APPLY"


class RunProgress(Protocol):
    """Someone who is told how far a rule is."""

    def __call__(self, done: int, total: int) -> None:
        """Hear how many lines are changed, of how many; none at all while the rule is still asked."""


def silent(done: int, total: int) -> None:
    """Tell nobody."""
    del done, total


class PreviewMovedError(LedgerError):
    """What this rule would do is not what its preview said any more; look at it again, then apply it."""

    code = "preview_moved"


class PreviewOnlyError(LedgerError):
    """A rule with the trigger MANUAL_PREVIEW never writes; give it another trigger to apply it."""

    code = "preview_only"


@dataclass(frozen=True, slots=True)
class _Applying:
    """The rule that is applied, among which rules, to which lines, and by which act."""

    organization: Organization
    rule: Rule
    asked: AskedRules
    chosen: Chosen
    doing: Act

    def effects(self) -> Iterator[list[LineEffect]]:
        """Ask the rule of all the lines, portion by portion."""
        portions = past_lines.portions(self.organization.id, self.chosen)
        return rule_effects.effects(self.asked, portions, self.rule.id)


def apply(
    rule: Rule,
    digest: str,
    chosen: Chosen,
    *,
    actor: Actor,
    now: datetime,
    progress: RunProgress = silent,
) -> RuleRun:
    """Let a rule change the lines that it matches, exactly as the preview of this digest said, in one act.

    Drafts change at once, posted entries get correction markers. Raises PreviewOnlyError, PreviewMovedError.
    """
    title, payload = f"Applied the rule {rule.name}", {"digest": digest, **_said(chosen)}
    with act(actor, now, "apply_rule", ("rule", rule.id), title=title, payload=payload) as doing:
        if rule.trigger == "MANUAL_PREVIEW":
            raise PreviewOnlyError
        asked = rule_previews.asked_with(rule.organization_id, rule)
        applying = _Applying(organizations_.get(rule.organization_id), rule, asked, chosen, doing)
        progress(0, 0)
        tally = _judge(applying, digest)
        run, done = _begin(applying, tally), 0
        for effects in applying.effects():
            done += rule_writes.keep(applying.organization, run.id, effects, act_id=doing.id, now=now)
            progress(done, tally.changed)
        db.session.refresh(run)
        doing.title = f"Applied the rule {rule.name} to {run.changed:,} line{'' if run.changed == 1 else 's'}"
        doing.after = {"runId": run.id, "matched": run.matched, "changed": run.changed}
    return run


def _judge(applying: _Applying, digest: str) -> Tally:
    """Count what the rule does, or raise PreviewMovedError where that is not what was looked at."""
    found, tally = Digest(applying.rule.id, applying.rule.version), Tally()
    for effects in applying.effects():
        for effect in effects:
            found.add(effect)
            tally.count((applying.rule.id,), effect.made, effect.skipped)
    if found.hex != digest:
        raise PreviewMovedError
    return tally


def _begin(applying: _Applying, tally: Tally) -> RuleRun:
    now = applying.doing.now
    run = RuleRun(
        organization_id=applying.organization.id,
        action_request_id=applying.doing.id,
        trigger=MANUAL_APPLY,
        rule_id=applying.rule.id,
        matched=tally.matched,
        changed=tally.changed,
        rules=tally.rules_said(applying.asked.names),
        skipped=tally.skips_said(),
        created_at=now,
    )
    db.session.add(run)
    db.session.flush()
    matches = tally.matches or {applying.rule.id: 0}
    rule_choices.count(applying.organization.id, matches, now)
    return run


def _said(chosen: Chosen) -> dict[str, Any]:
    said = {
        "from": None if chosen.from_ is None else chosen.from_.isoformat(),
        "to": None if chosen.to is None else chosen.to.isoformat(),
        "faId": chosen.fa_id,
        "transactionId": chosen.transaction_id,
    }
    return {key: value for key, value in said.items() if value is not None}
