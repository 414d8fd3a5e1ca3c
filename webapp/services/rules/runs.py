"""Runs of rules by hand: a rule applied to existing lines exactly as its preview showed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, cast

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError
from webapp.ledger.references import Kind, Ref
from webapp.models import Organization, Rule, RuleRun
from webapp.queries.access import organizations
from webapp.queries.rules import candidates, document_effects, previews
from webapp.queries.rules.candidates import CandidateFilters
from webapp.queries.rules.decisions import RuleEvaluator
from webapp.queries.rules.document_effects import DocumentEffect
from webapp.queries.rules.effect_records import Effect
from webapp.queries.rules.line_effects import Digest, LineEffect
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.limits import ActTooLargeError
from webapp.services.ingestion import rule_choices
from webapp.services.ingestion.rules import Tally
from webapp.services.rules import document_rules, writes

MANUAL_APPLY = "MANUAL_APPLY"
# What one run may change while others wait to write: a quarter of a second of CPU, where 50,000 lines took five.
MOST_AT_ONCE = 2_500


class RunProgress(Protocol):
    """A receiver of the progress of a run."""

    def __call__(self, done: int, total: int) -> None:
        """Take how many lines are done, of how many."""


def silent(done: int, total: int) -> None:
    """Report to nobody."""
    del done, total


class PreviewMovedError(LedgerError):
    """What this rule would do has changed since its preview; preview it again, then apply it."""

    code = "preview_moved"


class PreviewOnlyError(LedgerError):
    """A rule with the trigger MANUAL_PREVIEW never writes; give it another trigger to apply it."""

    code = "preview_only"


@dataclass(frozen=True, slots=True)
class _RunInProgress:
    """A run in progress: the rule in its version, how many lines or documents there are, and the act."""

    run_id: int
    rule_id: int
    version: int
    total: int
    at_once: int
    doing: Act

    def keep(self, organization: Organization, effects: Sequence[Effect]) -> None:
        """Write what the rule changes of a portion, with its provenance."""
        lines = [each for each in effects if isinstance(each, LineEffect)]
        documents = [each for each in effects if isinstance(each, DocumentEffect)]
        act_id, now = self.doing.id, self.doing.now
        writes.store_effects(organization, self.run_id, lines, act_id=act_id, now=now)
        document_rules.store_effects(organization.id, self.run_id, documents, act_id=act_id)


def apply(
    rule: Rule,
    digest: str,
    chosen: CandidateFilters,
    *,
    actor: Actor,
    now: datetime,
    progress: RunProgress = silent,
) -> RuleRun:
    """Apply a rule to what it matches, exactly as the preview of this digest showed, in one act.

    Drafts and documents change at once, posted entries get correction markers. Raises PreviewOnlyError,
    PreviewMovedError, ActTooLargeError, OtherTargetError.
    """
    title, payload = f"Applied the rule {rule.name}", {"digest": digest, **_payload(chosen)}
    with act(actor, now, "apply_rule", ("rule", rule.id), title=title, payload=payload) as doing:
        if rule.trigger == "MANUAL_PREVIEW":
            raise PreviewOnlyError
        evaluator = previews.evaluator_with(rule.organization_id, rule)
        run = _begin(rule, doing)
        is_of_documents = rule.target == "RECEIPT"
        source = document_effects if is_of_documents else candidates
        total = source.count(rule.organization_id, chosen)
        running = _RunInProgress(run.id, rule.id, rule.version, total, source.AT_ONCE, doing)
        portions = previews.effects(rule.organization_id, evaluator, rule, chosen)
        tally = _write(running, portions, digest, progress)
        _end(run, tally, evaluator)
        noun = "document" if is_of_documents else "line"
        doing.title = f"Applied the rule {rule.name} to {titles.counted(run.changed, noun)}"
        doing.after = {"runId": Ref(Kind.RULE_RUN, run.id), "matched": run.matched, "changed": run.changed}
    return run


def _begin(rule: Rule, doing: Act) -> RuleRun:
    run = RuleRun(
        organization_id=rule.organization_id,
        action_request_id=doing.id,
        trigger=MANUAL_APPLY,
        rule_id=rule.id,
        rules=[],
        skipped=[],
        created_at=doing.now,
    )
    db.session.add(run)
    db.session.flush()
    return run


def _write(
    running: _RunInProgress, portions: Iterable[Sequence[Effect]], digest: str, progress: RunProgress
) -> Tally:
    """Write what the rule does and count it, or raise PreviewMovedError where that is not what was previewed.

    Deciding and writing are one pass, which halves the time of the writer's lock: nobody else writes meanwhile, and
    where the digest is another one in the end all of it is rolled back.
    """
    organization = organizations.get(running.doing.actor.organization_id)
    found, tally, done = Digest(running.rule_id, running.version), Tally(), 0
    for effects in portions:
        for effect in effects:
            found.add(effect.facts)
            tally.count((running.rule_id,), effect.applied, effect.skipped)
        _refuse_too_large(tally.changed)
        running.keep(organization, effects)
        done = min(done + running.at_once, running.total)
        progress(done, running.total)
    if found.hex != digest:
        raise PreviewMovedError
    return tally


def _refuse_too_large(changed: int) -> None:
    """Refuse a run as soon as it changes more than others may wait for."""
    if changed > MOST_AT_ONCE:
        raise ActTooLargeError(
            f"This rule would change more than {MOST_AT_ONCE:,} lines or documents, which is what fits in one run. "
            "Choose fewer, such as a shorter period, and apply it once more for the others.",
            details={"most": MOST_AT_ONCE},
        )


def _end(run: RuleRun, tally: Tally, evaluator: RuleEvaluator) -> None:
    run.matched, run.changed = tally.matched, tally.changed
    run.rules, run.skipped = tally.rules_as_json(evaluator.names), tally.skips_as_json()
    db.session.flush()
    matches = tally.matches or {cast("int", run.rule_id): 0}
    rule_choices.count_matches(run.organization_id, matches, run.created_at)
    db.session.refresh(run)


def _payload(chosen: CandidateFilters) -> dict[str, object]:
    payload = {
        "from": None if chosen.from_ is None else chosen.from_.isoformat(),
        "to": None if chosen.to is None else chosen.to.isoformat(),
        "faId": Ref.optional(Kind.FEED_ACCOUNT, chosen.fa_id),
        "transactionId": Ref.optional(Kind.TRANSACTION, chosen.transaction_id),
        "documentId": Ref.optional(Kind.DOCUMENT, chosen.document_id),
    }
    return {key: value for key, value in payload.items() if value is not None}
