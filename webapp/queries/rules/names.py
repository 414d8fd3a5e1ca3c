"""The names of what rules refer to by id: accounts, merchants, projects, tax codes, feed accounts, open items."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from webapp.ledger.rules.fields import ID_FIELDS, ids_in
from webapp.models import Account, FeedAccount, Merchant, OwedItem, Project, TaxCode
from webapp.queries.common import lookups, merchants

MODELS: Final[Mapping[str, Any]] = {
    "accountId": Account,
    "orgMerchantId": Merchant,
    "projectId": Project,
    "faId": FeedAccount,
    "itemId": OwedItem,
    "taxCodeId": TaxCode,
}
MERCHANT: Final = "orgMerchantId"
Names = Mapping[tuple[str, int], str]


class NamedRule(Protocol):
    """The content of a rule, stored, kept as a version, or not stored yet."""

    @property
    def conditions(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def effects(self) -> Sequence[Mapping[str, Any]]: ...  # noqa: D102


def of_rules(organization_id: str, rules: Iterable[NamedRule]) -> Names:
    """Look up the names that rules refer to, one statement for each kind; what no longer exists is left out."""
    return of_ids(organization_id, [each for rule in rules for each in _named(rule)])


def of_ids(organization_id: str, named: Iterable[tuple[str, int]]) -> Names:
    """Look up names by the key that an id is sent under, and the id."""
    ids_of: dict[str, set[int]] = defaultdict(set)
    for key, row_id in named:
        ids_of[key].add(row_id)
    return {
        (key, row.id): row.code if isinstance(row, TaxCode) else row.name
        for key, ids in ids_of.items()
        for row in lookups.by_id(MODELS[key], organization_id, ids).values()
        if key != MERCHANT
    } | {
        (MERCHANT, row_id): row.name
        for row_id, row in merchants.counting(organization_id, ids_of[MERCHANT]).items()
        if row_id is not None
    }


def _named(rule: NamedRule) -> Iterator[tuple[str, int]]:
    for effect in rule.effects:
        yield from ((key, effect[key]) for key in MODELS if isinstance(effect.get(key), int))
    for condition in rule.conditions["conditions"]:
        if condition["field"] in ID_FIELDS:
            key = ID_FIELDS[condition["field"]]
            yield from ((key, int(text)) for text in ids_in(condition["value"]) if text.isdecimal())
