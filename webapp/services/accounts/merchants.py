"""Merchants: created, changed, merged and separated, and deleted where nothing names them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict

from webapp.database.sessions import db
from webapp.ledger.dimensions import Dimension
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.texts.legible import cited
from webapp.models import Merchant
from webapp.queries.accounts import merchants as queried
from webapp.queries.accounts import usages
from webapp.queries.common import lookups
from webapp.services.audit import locked_figures, titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import change, facts, payload

FACTS = ("name", "website", "terms_days", "vat_ids", "ibans")
MERGE_FACTS = ("merged_into_id", "merged_through_id")
SAME_NAME = "A merchant of this name is there already: {name} ({id}). If they are one, merge them."


class MerchantInUseError(LedgerError):
    """Postings or a rule use this customer or supplier, so it stays."""

    code = "in_use"


class MergedMerchantError(LedgerError):
    """One of these is merged already; separate it first."""

    code = "merged"


class SameMerchantError(UnprocessableError):
    """A customer or supplier cannot be merged into itself; choose another one."""

    code = "same_merchant"


class MerchantChanges(TypedDict, total=False):
    """The fields of a merchant that were sent; what is not sent stays."""

    name: str
    website: str | None
    terms_days: int | None
    vat_ids: list[str]
    ibans: list[str]


def create(
    *,
    name: str,
    website: str | None = None,
    terms_days: int | None = None,
    vat_ids: Sequence[str] = (),
    ibans: Sequence[str] = (),
    actor: Actor,
    now: datetime,
) -> Merchant:
    """Make a merchant."""
    content: dict[str, Any] = {"name": name, "website": website, "terms_days": terms_days}
    content |= {"vat_ids": [*vat_ids], "ibans": [*ibans]}
    fields = payload(content, Merchant)
    target = ("merchant", "new")
    with act(
        actor,
        now,
        "create_merchant",
        target,
        title=f"Created the customer or supplier {name}",
        payload=fields,
    ) as doing:
        _warn_of_namesakes(doing, name)
        merchant = Merchant(organization_id=actor.organization_id, **content, created_at=now)
        db.session.add(merchant)
        db.session.flush()
        doing.target_id, doing.after = str(merchant.id), facts(merchant, FACTS)
    return merchant


def _warn_of_namesakes(doing: Act, name: str, merchant_id: int | None = None) -> None:
    for each in queried.named(doing.actor.organization_id, name):
        if each.id != merchant_id:
            doing.warn("same_name", SAME_NAME.format(name=each.name, id=each.id))


def delete(merchant: Merchant, *, actor: Actor, now: datetime) -> None:
    """Delete a merchant that no posting, no rule and no merge names, or raise MerchantInUseError."""
    title = f"Deleted the customer or supplier {merchant.name}"
    with act(actor, now, "delete_merchant", ("merchant", merchant.id), title=title) as doing:
        usage = usages.of_merchant(merchant)
        if usage.sentence:
            raise MerchantInUseError(
                f"{cited(merchant.name)} is used by {usage.sentence}. Remove it there first."
            )
        if merchant.merged_into_id is not None:
            raise MergedMerchantError(
                f"{cited(merchant.name)} is merged into another one. Separate it first."
            )
        doing.before = facts(merchant, FACTS)
        db.session.delete(merchant)
        db.session.flush()


def update(merchant: Merchant, changes: MerchantChanges, *, actor: Actor, now: datetime) -> Merchant:
    """Change what was sent of a merchant."""
    title = titles.of_change("the customer or supplier", merchant, changes)
    target = ("merchant", merchant.id)
    with act(actor, now, "update_merchant", target, title=title, payload=payload(changes, Merchant)) as doing:
        if changes.get("name", merchant.name) != merchant.name:
            _warn_of_namesakes(doing, changes["name"], merchant.id)
        change(merchant, changes, doing)
    return merchant


def merge(
    merchant: Merchant, into_id: int, *, through_id: int | None = None, actor: Actor, now: datetime
) -> Merchant:
    """Let a merchant, and all that are merged into it, count as another one; no posting changes.

    A repeat changes nothing. `through_id` is for taking a separation back: the merged merchant that it came along
    with. Raises UnknownReferenceError, SameMerchantError or MergedMerchantError.
    """
    organization_id = merchant.organization_id
    into = lookups.refer(Merchant, organization_id, into_id, "mergedIntoId")
    title = f"Merged the customer or supplier {merchant.name} into {into.name}"
    asked = payload({"merged_into_id": into_id}, Merchant)
    with act(actor, now, "merge_merchant", ("merchant", merchant.id), title=title, payload=asked) as doing:
        if into_id == merchant.id:
            raise SameMerchantError(fields={"mergedIntoId": ["Choose another one."]})
        if merchant.merged_into_id == into_id:
            doing.nothing_to_do()
            return merchant
        for each in (merchant, into):
            _require_counting(each)
        if through_id is not None:
            _require_merged(lookups.get(Merchant, organization_id, through_id), into_id)
        doing.before = facts(merchant, MERGE_FACTS)
        _watch(doing, [merchant, *queried.merged_into(merchant)])
        for each in queried.merged_into(merchant):
            each.merged_into_id = into_id
            each.merged_through_id = each.merged_through_id or merchant.id
        merchant.merged_into_id, merchant.merged_through_id = into_id, through_id
        db.session.flush()
        doing.after = facts(merchant, MERGE_FACTS)
    return merchant


def separate(merchant: Merchant, *, actor: Actor, now: datetime) -> Merchant:
    """Let a merged merchant count as itself again, with those that came along with it; a repeat changes nothing."""
    target, title = ("merchant", merchant.id), f"Separated the customer or supplier {merchant.name} again"
    with act(actor, now, "separate_merchant", target, title=title) as doing:
        if merchant.merged_into_id is None:
            doing.nothing_to_do()
            return merchant
        doing.before = facts(merchant, MERGE_FACTS)
        with_it = _came_with(merchant)
        _watch(doing, [merchant, *with_it])
        merchant.merged_into_id = merchant.merged_through_id = None
        for each in with_it:
            each.merged_into_id = merchant.id
            if each.merged_through_id == merchant.id:
                each.merged_through_id = None
        db.session.flush()
        doing.after = facts(merchant, MERGE_FACTS)
    return merchant


def _watch(doing: Act, moving: Sequence[Merchant]) -> None:
    """Hold the figures of locked days by party, as far as postings there name a merchant that counts otherwise."""
    locked_figures.watch_parts(doing, Dimension.MERCHANT, [each.id for each in moving])


def _require_counting(merchant: Merchant) -> None:
    if merchant.merged_into_id is not None:
        counts_as = lookups.get(Merchant, merchant.organization_id, merchant.merged_into_id).name
        raise MergedMerchantError(
            f"{cited(merchant.name)} is merged into {cited(counts_as)}. Separate it first, or take"
            f" {cited(counts_as)} instead.",
            details={"mergedIntoId": merchant.merged_into_id},
        )


def _require_merged(merchant: Merchant, into_id: int) -> None:
    if merchant.merged_into_id != into_id:
        raise MergedMerchantError(f"{cited(merchant.name)} is not merged with it any more.")


def _came_with(merchant: Merchant) -> list[Merchant]:
    """List what came along with a merged merchant, also through others that did."""
    beside = queried.merged_into(
        lookups.get(Merchant, merchant.organization_id, merchant.merged_into_id or 0)
    )
    found: list[Merchant] = []
    ids = {merchant.id}
    while more := [each for each in beside if each.merged_through_id in ids and each not in found]:
        found += more
        ids |= {each.id for each in more}
    return found
