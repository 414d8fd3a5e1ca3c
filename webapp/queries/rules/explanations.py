"""Explanations of why each rule matches one line or document, or does not, condition by condition."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.ledger.rules.conditions import Condition
from webapp.ledger.rules.items import Values, document_values
from webapp.queries.rules import candidates, document_effects, line_effects
from webapp.queries.rules.candidates import CandidateFilters
from webapp.queries.rules.decisions import RuleEvaluator


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
        items = [document_values(document) for document in documents]
    else:
        lines = next(candidates.portions(organization_id, filters), [])
        items = line_effects.values_of(evaluator, lines)
    return [each for values in items for each in _explained(evaluator, values)]


def _explained(evaluator: RuleEvaluator, values: Values) -> list[Explanation]:
    decision = evaluator.decide(values)
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
