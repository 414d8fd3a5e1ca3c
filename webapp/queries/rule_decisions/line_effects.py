"""What rules would do to lines that are in the books: which match, what each would be, what cannot be and why."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.engine import Decision, Setting
from webapp.ledger.rules.items import RuleItem
from webapp.ledger.rules.line_outcomes import CounterLeg, Skip
from webapp.queries.rule_decisions import candidates
from webapp.queries.rule_decisions.candidates import PastLine, Standing
from webapp.queries.rule_decisions.decisions import NO_CHOICE, AskedRules, Choice, item_of

_IN_JSON = json.JSONEncoder(separators=(",", ":")).encode
NOTHING_MADE: Mapping[EffectKind, Any] = MappingProxyType({})


class LineEffect(NamedTuple):
    """What rules would do to one line; `made` is what makes a difference, `overruled` names who sets a field last.

    `cut_off_by` is the rule that stops the line before the asked one is reached.
    """

    line: PastLine
    standing: Standing
    decision: Decision
    after: CounterLeg | None = None
    applied: Mapping[EffectKind, Setting] = NOTHING_MADE
    skipped: tuple[Skip, ...] = ()
    overruled: Mapping[EffectKind, int] = NOTHING_MADE
    cut_off_by: int | None = None

    @property
    def item_id(self) -> int:
        """The line's id."""
        return self.line.id

    @property
    def opens_marker(self) -> bool:
        """Tell whether what changes is posted."""
        return bool(self.applied) and self.standing.is_posted

    @property
    def facts(self) -> list[Any]:
        """What a digest takes into account."""
        standing = self.standing
        return [self.line.id, standing.is_posted, self.cut_off_by, said(standing.side), said(self.after)]


def effects(
    asked: AskedRules, portions: Iterable[list[PastLine]], only: int | None = None
) -> Iterator[list[LineEffect]]:
    """Ask rules of lines, portion by portion; gives those that any matches, or that the one rule `only` does.

    Of one rule only what it sets itself is an effect: a field that a later rule sets is that one's.
    """
    of = asked_for(asked, only)
    for lines in portions:
        choices = chosen(asked, lines)
        matched = [
            (line, decision)
            for line in lines
            if (decision := _decision(asked, line, only, choices.get(line.id, NO_CHOICE)))
        ]
        if not matched:
            yield []
            continue
        asked.prepare([line.booked_on for line, _ in matched])
        standings = candidates.standings(asked.organization.id, [line for line, _ in matched])
        yield [_effect(asked, line, standings[line.id], decision, of) for line, decision in matched]


def chosen(asked: AskedRules, lines: Sequence[PastLine]) -> Mapping[int, Choice]:
    """Give what people chose for lines, where any rule looks at that: what stands there and no rule has set."""
    if not lines or not asked.asks_for_choices:
        return {}
    organization_id = asked.organization.id
    standings = candidates.standings(organization_id, lines)
    by_rules = candidates.set_by_rules(organization_id, [line.id for line in lines])
    return {
        line_id: Choice(
            *(
                None if (line_id, kind.value) in by_rules else side.raw(kind)
                for kind in (EffectKind.SET_MERCHANT, EffectKind.SET_PROJECT)
            )
        )
        for line_id, standing in standings.items()
        if (side := standing.side) is not None
    }


def _decision(asked: AskedRules, line: PastLine, only: int | None, choice: Choice) -> Decision | None:
    decision = asked.decide(line, line.currency, line.feed_account_id, choice)
    return judged(asked, decision, only, lambda: item_of(line, line.currency, line.feed_account_id, choice))


def judged(
    asked: AskedRules, decision: Decision, only: int | None, item: Callable[[], RuleItem]
) -> Decision | None:
    """Give what rules decided of an item; None where none matches, or not the one rule `only`, reached or not."""
    if only is None or only in decision.matched:
        return decision if decision.matched else None
    if only not in decision.cut_off:
        return None
    rule = next(each for each in asked.ready if each.id == only)
    return decision if rule.conditions.hold(item().values()) else None


Own = tuple[Mapping[EffectKind, Setting], Mapping[EffectKind, int]]


class AskedFor:
    """Whose effects are asked for: one rule's, by its id with what it sets, or those of all."""

    def __init__(self, rule_id: int | None, kinds: Collection[EffectKind]) -> None:
        """Begin with no decision."""
        self.rule_id = rule_id
        self._kinds = kinds
        self._own: dict[tuple[int, ...], Own] = {}

    def own(self, decision: Decision) -> Own:
        """Give what is set by whom it is asked of, and which rules set the other fields of the one rule last.

        It is the same for all items that the same rules match.
        """
        found = self._own.get(decision.matched)
        if found is None:
            found = self._own[decision.matched] = self._of(decision.settings)
        return found

    def _of(self, settings: Mapping[EffectKind, Setting]) -> Own:
        own = {kind: each for kind, each in settings.items() if self.rule_id in (None, each.rule_id)}
        return own, {kind: settings[kind].rule_id for kind in self._kinds if kind not in own}


def _effect(
    asked: AskedRules, line: PastLine, standing: Standing, decision: Decision, of: AskedFor
) -> LineEffect:
    if of.rule_id is not None and of.rule_id not in decision.matched:
        return LineEffect(line, standing, decision, cut_off_by=decision.stopped_by)
    own, overruled = of.own(decision)
    if standing.closed is not None or standing.side is None:
        skips = tuple(Skip(kind, each.rule_id, standing.closed or "") for kind, each in own.items())
        return LineEffect(line, standing, decision, skipped=skips, overruled=overruled)
    outcome = asked.settled(own, standing.side, line.currency, line.booked_on)
    return LineEffect(line, standing, decision, outcome.leg, outcome.applied, outcome.skipped, overruled)


def asked_for(asked: AskedRules, only: int | None) -> AskedFor:
    """Say whose effects are asked for: those of the one rule `only`, or of all."""
    kinds = {effect.kind for rule in asked.ready if rule.id == only for effect in rule.effects}
    return AskedFor(only, kinds)


class Digest:
    """The SHA-256 of everything that a rule would change, and of the rule in its version."""

    def __init__(self, rule_id: int, version: int) -> None:
        """Begin with the rule."""
        self._hash = sha256(f"{rule_id} {version}".encode())

    def add(self, facts: list[Any]) -> None:
        """Take the facts of what would become of an item into account, also where that is nothing."""
        self._hash.update(_IN_JSON(facts).encode())

    @property
    def hex(self) -> str:
        """The digest so far."""
        return self._hash.hexdigest()


def said(side: CounterLeg | None) -> list[Any] | None:
    """Write down what stands opposite a line."""
    if side is None:
        return None
    return [side.account_id, side.currency, side.amount_minor, side.merchant_id, side.project_id]
