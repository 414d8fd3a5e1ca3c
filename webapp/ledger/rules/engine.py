"""The rule engine: which rules match an item, what they set, and which were cut off by stopProcessing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from webapp.ledger.rules.conditions import Field
from webapp.ledger.rules.effects import Effect, EffectKind
from webapp.ledger.rules.items import RuleItem
from webapp.ledger.rules.matching import CompiledConditions, Values


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


def decide(rules: Sequence[CompiledRule], item: RuleItem) -> Decision:
    """Evaluate rules, in their order, for an item; of effects of one kind the last wins.

    >>> from webapp.ledger.rules.conditions import Condition, Match
    >>> from webapp.ledger.rules.matching import compiled
    >>> def rule(number, text, account, stops=False):
    ...     conditions = compiled(Match.ALL, [Condition(value=text)])
    ...     return CompiledRule(number, 1, 100, stops, conditions, (Effect(EffectKind.SET_ACCOUNT, 0, account),))
    >>> rules = [rule(1, "rent", 61), rule(2, "march", 62, stops=True), rule(3, "rent", 63)]
    >>> decision = decide(rules, RuleItem(description="Rent March"))
    >>> decision.matched, decision.stopped_by, decision.cut_off
    ((1, 2), 2, (3,))
    >>> decision.settings[EffectKind.SET_ACCOUNT]
    Setting(value=62, rule_id=2, rule_version=1)
    """
    return RuleSet(rules).decide(item)


class RuleSet:
    """Rules for many items: the text that a rule requires is searched for before its conditions are evaluated.

    So a rule that has nothing to do with an item costs one search in its text.
    """

    def __init__(self, rules: Sequence[CompiledRule]) -> None:
        """Take rules in the order in which they run."""
        self.rules = rules
        self._needs = [(rule.conditions.needs, place) for place, rule in enumerate(rules)]
        self._settings = [
            {effect.kind: Setting(effect.value, rule.id, rule.version) for effect in rule.effects}
            for rule in rules
        ]
        # Whether each rule requires some text, so that a search in an item's text is worth it.
        self.is_selective = all(needs for needs, _ in self._needs)
        self._needs_text = any(needs for needs, _ in self._needs)
        self._decisions: dict[tuple[int, ...], Decision] = {(): NOTHING}

    def possible(self, text: str) -> list[int]:
        """Give the places of the rules that may match an item of which this is all text, as ANY_TEXT compares it."""
        return [place for needs, place in self._needs if needs in text]

    def decide(self, item: RuleItem) -> Decision:
        """Decide about an item; of effects of one kind the last wins."""
        values = item.values()
        text = str(values[Field.ANY_TEXT] or "") if self._needs_text else ""
        return self.decided(self.possible(text), values)

    def decided(self, places: Sequence[int], values: Values) -> Decision:
        """Decide about an item of these values, evaluating the rules at `places` alone."""
        matched: list[int] = []
        for place in places:
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
