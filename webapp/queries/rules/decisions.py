"""Evaluating an organization's rules for bank lines: their decisions, and the counter leg that these make."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from webapp.ledger.money import Money
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.engine import CompiledRule, Decision, RuleSet, Setting
from webapp.ledger.rules.items import Values
from webapp.ledger.rules.line_outcomes import (
    NAMES_NOTHING,
    Books,
    CounterLeg,
    NamedItem,
    Outcome,
    Skip,
    apply,
    pay,
)
from webapp.ledger.rules.matching import needs_choices
from webapp.models import Organization
from webapp.queries.currencies import rate_tables
from webapp.queries.currencies.rate_tables import RateTable
from webapp.queries.rules import compiled_rules
from webapp.queries.rules.compiled_rules import AnyRule


class RuleEvaluator:
    """Rules compiled once for any number of lines of an organization."""

    def __init__(self, organization: Organization, rules: Sequence[AnyRule]) -> None:
        self.organization = organization
        self.names = {rule.id: (rule.version, rule.name) for rule in rules}
        self.books = compiled_rules.books(organization) if rules else Books(organization.base_currency, {})
        self._set = RuleSet(compiled_rules.compiled_in_order(rules, self.books.merged))
        self._codes = _currencies(self.compiled)
        self._rates: dict[str, RateTable] = {}

    @property
    def compiled(self) -> Sequence[CompiledRule]:
        """The rules in the order in which they run."""
        return self._set.rules

    def prepare(self, days: Sequence[date]) -> None:
        """Read the rates of the currencies that the rules set, for lines of these days."""
        if days and self._codes:
            first, last, base = min(days), max(days), self.organization.base_currency
            self._rates = {
                code: rate_tables.between(self.organization.id, code, base, first, last)
                for code in self._codes
            }

    @property
    def needs_choices(self) -> bool:
        """Return whether any rule has a condition on what a person chose for a line."""
        return any(needs_choices(rule.conditions.conditions) for rule in self.compiled)

    def decide(self, values: Values) -> Decision:
        """Decide about a line or a document of these values."""
        return self._set.decide(values)

    def apply(
        self,
        settings: Mapping[EffectKind, Setting],
        leg: CounterLeg,
        line: Money,
        day: date,
        named: NamedItem | str | None = None,
    ) -> Outcome:
        """Apply the rules' settings to the counter leg of a line of a day.

        `named` is the item that the line pays where a rule settles by reference, or why it pays none.
        """
        settling = settings.get(EffectKind.SETTLE_BY_REFERENCE)
        if settling is not None and isinstance(named, NamedItem):
            return pay(settings, leg, named, self.books)
        outcome = apply(settings, leg, line, self.books, lambda code: self._rate(code, day))
        if settling is None:
            return outcome
        reason = named if isinstance(named, str) else NAMES_NOTHING
        skip = Skip(EffectKind.SETTLE_BY_REFERENCE, settling.rule_id, reason)
        return outcome._replace(skipped=(*outcome.skipped, skip))

    def _rate(self, code: str, day: date) -> Decimal | None:
        return self._rates[code].on(day) if code in self._rates else None


def _currencies(rules: Sequence[CompiledRule]) -> set[str]:
    return {
        str(effect.value)
        for rule in rules
        for effect in rule.effects
        if effect.kind is EffectKind.SET_CURRENCY
    }
