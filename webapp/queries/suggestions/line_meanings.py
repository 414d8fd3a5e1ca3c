"""What bank lines pay, move or mean, asked in one place for every door.

An open item that a line names, or that is exactly what its payer owes, comes before a transfer, then what the rules
say, whether they ran or not, and then the account that lines like it went to. Where several items fit, a person has to
tell, and no account is named either.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webapp.ledger.money import Money
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.line_outcomes import CounterLeg
from webapp.ledger.texts.legible import cited
from webapp.queries.access import organizations
from webapp.queries.accounts.choice_names import ChoiceNames
from webapp.queries.common.feed_currencies import Feed
from webapp.queries.items.likely_payments import LikelyPayment, PayingLine
from webapp.queries.rules import candidates, compiled_rules, line_effects
from webapp.queries.rules.decisions import RuleEvaluator
from webapp.queries.suggestions import likely_accounts
from webapp.queries.suggestions.likely_accounts import LikelyAccount
from webapp.queries.transfers import destinations, open_items
from webapp.queries.transfers.destinations import Destination, LikelyTransfer


@dataclass(frozen=True, slots=True)
class LineMeaning:
    """What a line likely is: at most one of the three."""

    payment: LikelyPayment | None = None
    transfer: LikelyTransfer | None = None
    account: LikelyAccount | None = None


NOTHING: Final = LineMeaning()
# What of a rule says where a line belongs.
DESTINATIONS: Final = frozenset({EffectKind.SET_ACCOUNT, EffectKind.SET_MERCHANT, EffectKind.SET_PROJECT})


def of_records(
    organization_id: str,
    records: Sequence[Any],
    *,
    with_accounts: Collection[int | None] | None = None,
    uncategorised: Collection[int | None] | None = None,
    feeds: Mapping[int | None, Feed] | None = None,
) -> dict[int, LineMeaning]:
    """Give what lines likely are, by their records, in a constant number of statements.

    Of lines beside those `with_accounts`, the account is not asked for. `feeds` are all feed accounts, and
    `uncategorised` the uncategorised accounts of these lines, where they are read already.
    """
    booked = [each for each in records if each.status == "BOOKED"]
    drafts = [each for each in booked if each.entry_status == "DRAFT"]
    paying = [PayingLine.of(each, _merchants(each)) for each in drafts]
    found = destinations.of_lines(
        organization_id, [*drafts, *_watched(organization_id, booked)], paying, feeds
    )
    others = [
        each
        for each in booked
        if each.id not in found and (with_accounts is None or each.id in with_accounts)
    ]
    if others and uncategorised is None:
        uncategorised = likely_accounts.uncategorised_accounts(organization_id)
    accounts = _accounts(organization_id, others, uncategorised or ())
    return {line_id: _meaning(each) for line_id, each in (found | accounts).items()}


def _watched(organization_id: str, records: Sequence[Any]) -> list[Any]:
    """List the posted lines that may still be moved on: those on watched accounts."""
    posted = [each for each in records if each.entry_status == "POSTED"]
    if not posted:
        return []
    found = open_items.on_watched(organization_id, {each.journal_entry_id for each in posted})
    return [each for each in posted if each.journal_entry_id in found]


def _accounts(
    organization_id: str, records: Sequence[Any], uncategorised: Collection[int | None]
) -> dict[int, LikelyAccount]:
    """Give the accounts that rules or earlier lines say, by uncategorised line."""
    open_lines = {each.id: each for each in records if each.account_id in uncategorised}
    if not open_lines:
        return {}
    by_rules = _by_rules(organization_id, open_lines)
    others = [each for line_id, each in open_lines.items() if line_id not in by_rules]
    return by_rules | likely_accounts.of_lines(organization_id, others)


def _by_rules(organization_id: str, records: Mapping[int, Any]) -> dict[int, LikelyAccount]:
    """Give the accounts that rules would put lines on, by line, although a rule may never have run on them."""
    rules = compiled_rules.of_lines(organization_id)
    if not any(effect["kind"] == EffectKind.SET_ACCOUNT for rule in rules for effect in rule.effects):
        return {}
    evaluator = RuleEvaluator(organizations.get(organization_id), rules)
    chosen = dict(_chosen(evaluator, records))
    names = ChoiceNames(organization_id, [leg for leg, _ in chosen.values()])
    return {line_id: _of_rule(evaluator, names, *each) for line_id, each in chosen.items()}


def _chosen(
    evaluator: RuleEvaluator, records: Mapping[int, Any]
) -> Iterator[tuple[int, tuple[CounterLeg, int]]]:
    """Yield the counter leg that rules would make of lines, and the rule that sets its account, by line."""
    for lines in candidates.of_ids(evaluator.organization.id, records):
        for line, values in zip(lines, line_effects.values_of(evaluator, lines), strict=True):
            settings = {
                kind: each for kind, each in evaluator.decide(values).settings.items() if kind in DESTINATIONS
            }
            leg = CounterLeg(records[line.id].account_id, line.currency, -line.amount_minor)
            outcome = evaluator.apply(settings, leg, Money(line.amount_minor, line.currency), line.booked_on)
            if EffectKind.SET_ACCOUNT in outcome.applied and outcome.leg is not None:
                yield line.id, (outcome.leg, outcome.applied[EffectKind.SET_ACCOUNT].rule_id)


def _of_rule(evaluator: RuleEvaluator, names: ChoiceNames, leg: CounterLeg, rule_id: int) -> LikelyAccount:
    choice, rule_name = names.of(leg), evaluator.names[rule_id][1]
    return LikelyAccount(
        *choice,
        count=0,
        total=0,
        reason=f"The rule {cited(rule_name)} puts it on {choice.account_name}.",
        transaction_ids=[],
        rule_id=rule_id,
        rule_name=rule_name,
    )


def _meaning(found: Destination | LikelyAccount) -> LineMeaning:
    if isinstance(found, LikelyPayment):
        return LineMeaning(payment=found)
    return LineMeaning(transfer=found) if isinstance(found, LikelyTransfer) else LineMeaning(account=found)


def _merchants(record: Any) -> Iterable[int | None]:
    return [record.org_merchant_id, *(split.org_merchant_id for split in record.splits or ())]
