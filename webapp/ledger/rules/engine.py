"""The rule engine: which rules match an item, what they set, and which were cut off by stopProcessing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from webapp.ledger.rules.effects import Effect, EffectKind
from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.items import Values
from webapp.ledger.rules.matching import CompiledConditions


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
        """Take rules in the order in which they run."""
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
        """Give what the rules at these places decide together, of which the last one may stop the others.

        It is the same decision for all items that the same rules match.
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
