"""The effects of rules on lines in the books: which match, each before and after, and what is skipped and why."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

from webapp.ledger.money import Money
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.engine import Decision, Setting
from webapp.ledger.rules.items import RuleLine, Values
from webapp.ledger.rules.line_outcomes import CounterLeg, NamedItem, Skip
from webapp.queries.rules import candidates, named_items
from webapp.queries.rules.candidates import CandidateLine, LineState
from webapp.queries.rules.decisions import RuleEvaluator

_IN_JSON = json.JSONEncoder(separators=(",", ":")).encode
NO_SETTINGS: Mapping[EffectKind, Any] = MappingProxyType({})


class LineEffect(NamedTuple):
    """The effect of rules on one line; `applied` are the settings that make a difference.

    Of one rule alone `overruled` names the rules that set its fields after it, and `cut_off_by` the rule that stops
    the line before it is reached.
    """

    line: CandidateLine
    state: LineState
    decision: Decision
    after: CounterLeg | None = None
    applied: Mapping[EffectKind, Setting] = NO_SETTINGS
    skipped: tuple[Skip, ...] = ()
    overruled: Mapping[EffectKind, int] = NO_SETTINGS
    cut_off_by: int | None = None

    @property
    def item_id(self) -> int:
        """The line's id."""
        return self.line.id

    @property
    def opens_marker(self) -> bool:
        """Return whether the effect is on a posted entry, which gets a correction marker."""
        return bool(self.applied) and self.state.is_posted

    @property
    def facts(self) -> list[Any]:
        """The facts that the digest of a preview is of."""
        before = leg_facts(self.state.leg)
        return [self.line.id, self.state.is_posted, self.cut_off_by, before, leg_facts(self.after)]


def effects(
    evaluator: RuleEvaluator, portions: Iterable[list[CandidateLine]], only: int | None = None
) -> Iterator[list[LineEffect]]:
    """Yield the effects on lines that any rule matches, or the rule `only`, in portions.

    The effect of one rule leaves out the fields that a later rule sets.
    """
    own_part = own_settings(evaluator, only)
    for lines in portions:
        matched = [
            (line, decision)
            for line, values in zip(lines, values_of(evaluator, lines), strict=True)
            if (decision := relevant(evaluator, values, only))
        ]
        if not matched:
            yield []
            continue
        evaluator.prepare([line.booked_on for line, _ in matched])
        states = candidates.line_states(evaluator.organization.id, [line for line, _ in matched])
        yield effects_of(evaluator, matched, states, own_part)


def effects_of(
    evaluator: RuleEvaluator,
    matched: Sequence[tuple[CandidateLine, Decision]],
    states: Mapping[int, LineState],
    own_part: OwnSettings,
) -> list[LineEffect]:
    """Return the effects of decisions about lines in these states, as far as `own_part` wants them."""
    settling = [line for line, decision in matched if EffectKind.SETTLE_BY_REFERENCE in decision.settings]
    named: Mapping[int, NamedItem | str] = {}
    if settling:
        states = candidates.with_items(evaluator.organization.id, states)
        named = named_items.of_lines(evaluator.organization.id, evaluator.books, settling, states)
    return [
        _effect(evaluator, _Decided(line, states[line.id], decision, named.get(line.id)), own_part)
        for line, decision in matched
    ]


def values_of(evaluator: RuleEvaluator, lines: Sequence[CandidateLine]) -> list[Values]:
    """Return the values of lines that rules match."""
    choices = _choices(evaluator, lines)
    return [
        RuleLine(line, line.currency, line.feed_account_id, *choices.get(line.id, ())).values()
        for line in lines
    ]


def _choices(
    evaluator: RuleEvaluator, lines: Sequence[CandidateLine]
) -> Mapping[int, tuple[int | None, int | None]]:
    """Read the merchant and project that people, not rules, set on lines, where a condition asks for them."""
    if not lines or not evaluator.needs_choices:
        return {}
    organization_id = evaluator.organization.id
    states = candidates.line_states(organization_id, lines)
    by_rules = candidates.set_by_rules(organization_id, [line.id for line in lines])

    def chosen(line_id: int, leg: CounterLeg, kind: EffectKind) -> int | None:
        return None if (line_id, kind.value) in by_rules else leg.raw(kind)

    return {
        line_id: (chosen(line_id, leg, EffectKind.SET_MERCHANT), chosen(line_id, leg, EffectKind.SET_PROJECT))
        for line_id, state in states.items()
        if (leg := state.leg) is not None
    }


def relevant(evaluator: RuleEvaluator, values: Values, only: int | None) -> Decision | None:
    """Decide about an item; None where no rule matches it, or the rule `only` would not even if it were reached."""
    decision = evaluator.decide(values)
    if only is None or only in decision.matched:
        return decision if decision.matched else None
    if only not in decision.cut_off:
        return None
    rule = next(each for each in evaluator.compiled if each.id == only)
    return decision if rule.conditions.hold(values) else None


# The settings of the rule, and by kind the rules that overrule it.
Owned = tuple[Mapping[EffectKind, Setting], Mapping[EffectKind, int]]


class OwnSettings:
    """The part of decisions that one rule sets, by its id with the kinds that it sets, or that all rules set."""

    def __init__(self, rule_id: int | None, kinds: Collection[EffectKind]) -> None:
        self.rule_id = rule_id
        self._kinds = kinds
        self._own: dict[tuple[int, ...], Owned] = {}

    def of(self, decision: Decision) -> Owned:
        """Return the settings of the rule, or of all rules, and the rules that overrule its other settings.

        All items that the same rules match share them.
        """
        found = self._own.get(decision.matched)
        if found is None:
            settings = decision.settings
            own = {kind: each for kind, each in settings.items() if self.rule_id in (None, each.rule_id)}
            overruled = {kind: settings[kind].rule_id for kind in self._kinds if kind not in own}
            found = self._own[decision.matched] = own, overruled
        return found


class _Decided(NamedTuple):
    """A line in its state, what rules decide about it, and the item that it names, where a rule settles by that."""

    line: CandidateLine
    state: LineState
    decision: Decision
    named: NamedItem | str | None

    def without_destinations(self, owned: Owned) -> Owned:
        """Drop destinations from rules that settle nothing where the named item decides on them."""
        settling = self.decision.settings.get(EffectKind.SETTLE_BY_REFERENCE)
        own, overruled = owned
        if settling is None or EffectKind.SETTLE_BY_REFERENCE in own or not isinstance(self.named, NamedItem):
            return owned
        kept: Mapping[EffectKind, Setting] = {
            kind: each for kind, each in own.items() if kind is EffectKind.SET_PROJECT
        }
        return kept, {**overruled, **{kind: settling.rule_id for kind in own if kind not in kept}}


def _effect(evaluator: RuleEvaluator, decided: _Decided, own_part: OwnSettings) -> LineEffect:
    line, state, decision, named = decided
    if own_part.rule_id is not None and own_part.rule_id not in decision.matched:
        return LineEffect(line, state, decision, cut_off_by=decision.stopped_by)
    own, overruled = decided.without_destinations(own_part.of(decision))
    if state.closed is not None or state.leg is None:
        skips = tuple(Skip(kind, each.rule_id, state.closed or "") for kind, each in own.items())
        return LineEffect(line, state, decision, skipped=skips, overruled=overruled)
    outcome = evaluator.apply(own, state.leg, Money(line.amount_minor, line.currency), line.booked_on, named)
    return LineEffect(line, state, decision, outcome.leg, outcome.applied, outcome.skipped, overruled)


def own_settings(evaluator: RuleEvaluator, only: int | None) -> OwnSettings:
    """Make the part of decisions that the one rule `only` sets, or that all rules set."""
    kinds = {effect.kind for rule in evaluator.compiled if rule.id == only for effect in rule.effects}
    return OwnSettings(only, kinds)


class Digest:
    """The SHA-256 of everything that a rule would change, and of the rule in its version."""

    def __init__(self, rule_id: int, version: int) -> None:
        self._hash = sha256(f"{rule_id} {version}".encode())

    def add(self, facts: list[Any]) -> None:
        """Add the facts of the effect on one item, also of one without effect."""
        self._hash.update(_IN_JSON(facts).encode())

    @property
    def hex(self) -> str:
        """The digest so far."""
        return self._hash.hexdigest()


def leg_facts(leg: CounterLeg | None) -> list[Any] | None:
    """List the facts of a counter leg for a digest."""
    if leg is None:
        return None
    return [
        leg.account_id,
        leg.currency,
        leg.amount_minor,
        leg.merchant_id,
        leg.project_id,
        leg.item_id,
        leg.tax_code_id,
    ]
