"""The reasons for a line's fields: the rules that set them, by which conditions, and why the others did not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp.ledger.rules.conditions import Condition
from webapp.ledger.rules.items import Values, document_values
from webapp.models import RuleVersion, Transaction
from webapp.queries.access import organizations
from webapp.queries.rules import candidates, compiled_rules, document_effects, line_effects, rules, runs
from webapp.queries.rules import names as rule_names
from webapp.queries.rules.candidates import CandidateFilters
from webapp.queries.rules.compiled_rules import RuleValues
from webapp.queries.rules.decisions import RuleEvaluator
from webapp.queries.rules.names import Names
from webapp.queries.rules.runs import Provenance

MOST_RULES = 50


@dataclass(frozen=True, slots=True)
class SetField:
    """A field that a rule set: by which rule in which run, and that version's conditions explained for the line now.

    `explained` is None where the version was not kept; `exists` tells whether the rule still does.
    """

    provenance: Provenance
    value: str
    before: str | None
    explained: Explanation | None
    exists: bool


@dataclass(frozen=True, slots=True)
class LineReasons:
    """The rules that set fields of one line; `others` are the active rules that set nothing of it, in their order.

    `closed` is the reason why no rule sets anything of it, where none does; `more` counts the rules that are left out.
    """

    set_fields: list[SetField]
    others: list[Explanation]
    more: int
    names: Names
    closed: str | None


def reasons(transaction: Transaction) -> LineReasons:
    """Explain the fields of a line that rules set, and why each other active rule did not match."""
    organization_id = transaction.organization_id
    found = runs.provenance(organization_id, transaction.id)
    versions = rules.versions_by_key(organization_id, {(each.rule_id, each.rule_version) for each in found})
    active = compiled_rules.active(organization_id, "TRANSACTION_INGESTED")
    evaluator = RuleEvaluator(organizations.get(organization_id), active)
    explained = explain(evaluator, organization_id, CandidateFilters(transaction_id=transaction.id))
    setting = {each.rule_id for each in found}
    others = [each for each in explained if each.rule_id not in setting]
    names = {
        **rule_names.of_rules(organization_id, [*versions.values(), *active]),
        **rule_names.of_ids(organization_id, _set_ids(found)),
    }
    then = {key: _explained_then(transaction, version) for key, version in versions.items()}
    return LineReasons(
        set_fields=[_set_field(each, names, then, organization_id) for each in found],
        others=others[:MOST_RULES],
        more=max(0, len(others) - MOST_RULES),
        names=names,
        closed=_closed(transaction),
    )


def _explained_then(transaction: Transaction, version: RuleVersion) -> Explanation | None:
    """Explain a version of a rule for a line."""
    rule = RuleValues(
        conditions=version.conditions,
        effects=version.effects,
        name=version.name,
        id=version.rule_id,
        version=version.version,
    )
    evaluator = RuleEvaluator(organizations.get(transaction.organization_id), [rule])
    return next(
        iter(
            explain(evaluator, transaction.organization_id, CandidateFilters(transaction_id=transaction.id))
        ),
        None,
    )


def _set_field(
    found: Provenance,
    names: Names,
    then: Mapping[tuple[int, int], Explanation | None],
    organization_id: str,
) -> SetField:
    def name(text: str) -> str:
        return names.get((found.field, int(text)), text) if found.field != "currency" else text

    return SetField(
        provenance=found,
        value=name(found.value),
        before=None if found.before is None else name(found.before),
        explained=then.get((found.rule_id, found.rule_version)),
        exists=rules.find(organization_id, found.rule_id) is not None,
    )


def _set_ids(found: list[Provenance]) -> list[tuple[str, int]]:
    return [
        (each.field, int(text))
        for each in found
        if each.field != "currency"
        for text in (each.value, each.before)
        if text is not None
    ]


def _closed(transaction: Transaction) -> str | None:
    filters = CandidateFilters(transaction_id=transaction.id)
    for lines in candidates.portions(transaction.organization_id, filters):
        states = candidates.line_states(transaction.organization_id, lines)
        return states[transaction.id].closed
    return None


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
