"""Previews of a rule, stored or not, on existing lines or documents, field by field; nothing is written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.rules.effects import EffectKind
from webapp.models import Rule, Transaction
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.items.likely_payments import PayingLine
from webapp.queries.matching import booked_by_hand
from webapp.queries.rules import (
    candidates,
    compiled_rules,
    document_effects,
    effect_records,
    line_effects,
    line_reasons,
)
from webapp.queries.rules.candidates import CandidateFilters
from webapp.queries.rules.compiled_rules import AnyRule
from webapp.queries.rules.decisions import RuleEvaluator
from webapp.queries.rules.effect_records import Effect, EffectRecord
from webapp.queries.rules.line_effects import Digest, LineEffect
from webapp.queries.rules.line_reasons import Explanation
from webapp.queries.transfers import destinations
from webapp.queries.transfers.destinations import Destination


class OtherTargetError(UnprocessableError):
    """A rule on bank lines is previewed on bank lines, one on receipts on documents; name its target."""

    code = "other_target"


@dataclass(frozen=True, slots=True)
class RuleName:
    """The name of a rule that a preview refers to."""

    id: int
    name: str


@dataclass(slots=True)
class RulePreview:
    """The preview of a rule: counts of all matching lines, a page of effects one by one, and the digest of all.

    `changed` counts drafts and posted entries; of the latter `markers` get a correction marker.
    """

    matched: int = 0
    changed: int = 0
    markers: int = 0
    unchanged: int = 0
    skipped: int = 0
    cut_off: int = 0
    digest: str = ""
    rules: list[RuleName] = field(default_factory=list)
    items: list[EffectRecord] = field(default_factory=list)
    explained: list[Explanation] | None = None
    warnings: list[str] = field(default_factory=list)
    next_key: tuple[int] | None = None

    def count(self, effect: Effect) -> None:
        """Count the effect on one line or document that the rule matches."""
        self.matched += 1
        if effect.cut_off_by is not None:
            self.cut_off += 1
        elif effect.applied:
            self.changed += 1
            self.markers += effect.opens_marker
        elif effect.skipped:
            self.skipped += 1
        else:
            self.unchanged += 1


def evaluator_with(organization_id: str, rule: AnyRule) -> RuleEvaluator:
    """Make the evaluator of a rule together with the active rules that run on new lines or documents."""
    trigger = "RECEIPT_PARSED" if rule.target == "RECEIPT" else "TRANSACTION_INGESTED"
    others = compiled_rules.active(organization_id, trigger)
    rules: Sequence[AnyRule] = [rule, *(each for each in others if each.id != rule.id)]
    return RuleEvaluator(organizations.get(organization_id), rules)


class _Shown:
    """The effects of a preview that are shown one by one: a page by id, or those first that change something."""

    def __init__(self, after: tuple[Any, ...] | None, limit: int, *, changes_first: bool) -> None:
        self.next_key: tuple[int] | None = None
        self._first, self._limit, self._is_sorted = after[0] if after else 0, limit, changes_first
        self._changing: list[Effect] = []
        self._others: list[Effect] = []

    def take(self, effect: Effect) -> None:
        """Keep an effect while there is room for it."""
        shown = self._changing if self._is_sorted and effect.applied else self._others
        if effect.item_id <= self._first or self.next_key is not None:
            return
        if len(shown) < self._limit:
            shown.append(effect)
        elif not self._is_sorted:
            self.next_key = (shown[-1].item_id,)

    @property
    def effects(self) -> list[Effect]:
        """The effects that are shown."""
        return [*self._changing, *self._others][: self._limit]


def effects(
    organization_id: str, evaluator: RuleEvaluator, rule: AnyRule, filters: CandidateFilters
) -> Iterator[Sequence[Effect]]:
    """Evaluate a rule for the lines or documents of its target, in portions; raises OtherTargetError."""
    if rule.target == "RECEIPT":
        if filters.fa_id is not None or filters.transaction_id is not None:
            raise OtherTargetError
        return document_effects.effects(evaluator, organization_id, filters, rule.id)
    if filters.document_id is not None:
        raise OtherTargetError
    return line_effects.effects(evaluator, candidates.portions(organization_id, filters), rule.id)


def preview(
    organization_id: str,
    rule: AnyRule,
    filters: CandidateFilters,
    *,
    after: tuple[Any, ...] | None,
    limit: int,
    changes_first: bool = False,
) -> RulePreview:
    """Preview a rule on existing lines or documents; the counts and the digest are of all of them.

    The effects of the page are in the order of ids, after the key `after`; with `changes_first` there is one page.
    Raises OtherTargetError.
    """
    evaluator = evaluator_with(organization_id, rule)
    found, digest = RulePreview(), Digest(rule.id, rule.version)
    shown = _Shown(after, limit, changes_first=changes_first)
    for portion in effects(organization_id, evaluator, rule, filters):
        for effect in portion:
            digest.add(effect.facts)
            found.count(effect)
            shown.take(effect)
    found.items = [
        effect_records.of_effect(effect, rule.id, evaluator.books.merged) for effect in shown.effects
    ]
    found.warnings = [
        *_by_hand(organization_id, found.items),
        *destinations.warnings(_elsewhere(organization_id, shown.effects)),
    ]
    found.next_key = shown.next_key
    fired = {
        rule_id
        for effect in shown.effects
        for rule_id in (*effect.decision.matched, *effect.overruled.values(), effect.cut_off_by)
    }
    found.digest = digest.hex
    found.rules = [
        RuleName(rule_id, name)
        for rule_id, (_, name) in evaluator.names.items()
        if rule_id in fired - {rule.id}
    ]
    if filters.transaction_id is not None or filters.document_id is not None:
        found.explained = line_reasons.explain(evaluator, organization_id, filters)
    return found


def _by_hand(organization_id: str, shown: Sequence[EffectRecord]) -> list[str]:
    """Warn of drafts that a handwritten entry already explains: confirming them would count the money twice."""
    drafts = [each.transaction_id for each in shown if each.transaction_id and not each.opens_marker]
    explained = booked_by_hand.of_ids(organization_id, drafts) if drafts else {}
    return [f"{found[0].sentence} (line {line_id})" for line_id, found in sorted(explained.items())]


def _elsewhere(organization_id: str, shown: Sequence[Effect]) -> Mapping[int, Destination]:
    """Give what drafts pay or move that the rule would put on an account instead."""
    put = {
        each.item_id: each.after.merchant_id
        for each in shown
        if isinstance(each, LineEffect) and _puts(each) and each.after is not None
    }
    lines = lookups.by_id(Transaction, organization_id, put).values() if put else ()
    paying = [PayingLine.of(line, [put[line.id]]) for line in lines]
    return destinations.of_lines(organization_id, list(lines), paying) if paying else {}


def _puts(effect: LineEffect) -> bool:
    """Return whether an effect puts a draft on an account and lets it pay nothing."""
    is_paying = effect.after is not None and effect.after.item_id is not None
    return EffectKind.SET_ACCOUNT in effect.applied and not effect.state.is_posted and not is_paying


def of_rule(
    rule: Rule, filters: CandidateFilters, *, after: tuple[Any, ...] | None, limit: int
) -> RulePreview:
    """Preview a stored rule on lines in the books."""
    return preview(rule.organization_id, rule, filters, after=after, limit=limit)


def unsaved(organization_id: str, body: Mapping[str, Any], replaces: Rule | None = None) -> AnyRule:
    """Make a rule of a body that is not stored, in the place of the stored rule that it replaces, if any."""
    names = ("conditions", "effects", "name", "target", "trigger", "priority", "stop_processing")
    facts = {name: body[name] for name in names}
    if replaces is None:
        return compiled_rules.RuleValues(**facts)
    if replaces.organization_id != organization_id:
        raise ValueError(replaces.organization_id)
    return compiled_rules.RuleValues(**facts, id=replaces.id, version=replaces.version + 1)
