"""The rules of the demo: three that a studio would have, two of them applied to the past by hand."""

from datetime import date

from webapp.ledger.rules.conditions import Match, Operator
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.fields import Field
from webapp.models import Rule
from webapp.queries.rules import previews
from webapp.queries.rules.candidates import CandidateFilters
from webapp.services.demo.bookkeeper import Bookkeeper
from webapp.services.rules import rules, runs


def write(keeper: Bookkeeper, *, since: date) -> None:
    """Write the rules, and apply two of them to the lines since a day as their previews say."""
    cafe = keeper.country.wording("Café Möwe")
    travel = _rule(
        keeper,
        "Trains and taxis",
        [
            (Field.ANY_TEXT, Operator.CONTAINS, keeper.country.wording("Schienen")),
            (Field.ANY_TEXT, Operator.CONTAINS, "Taxi"),
        ],
        {"SET_ACCOUNT": keeper.code("6500")},
        priority=10,
        match=Match.ANY,
    )
    _rule(
        keeper,
        "Servers",
        [(Field.ANY_TEXT, Operator.CONTAINS, "Nimbus Hosting")],
        {"SET_ACCOUNT": keeper.code("6250"), "SET_MERCHANT": keeper.merchant("Nimbus Hosting")},
        priority=20,
    )
    lunch = _rule(
        keeper,
        "Lunch with clients",
        [
            (Field.ANY_TEXT, Operator.CONTAINS, cafe),
            (Field.DIRECTION, Operator.EQUALS, "OUT"),
            (Field.AMOUNT_ABS, Operator.BETWEEN, "10.00..80.00"),
        ],
        {"SET_ACCOUNT": keeper.code("6550"), "SET_MERCHANT": keeper.merchant(cafe)},
        priority=30,
    )
    chosen = CandidateFilters(from_=since)
    for rule in (travel, lunch):
        digest = previews.of_rule(rule, chosen, after=None, limit=1).digest
        runs.apply(rule, digest, chosen, **keeper.act)


def _rule(
    keeper: Bookkeeper,
    name: str,
    conditions: list[tuple[Field, Operator, str]],
    sets: dict[str, int],
    *,
    priority: int,
    match: Match = Match.ALL,
) -> Rule:
    keys = {EffectKind.SET_ACCOUNT.value: "accountId", EffectKind.SET_MERCHANT.value: "orgMerchantId"}
    return rules.create(
        name=name,
        description=None,
        target="TRANSACTION",
        trigger="TRANSACTION_INGESTED",
        conditions={
            "match": match.value,
            "conditions": [
                {"field": field.value, "operator": operator.value, "value": value}
                for field, operator, value in conditions
            ],
        },
        effects=[
            {"kind": kind, keys[kind]: value, "sortOrder": place}
            for place, (kind, value) in enumerate(sets.items())
        ],
        priority=priority,
        stop_processing=False,
        **keeper.act,
    ).rule
