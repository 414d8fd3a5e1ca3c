"""Why each rule matches one line or document, or does not: condition by condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webapp.ledger.rules.conditions import Condition
from webapp.ledger.rules.items import RuleItem
from webapp.queries.rule_decisions import candidates, document_effects, line_effects
from webapp.queries.rule_decisions.candidates import Chosen
from webapp.queries.rule_decisions.decisions import NO_CHOICE, AskedRules, item_of


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a rule matched one line or did not; one that is not reached was cut off by a rule before it."""

    rule_id: int
    name: str
    is_matched: bool
    is_reached: bool
    match: str
    conditions: list[dict[str, Any]]


def explain(asked: AskedRules, organization_id: str, chosen: Chosen) -> list[Explanation]:
    """Tell of each rule, in the order in which they run, why it matches one line or document, or does not."""
    chosen = Chosen(transaction_id=chosen.transaction_id, document_id=chosen.document_id)
    if chosen.document_id is not None:
        documents = next(document_effects.portions(organization_id, chosen), [])
        items = [document_effects.item_of(document) for document in documents]
    else:
        lines = next(candidates.portions(organization_id, chosen), [])
        choices = line_effects.chosen(asked, lines)
        items = [
            item_of(line, line.currency, line.feed_account_id, choices.get(line.id, NO_CHOICE))
            for line in lines
        ]
    return [each for item in items for each in _explained(asked, item)]


def _explained(asked: AskedRules, item: RuleItem) -> list[Explanation]:
    values, decision = item.values(), asked.ask(item)
    return [
        Explanation(
            rule.id,
            asked.names[rule.id][1],
            rule.conditions.hold(values),
            rule.id not in decision.cut_off,
            rule.conditions.match.value,
            [
                _condition(question.condition, holds)
                for question, holds in zip(
                    rule.conditions.conditions, rule.conditions.explain(values), strict=True
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
