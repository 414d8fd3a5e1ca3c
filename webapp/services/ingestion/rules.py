"""Rules applied to bank lines on their way into the books: what they choose is staged beside the lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from webapp.ledger.matching.lines import BankLine
from webapp.ledger.money import Money
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.engine import Setting
from webapp.ledger.rules.items import RuleLine
from webapp.ledger.rules.line_outcomes import CounterLeg, Outcome, Skip
from webapp.ledger.tax.amounts import whole_legs
from webapp.models import Organization
from webapp.queries.accounts import accounts
from webapp.queries.rules import compiled_rules
from webapp.queries.rules.compiled_rules import AnyRule
from webapp.queries.rules.decisions import RuleEvaluator
from webapp.services.ingestion.staging import StagedChoice, StagedLeg


class Tally:
    """What rules did in one run, counted: lines that each matched, lines changed, and settings that could not be."""

    def __init__(self) -> None:
        self.matches: Counter[int] = Counter()
        self.skips: Counter[Skip] = Counter()
        self.matched = self.changed = 0

    def count(
        self, matched: Collection[int], made: Mapping[EffectKind, Setting], skipped: Collection[Skip]
    ) -> None:
        """Count the matches, settings and skips of one line."""
        if matched:
            self.matched += 1
            self.matches.update(matched)
            self.changed += bool(made)
            self.skips.update(skipped)

    def rules_as_json(self, names: dict[int, tuple[int, str]]) -> list[dict[str, object]]:
        """Return as JSON how often each rule matched; `names` are the version and name of each."""
        return [
            {"id": rule_id, "version": names[rule_id][0], "name": names[rule_id][1], "matched": lines}
            for rule_id, lines in self.matches.items()
        ]

    def skips_as_json(self) -> list[dict[str, object]]:
        """Return as JSON the settings that were skipped, why, and on how many lines."""
        return [
            {"ruleId": skip.rule_id, "kind": skip.kind.value, "reason": skip.reason, "lines": lines}
            for skip, lines in self.skips.items()
        ]


class LineRules(RuleEvaluator):
    """The active rules of a trigger in one run, with their choices for lines and the counts."""

    def __init__(self, organization: Organization, rules: Sequence[AnyRule]) -> None:
        super().__init__(organization, rules)
        self.tally = Tally()
        self.choices: dict[StagedChoice, int] = {}
        self.legs: list[StagedLeg] = []
        # The numbers of staged lines about which rules decide once they are stored.
        self.waiting: list[int] = []
        self.run_id: int | None = None

    def staged(self) -> Iterator[StagedChoice]:
        """Give the choices, each with its number."""
        for choice, number in self.choices.items():
            yield choice._replace(number=number)

    def for_account(
        self, currency: str, feed_account_id: int | None, days: Sequence[date]
    ) -> AccountRules | None:
        """Prepare the rules for new lines of an account on these days; None where there is no rule."""
        if not self.compiled:
            return None
        self.prepare(days)
        return AccountRules(self, currency, feed_account_id)


@dataclass(slots=True)
class AccountRules:
    """Rules that choose for the new booked lines of one account, one after the other."""

    rules: LineRules
    currency: str
    feed_account_id: int | None
    _uncategorised: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        self._uncategorised = accounts.uncategorised_ids(self.rules.organization.id)

    def choose(self, number: int, line: BankLine, base_minor: int | None) -> int | None:
        """Give the number of what the rules choose for a staged line, and keep its legs where they decide amounts.

        `number` is that of the line, and `base_minor` its amount in the base currency.
        A line waits with all its settings until it is stored where it settles by reference, or is in another currency
        and may get a tax code.
        """
        decision = self.rules.decide(RuleLine(line, self.currency, self.feed_account_id).values())
        if not decision.matched:
            return None
        # Other lines may want the same item, and taxes have rates of their own.
        if EffectKind.SETTLE_BY_REFERENCE in decision.settings or self._has_foreign_code(decision.settings):
            self.rules.tally.count(decision.matched, {}, ())
            self.rules.waiting.append(number)
            return None
        side = CounterLeg(
            self._uncategorised[0 if line.amount_minor > 0 else 1],
            self.currency,
            -line.amount_minor,
            None if base_minor is None else -base_minor,
        )
        amount = Money(line.amount_minor, self.currency)
        outcome = self.rules.apply(decision.settings, side, amount, line.booked_on)
        self.rules.tally.count(decision.matched, outcome.applied, outcome.skipped)
        if not outcome.applied:
            return None
        self._keep_legs(number, outcome.leg)
        choice = _choice(outcome, self.currency)
        return self.rules.choices.setdefault(choice, len(self.rules.choices))

    def _has_foreign_code(self, settings: Mapping[EffectKind, Setting]) -> bool:
        """Return whether rules choose a tax code, or an account that has one, for a line in another currency."""
        if self.currency == self.rules.books.base_currency:
            return False
        account = settings.get(EffectKind.SET_ACCOUNT)
        facts = self.rules.books.accounts.get(int(account.value)) if account else None
        return EffectKind.SET_TAX_CODE in settings or (facts is not None and facts.tax_code_id is not None)

    def _keep_legs(self, number: int, counter: CounterLeg) -> None:
        """Keep the counter leg of a line with those of its tax, or where it has a currency of its own."""
        legs, codes = self.rules.legs, self.rules.codes
        if counter.tax_code_id is not None:
            base, taxes = whole_legs(codes.rules[counter.tax_code_id], counter.amount_minor)
            legs.append(StagedLeg(number, 1, None, base.amount_minor, base.boxes or None))
            for position, (role, amount_minor, boxes) in enumerate(taxes, 2):
                legs.append(StagedLeg(number, position, codes.accounts[role], amount_minor, boxes or None))
        elif counter.currency != self.currency:
            legs.append(StagedLeg(number, 1, None, counter.amount_minor))


def for_trigger(organization: Organization, trigger: str) -> LineRules:
    """Read the active rules of a trigger, once for all lines of a file or push."""
    return LineRules(organization, compiled_rules.active(organization.id, trigger))


def _choice(outcome: Outcome, line_currency: str) -> StagedChoice:
    side, made = outcome.leg, outcome.applied
    return StagedChoice(
        0,
        side.account_id if EffectKind.SET_ACCOUNT in made else None,
        side.merchant_id,
        side.project_id,
        side.currency if side.currency != line_currency else None,
        side.tax_code_id,
        *[made[kind].rule_id if kind in made else None for kind in KINDS],
    )


# In the order of a choice's columns.
KINDS = (
    EffectKind.SET_ACCOUNT,
    EffectKind.SET_MERCHANT,
    EffectKind.SET_PROJECT,
    EffectKind.SET_CURRENCY,
    EffectKind.SET_TAX_CODE,
)
