"""The rule engine: the order of rules, which of them match an item, what they set, and what stopProcessing cuts off."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from webapp.ledger.rules.effects import Effect, EffectKind
from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.items import Values
from webapp.ledger.rules.matching import CompiledConditions

# Priorities that are numbered anew stand this far apart.
STEP: Final = 10
LARGEST: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule compiled for matching; `effects` are in the order in which they apply."""

    id: int
    version: int
    priority: int
    stops: bool
    conditions: CompiledConditions
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """What is set in the end, and by which rule in which version."""

    value: str | int
    rule_id: int
    rule_version: int


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about an item: what is set of each kind, the rules that matched, and those that were cut off.

    `cut_off` are the rules that a `stopProcessing` before them kept from being evaluated; `stopped_by` names it.
    """

    settings: Mapping[EffectKind, Setting] = field(default_factory=dict)
    matched: tuple[int, ...] = ()
    stopped_by: int | None = None
    cut_off: tuple[int, ...] = ()


NOTHING = Decision()


def in_order(rules: Sequence[CompiledRule]) -> list[CompiledRule]:
    """Put rules in the order in which they run: lower priority first, then id."""
    return sorted(rules, key=lambda rule: (rule.priority, rule.id))


class RuleSet:
    """Rules for many items: the text that a rule requires is searched for before its conditions are evaluated.

    So a rule that has nothing to do with an item costs one search in its text.

    >>> from webapp.ledger.rules.conditions import Condition, Match
    >>> from webapp.ledger.rules.matching import compiled
    >>> def rule(number, text, account, stops=False):
    ...     conditions = compiled(Match.ALL, [Condition(value=text)])
    ...     return CompiledRule(number, 1, 100, stops, conditions, (Effect(EffectKind.SET_ACCOUNT, 0, account),))
    >>> rules = [rule(1, "rent", 61), rule(2, "march", 62, stops=True), rule(3, "rent", 63)]
    >>> decision = RuleSet(rules).decide({Field.ANY_TEXT: "rent march"})
    >>> decision.matched, decision.stopped_by, decision.cut_off
    ((1, 2), 2, (3,))
    >>> decision.settings[EffectKind.SET_ACCOUNT]
    Setting(value=62, rule_id=2, rule_version=1)
    """

    def __init__(self, rules: Sequence[CompiledRule]) -> None:
        self.rules = rules
        self._needs = [(rule.conditions.needs, place) for place, rule in enumerate(rules)]
        self._settings = [
            {effect.kind: Setting(effect.value, rule.id, rule.version) for effect in rule.effects}
            for rule in rules
        ]
        self._needs_text = any(needs for needs, _ in self._needs)
        self._decisions: dict[tuple[int, ...], Decision] = {(): NOTHING}

    def decide(self, values: Values) -> Decision:
        """Decide about an item of these values; of effects of one kind the last wins."""
        text = str(values[Field.ANY_TEXT] or "") if self._needs_text else ""
        matched: list[int] = []
        for place in [place for needs, place in self._needs if needs in text]:
            rule = self.rules[place]
            if rule.conditions.hold(values):
                matched.append(place)
                if rule.stops:
                    break
        return self._decision(tuple(matched))

    def _decision(self, places: tuple[int, ...]) -> Decision:
        """Return what the rules at these places decide together; the last one may stop the others.

        All items that the same rules match share one decision.
        """
        found = self._decisions.get(places)
        if found is None:
            rules = [self.rules[place] for place in places]
            settings = {kind: each for place in places for kind, each in self._settings[place].items()}
            stops = rules[-1].stops
            cut_off = tuple(each.id for each in self.rules[places[-1] + 1 :]) if stops else ()
            matched = tuple(rule.id for rule in rules)
            found = Decision(settings, matched, rules[-1].id if stops else None, cut_off)
            self._decisions[places] = found
        return found


class Place(NamedTuple):
    """A rule's place among others: lower priority first, then id."""

    priority: int
    id: int


def moved(places: Sequence[Place], rule_id: int, before_id: int | None) -> dict[int, int]:
    """Return the new priorities, by rule, that make a rule run directly before another one, or last.

    `places` are in the order in which the rules run. Where there is room between the neighbours only the
    moved rule changes, else all are numbered anew.

    >>> places = [Place(10, 1), Place(20, 2), Place(40, 3)]
    >>> moved(places, 1, 3), moved(places, 3, None)
    ({1: 30}, {})
    >>> moved([Place(100, 1), Place(100, 2), Place(100, 3)], 3, 2)
    {1: 10, 3: 20, 2: 30}
    """
    rest = [place for place in places if place.id != rule_id]
    at = next((index for index, place in enumerate(rest) if place.id == before_id), len(rest))
    new_order = [place.id for place in rest]
    new_order.insert(at, rule_id)
    if new_order == [place.id for place in places]:
        return {}
    low = rest[at - 1].priority if at else None
    high = rest[at].priority if at < len(rest) else None
    between = _between(low, high)
    if between is not None:
        return {rule_id: between}
    old = {place.id: place.priority for place in places}
    new = {each: STEP * number for number, each in enumerate(new_order, 1)}
    return {each: priority for each, priority in new.items() if old[each] != priority}


def _between(low: int | None, high: int | None) -> int | None:
    """Return a priority between two others, or a step outside of them; None where there is no whole number.

    >>> _between(None, 10), _between(100, None), _between(10, 20), _between(10, 11)
    (5, 110, 15, None)
    """
    if low is None:
        return None if high is None or high < 1 else high // 2
    if high is None:
        return low + STEP if low + STEP <= LARGEST else None
    return (low + high) // 2 if high - low > 1 else None
