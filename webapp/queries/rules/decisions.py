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
from webapp.queries.tax.codes import LineCodes


class RuleEvaluator:
    """Rules compiled once for any number of lines of an organization."""

    def __init__(self, organization: Organization, rules: Sequence[AnyRule]) -> None:
        self.organization = organization
        self.names = {rule.id: (rule.version, rule.name) for rule in rules}
        self.books = compiled_rules.books(organization) if rules else Books(organization.base_currency, {})
        self._set = RuleSet(compiled_rules.compiled_in_order(rules, self.books.merged))
        self._currencies = {str(each) for each in self._values(EffectKind.SET_CURRENCY)}
        self._code_ids = self._settable_codes()
        self.codes = LineCodes(organization, self.books.accounts)
        self._rates: dict[str, RateTable] = {}
        self._unfit: dict[tuple[int, int, str, date | None], str | None] = {}

    @property
    def compiled(self) -> Sequence[CompiledRule]:
        """The rules in the order in which they run."""
        return self._set.rules

    def prepare(self, days: Sequence[date]) -> None:
        """Read the rates of the currencies that the rules set, for lines of these days, and their tax codes."""
        self.codes.read(self._code_ids)
        if days and self._currencies:
            first, last, base = min(days), max(days), self.organization.base_currency
            self._rates = {
                code: rate_tables.between(self.organization.id, code, base, first, last)
                for code in self._currencies
            }

    def _values(self, kind: EffectKind) -> set[str | int]:
        """Return the values that the rules set of a kind."""
        return {effect.value for rule in self.compiled for effect in rule.effects if effect.kind is kind}

    def _settable_codes(self) -> set[int]:
        """Return the tax codes that the rules set, also by an account that has one for its lines."""
        accounts = [self.books.accounts.get(int(each)) for each in self._values(EffectKind.SET_ACCOUNT)]
        of_accounts = {each.tax_code_id for each in accounts if each is not None and each.tax_code_id}
        return of_accounts | {int(each) for each in self._values(EffectKind.SET_TAX_CODE)}

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
        settings = self._with_code_of_account(settings, leg, line, day)
        outcome = apply(settings, leg, line, self.books, lambda code: self._rate(code, day))
        if outcome.leg.tax_code_id is not None and outcome.applied:
            outcome = self._with_fitting_code(outcome, leg, line, day)
        if settling is None:
            return outcome
        reason = named if isinstance(named, str) else NAMES_NOTHING
        skip = Skip(EffectKind.SETTLE_BY_REFERENCE, settling.rule_id, reason)
        return outcome._replace(skipped=(*outcome.skipped, skip))

    def _with_code_of_account(
        self, settings: Mapping[EffectKind, Setting], leg: CounterLeg, line: Money, day: date
    ) -> Mapping[EffectKind, Setting]:
        """Add the tax code of the account that a rule puts a line on, where no rule says a code and it fits."""
        account = settings.get(EffectKind.SET_ACCOUNT)
        if account is None or EffectKind.SET_TAX_CODE in settings or leg.account_id == account.value:
            return settings
        facts = self.books.accounts.get(int(account.value))
        if facts is None or facts.tax_code_id is None:
            return settings
        if self._code_problem(int(account.value), facts.tax_code_id, line.currency, day) is not None:
            return settings
        code = Setting(facts.tax_code_id, account.rule_id, account.rule_version)
        return {**settings, EffectKind.SET_TAX_CODE: code}

    def _with_fitting_code(self, outcome: Outcome, present: CounterLeg, line: Money, day: date) -> Outcome:
        """Leave a tax code out that does not fit; where the line had it already, all stays as it is."""
        leg = outcome.leg
        if leg.currency != line.currency:
            problem: str | None = (
                f"A tax code is for a line in {line.currency}, and this would be in {leg.currency}."
            )
        else:
            problem = self._code_problem(leg.account_id, leg.tax_code_id or 0, leg.currency, day)
        if problem is None:
            return outcome
        applied = dict(outcome.applied)
        own = applied.pop(EffectKind.SET_TAX_CODE, None)
        if own is not None and present.tax_code_id is None:
            skip = Skip(EffectKind.SET_TAX_CODE, own.rule_id, problem)
            return Outcome(leg._replace(tax_code_id=None), applied, (*outcome.skipped, skip))
        skips = [Skip(kind, each.rule_id, problem) for kind, each in outcome.applied.items()]
        return Outcome(present, {}, (*outcome.skipped, *skips))

    def _code_problem(self, account_id: int, code_id: int, currency: str, day: date) -> str | None:
        """Return the reason why a leg cannot have a tax code on a day, found once for all lines alike."""
        key = account_id, code_id, currency, None if self.codes.is_any_day(code_id, currency, day) else day
        if key not in self._unfit:
            self._unfit[key] = self.codes.unfit(code_id, self.books.accounts[account_id], currency, day)
        return self._unfit[key]

    def _rate(self, code: str, day: date) -> Decimal | None:
        return self._rates[code].on(day) if code in self._rates else None
