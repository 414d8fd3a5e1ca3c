"""Rules compiled for matching, and the accounts that their settings are checked against, read once for many items."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.dimensions import MergedMerchants
from webapp.ledger.rules.conditions import Condition, Match
from webapp.ledger.rules.effects import MAX_ID, read_effects
from webapp.ledger.rules.engine import CompiledRule, in_order
from webapp.ledger.rules.line_outcomes import Books
from webapp.ledger.rules.matching import compiled
from webapp.ledger.rules.triggers import Target, target_of
from webapp.models import Organization, Rule
from webapp.queries.accounts import accounts
from webapp.queries.common import merchants
from webapp.queries.common.made_once import made_once


@dataclass(frozen=True, slots=True)
class RuleValues:
    """What a rule says, as it is stored or before it is: then `id` and `version` are those of the rule to replace.

    Without one it goes by an id behind all others.
    """

    conditions: Mapping[str, Any]
    effects: Sequence[Mapping[str, Any]]
    name: str = ""
    target: str = "TRANSACTION"
    trigger: str = "TRANSACTION_INGESTED"
    priority: int = 100
    stop_processing: bool = False
    id: int = MAX_ID
    version: int = 1


AnyRule = Rule | RuleValues


def active(organization_id: str, trigger: str) -> list[RuleValues]:
    """List the active rules that run by themselves on a trigger, in their order."""
    target = target_of(trigger).value
    return [RuleValues(*row) for row in db.session.execute(*_active(organization_id, trigger, target)).all()]


def of_lines(organization_id: str) -> list[RuleValues]:
    """List the active rules that may write on bank lines, by themselves or by hand, in their order."""
    return [RuleValues(*row) for row in db.session.execute(*_of_lines(organization_id)).all()]


@made_once
def _of_lines(organization_id: str) -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(*(getattr(Rule, each.name) for each in fields(RuleValues)))
        .where(
            Rule.organization_id == organization_id,
            Rule.target == Target.TRANSACTION.value,
            Rule.is_active,
        )
        .order_by(Rule.priority, Rule.id)
    )


@made_once
def _active(organization_id: str, trigger: str, target: str) -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(*(getattr(Rule, each.name) for each in fields(RuleValues)))
        .where(
            Rule.organization_id == organization_id,
            Rule.trigger == trigger,
            Rule.target == target,
            Rule.is_active,
        )
        .order_by(Rule.priority, Rule.id)
    )


def compiled_in_order(rules: Iterable[AnyRule], merged: MergedMerchants) -> list[CompiledRule]:
    """Compile rules, in the order in which they run; merged merchants are compared as what they count as."""
    return in_order([_compiled_rule(rule, merged) for rule in rules])


def _compiled_rule(rule: AnyRule, merged: MergedMerchants) -> CompiledRule:
    stored = rule.conditions
    conditions = [Condition.of(each) for each in stored["conditions"]]
    return CompiledRule(
        rule.id,
        rule.version,
        rule.priority,
        rule.stop_processing,
        compiled(Match(stored["match"]), conditions, merged),
        read_effects(rule.effects),
    )


def books(organization: Organization) -> Books:
    """Read the accounts and merchants that settings of rules are checked against."""
    facts = accounts.for_counter_legs(organization.id)
    return Books(organization.base_currency, facts, merchants.merged(organization.id))
