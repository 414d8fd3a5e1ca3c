"""What a rule, stored or not, would do to the past, field by field; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from webapp.ledger.conditions import Condition
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.ledger.rule_outcomes import Side
from webapp.models import Rule
from webapp.queries import organizations, past_lines, ready_rules, rule_effects
from webapp.queries.asked_rules import AskedRules, item_of
from webapp.queries.past_lines import Chosen
from webapp.queries.ready_rules import SaidRule
from webapp.queries.rule_effects import Digest, LineEffect


class NotOfLinesError(LedgerError):
    """This rule looks at receipts, and this tries rules on bank lines; change its target to TRANSACTION first."""

    code = "not_of_lines"


@dataclass(frozen=True, slots=True)
class SideRecord:
    """What stands opposite a line; the amount is the part of the line that it answers, with the line's sign."""

    account_id: int
    org_merchant_id: int | None
    project_id: int | None
    amount: Money
    currency: str


@dataclass(frozen=True, slots=True)
class EffectRecord:
    """One line that a rule matches, before and after; `before` is None where it has more than one leg opposite."""

    transaction_id: int
    fa_id: int
    booked_on: date
    amount: Money
    currency: str
    description: str
    is_changed: bool
    opens_marker: bool
    before: SideRecord | None
    after: SideRecord | None
    also_fires: list[int]
    cut_off_by: int | None
    overruled: list[dict[str, Any]]
    skipped: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a rule matched one line or did not; one that is not reached was cut off by a rule before it."""

    rule_id: int
    name: str
    is_matched: bool
    is_reached: bool
    match: str
    conditions: list[dict[str, Any]]


@dataclass(slots=True)
class Preview:
    """How many lines a rule matches, what becomes of them, some of them one by one, and the digest of it all.

    `changed` counts drafts and posted entries; of the latter `markers` get a correction marker.
    """

    matched: int = 0
    changed: int = 0
    markers: int = 0
    unchanged: int = 0
    skipped: int = 0
    cut_off: int = 0
    digest: str = ""
    rules: list[dict[str, Any]] = field(default_factory=list)
    items: list[EffectRecord] = field(default_factory=list)
    explained: list[Explanation] | None = None
    next_key: tuple[int] | None = None

    def count(self, effect: LineEffect) -> None:
        """Count what becomes of one line that the rule matches."""
        self.matched += 1
        if effect.cut_off_by is not None:
            self.cut_off += 1
        elif effect.made:
            self.changed += 1
            self.markers += effect.standing.is_posted
        elif effect.skipped:
            self.skipped += 1
        else:
            self.unchanged += 1


def asked_with(organization_id: str, rule: SaidRule) -> AskedRules:
    """Make a rule ready among the active rules that new lines are asked; raises NotOfLinesError."""
    if rule.target != "TRANSACTION":
        raise NotOfLinesError
    others = ready_rules.active(organization_id, "TRANSACTION_INGESTED")
    rules: Sequence[SaidRule] = [rule, *(each for each in others if each.id != rule.id)]
    return AskedRules(organizations.get(organization_id), rules)


class _Shown:
    """The lines of a preview that are shown one by one: a page of them by id, or those first that would change."""

    def __init__(self, after: tuple[Any, ...] | None, limit: int, *, changes_first: bool) -> None:
        self.next_key: tuple[int] | None = None
        self._first, self._limit, self._is_sorted = after[0] if after else 0, limit, changes_first
        self._changing: list[LineEffect] = []
        self._others: list[LineEffect] = []

    def take(self, effect: LineEffect) -> None:
        """Keep a line as far as there is room for it."""
        shown = self._changing if self._is_sorted and effect.made else self._others
        if effect.line.id <= self._first or self.next_key is not None:
            return
        if len(shown) < self._limit:
            shown.append(effect)
        elif not self._is_sorted:
            self.next_key = (shown[-1].line.id,)

    @property
    def effects(self) -> list[LineEffect]:
        """The lines that are shown."""
        return [*self._changing, *self._others][: self._limit]


def preview(
    organization_id: str,
    rule: SaidRule,
    chosen: Chosen,
    *,
    after: tuple[Any, ...] | None,
    limit: int,
    changes_first: bool = False,
) -> Preview:
    """Tell what a rule would do to lines that are in the books; the counts and the digest are of all of them.

    The lines of the page come by id, from behind the key `after`; with `changes_first` there is one page.
    """
    asked = asked_with(organization_id, rule)
    found, digest = Preview(), Digest(rule.id, rule.version)
    shown = _Shown(after, limit, changes_first=changes_first)
    for effects in rule_effects.effects(asked, past_lines.portions(organization_id, chosen), rule.id):
        for effect in effects:
            digest.add(effect)
            found.count(effect)
            shown.take(effect)
    found.items = [_record(effect, rule.id) for effect in shown.effects]
    found.next_key = shown.next_key
    fired = {rule_id for effect in shown.effects for rule_id in _named(effect)}
    found.digest = digest.hex
    found.rules = [
        {"id": rule_id, "name": name}
        for rule_id, (_, name) in asked.names.items()
        if rule_id in fired - {rule.id}
    ]
    if chosen.transaction_id is not None:
        found.explained = explain(asked, organization_id, chosen.transaction_id)
    return found


def explain(asked: AskedRules, organization_id: str, transaction_id: int) -> list[Explanation]:
    """Tell of each rule, in the order in which they run, why it matches one line or does not."""
    lines = next(past_lines.portions(organization_id, Chosen(transaction_id=transaction_id)), [])
    return [each for line in lines for each in _explained(asked, line)]


def _explained(asked: AskedRules, line: past_lines.PastLine) -> list[Explanation]:
    values = item_of(line, line.currency, line.feed_account_id).values()
    decision = asked.decide(line, line.currency, line.feed_account_id)
    return [
        Explanation(
            rule.id,
            asked.names[rule.id][1],
            rule.questions.hold(values),
            rule.id not in decision.cut_off,
            rule.questions.match.value,
            [
                _condition(question.condition, holds)
                for question, holds in zip(
                    rule.questions.questions, rule.questions.explain(values), strict=True
                )
            ],
        )
        for rule in asked.ready
    ]


def _condition(condition: Condition, holds: bool) -> dict[str, Any]:  # noqa: FBT001
    return {
        "field": condition.field.value,
        "operator": condition.operator.value,
        "value": condition.value,
        "holds": holds,
    }


def _record(effect: LineEffect, rule_id: int) -> EffectRecord:
    line, standing = effect.line, effect.standing
    return EffectRecord(
        transaction_id=line.id,
        fa_id=line.feed_account_id,
        booked_on=line.booked_on,
        amount=Money(line.amount_minor, line.currency),
        currency=line.currency,
        description=line.description,
        is_changed=bool(effect.made),
        opens_marker=bool(effect.made) and standing.is_posted,
        before=_side(standing.side),
        after=_side(effect.after if effect.after is not None else standing.side),
        also_fires=[each for each in effect.decision.matched if each != rule_id],
        cut_off_by=effect.cut_off_by,
        overruled=[{"kind": kind.value, "rule_id": by} for kind, by in effect.overruled.items()],
        skipped=[{"kind": skip.kind.value, "reason": skip.reason} for skip in effect.skipped],
    )


def _side(side: Side | None) -> SideRecord | None:
    if side is None:
        return None
    amount = Money(-side.amount_minor, side.currency)
    return SideRecord(side.account_id, side.merchant_id, side.project_id, amount, side.currency)


def _named(effect: LineEffect) -> set[int]:
    return {*effect.decision.matched, *effect.overruled.values(), *filter(None, [effect.cut_off_by])}


def of_rule(rule: Rule, chosen: Chosen, *, after: tuple[Any, ...] | None, limit: int) -> Preview:
    """Tell what a stored rule would do to lines that are in the books."""
    return preview(rule.organization_id, rule, chosen, after=after, limit=limit)


def unsaved(organization_id: str, said: Mapping[str, Any], replaces: Rule | None = None) -> SaidRule:
    """Take a rule as somebody says it, in the place of a stored one if it is to replace that."""
    names = ("conditions", "effects", "name", "target", "trigger", "priority", "stop_processing")
    facts = {name: said[name] for name in names}
    if replaces is None:
        return ready_rules.UnsavedRule(**facts)
    if replaces.organization_id != organization_id:
        raise ValueError(replaces.organization_id)
    return ready_rules.UnsavedRule(**facts, id=replaces.id, version=replaces.version + 1)
