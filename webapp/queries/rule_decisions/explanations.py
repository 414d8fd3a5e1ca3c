"""Explanations of why each rule matches one line or document, or does not, condition by condition."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.ledger.rules.conditions import Condition
from webapp.ledger.rules.items import RuleItem
from webapp.queries.rule_decisions import candidates, document_effects, line_effects
from webapp.queries.rule_decisions.candidates import CandidateFilters
from webapp.queries.rule_decisions.decisions import NO_CHOICE, RuleEvaluator, item_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedCondition(Condition):
    """A condition, and whether it holds for the line or document."""

    holds: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a rule matches one line or does not; one that is not reached was cut off by a rule before it."""

    rule_id: int
    name: str
    is_matched: bool
    is_reached: bool
    match: str
    conditions: list[ExplainedCondition]


def explain(evaluator: RuleEvaluator, organization_id: str, filters: CandidateFilters) -> list[Explanation]:
    """Explain each rule, in the order in which they run, for one line or document."""
    filters = CandidateFilters(transaction_id=filters.transaction_id, document_id=filters.document_id)
    if filters.document_id is not None:
        documents = next(document_effects.portions(organization_id, filters), [])
        items = [document_effects.item_of(document) for document in documents]
    else:
        lines = next(candidates.portions(organization_id, filters), [])
        choices = line_effects.line_choices(evaluator, lines)
        items = [
            item_of(line, line.currency, line.feed_account_id, choices.get(line.id, NO_CHOICE))
            for line in lines
        ]
    return [each for item in items for each in _explained(evaluator, item)]


def _explained(evaluator: RuleEvaluator, item: RuleItem) -> list[Explanation]:
    values, decision = item.values(), evaluator.decide_item(item)
    return [
        Explanation(
            rule.id,
            evaluator.names[rule.id][1],
            rule.conditions.hold(values),
            rule.id not in decision.cut_off,
            rule.conditions.match.value,
            [
                ExplainedCondition(
                    each.condition.field, each.condition.operator, each.condition.value, holds=holds
                )
                for each, holds in zip(
                    rule.conditions.conditions, rule.conditions.explain(values), strict=True
                )
            ],
        )
        for rule in evaluator.compiled
    ]
