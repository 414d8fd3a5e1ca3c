"""Rules made ready to run, and what their settings are checked against, read once for many items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.rules.conditions import Condition, Field, Match, Operator
from webapp.ledger.rules.effects import MAX_ID, read_effects
from webapp.ledger.rules.engine import CompiledRule, in_order
from webapp.ledger.rules.line_outcomes import AccountFacts, Books
from webapp.ledger.rules.matching import compiled
from webapp.models import Account, Organization, Rule
from webapp.queries.accounts import accounts


@dataclass(frozen=True, slots=True)
class UnsavedRule:
    """A rule as somebody says it before it is stored; `id` and `version` are those of the rule that it is to replace.

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


SaidRule = Rule | UnsavedRule


def active(organization_id: str, trigger: str) -> list[Rule]:
    """List the active rules that run by themselves on a trigger, in their order."""
    return list(
        db.session.scalars(
            sa.select(Rule)
            .where(Rule.organization_id == organization_id, Rule.trigger == trigger, Rule.is_active)
            .order_by(Rule.priority, Rule.id)
        )
    )


def made_ready(rules: Iterable[SaidRule]) -> list[CompiledRule]:
    """Make rules ready to be asked, in the order in which they run."""
    return in_order([one_ready(rule) for rule in rules])


def one_ready(rule: SaidRule) -> CompiledRule:
    """Make a rule ready to be asked."""
    said = rule.conditions
    conditions = [
        Condition(Field(each["field"]), Operator(each["operator"]), each["value"])
        for each in said["conditions"]
    ]
    return CompiledRule(
        rule.id,
        rule.version,
        rule.priority,
        rule.stop_processing,
        compiled(Match(said["match"]), conditions),
        read_effects(rule.effects),
    )


def books(organization: Organization) -> Books:
    """Read what the settings of rules are checked against."""
    closed = accounts.closed_to_counter_legs(organization.id)
    rows = db.session.execute(
        sa.select(Account.id, Account.name, Account.currency).where(
            Account.organization_id == organization.id
        )
    )
    facts = {row.id: AccountFacts(row.name, closed.get(row.id), row.currency) for row in rows}
    return Books(organization.base_currency, facts)
