"""A rule preview for pages: the counts, some lines before and after, and other rules that match them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from webapp import queries
from webapp.ledger.errors import LedgerError
from webapp.queries.rules.candidates import CandidateFilters
from webapp.queries.rules.compiled_rules import AnyRule
from webapp.queries.rules.effect_records import EffectRecord
from webapp.queries.rules.names import Names
from webapp.queries.rules.previews import RulePreview
from webapp.web import paging
from webapp.web.access.auth import organization_id
from webapp.web.rendering.languages import marked

COLUMNS = {
    "SET_ACCOUNT": ("accountId", "account_id", marked("Account")),
    "SET_MERCHANT": ("orgMerchantId", "org_merchant_id", "Customer or supplier"),
    "SET_PROJECT": ("projectId", "project_id", marked("Project")),
    "SET_CURRENCY": ("currency", "currency", marked("Currency")),
    "SET_TAX_CODE": ("taxCodeId", "tax_code_id", marked("Tax code")),
    "SETTLE_BY_REFERENCE": ("itemId", "item_id", marked("Pays")),
}


@dataclass(frozen=True, slots=True)
class ShownPreview:
    """A rule preview with names, or the reason why there is none."""

    preview: RulePreview | None = None
    names: Names = field(default_factory=dict)
    rules: Mapping[int, str] = field(default_factory=dict)
    currency: str | None = None
    noun: str = "line"
    columns: list[tuple[str, str, str]] = field(default_factory=list)
    others: list[dict[str, Any]] = field(default_factory=list)
    next_cursor: str | None = None
    problem: str | None = None


def shown_preview(rule: AnyRule, query: Mapping[str, Any]) -> ShownPreview:
    """Preview a rule on lines or documents."""
    chosen = CandidateFilters(query["from_"], query["to"], query["fa_id"])
    after = paging.decode(query["cursor"], "i")
    try:
        preview = queries.rules.previews.preview(
            organization_id(),
            rule,
            chosen,
            after=after,
            limit=query["limit"],
            changes_first=query["show"] == "first",
        )
    except LedgerError as error:
        return ShownPreview(problem=str(error))
    rules = {each.id: each.name for each in preview.rules}
    kinds = {effect["kind"] for effect in rule.effects} | {"SET_ACCOUNT"}
    # The currency of all lines is shown once, in the header.
    currencies = {item.currency or "" for item in preview.items}
    return ShownPreview(
        preview=preview,
        names=queries.rules.names.of_ids(organization_id(), _ids_in(preview.items)),
        rules=rules,
        noun="document" if rule.target == "RECEIPT" else "line",
        currency=currencies.pop() if len(currencies) == 1 else None,
        columns=[column for kind, column in COLUMNS.items() if kind in kinds],
        others=_others(preview.items, rules),
        next_cursor=paging.encode(preview.next_key),
    )


def _ids_in(items: list[EffectRecord]) -> Iterator[tuple[str, int]]:
    for item in items:
        for side in filter(None, (item.before, item.after)):
            for key, name, _ in COLUMNS.values():
                value = getattr(side, name)
                if isinstance(value, int):
                    yield key, value


def _others(items: list[EffectRecord], rules: Mapping[int, str]) -> list[dict[str, Any]]:
    """Count on how many of the shown lines each other rule fires, sets a field last, or stops this one."""
    fires = Counter(rule_id for item in items for rule_id in item.also_fires)
    last = Counter(rule_id for item in items for rule_id in {each.rule_id for each in item.overruled})
    cuts = Counter(item.cut_off_by for item in items if item.cut_off_by is not None)
    return [
        {"id": rule_id, "name": name, "fires": fires[rule_id], "last": last[rule_id], "cuts": cuts[rule_id]}
        for rule_id, name in rules.items()
    ]
