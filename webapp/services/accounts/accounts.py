"""The chart of accounts: opened, changed and archived, without bending what is posted."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, NotRequired, TypedDict, Unpack

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import GROUPS, AccountType, is_revalued_by_default, may_be_revalued, next_code
from webapp.ledger.closing.schedules import DISPOSAL
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.texts.legible import cited
from webapp.ledger.titles import counted
from webapp.models import Account, Organization, TaxCode
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.items import items
from webapp.queries.tax import codes
from webapp.services.accounts import backing, kept_items
from webapp.services.audit import locked_figures, titles
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import change, facts, payload

FACTS = (
    "code",
    "name",
    "type",
    "emoji",
    "currency",
    "parent_id",
    "in_scope",
    "requires_counterparty",
    "is_watched",
    "is_revalued",
    "keeps_items",
    "items_from",
    "is_archived",
    "group",
    "tax_code_id",
)
DISPOSALS = "Gain or loss on disposal"
EXCHANGEABLE = frozenset({AccountType.ASSET, AccountType.LIABILITY})


class CodeTakenError(LedgerError):
    """Another account has this code; choose a free one."""

    code = "code_taken"


class OpenItemsError(LedgerError):
    """Items of this account are open; settle them first."""

    code = "open_items"


class ParentCycleError(UnprocessableError):
    """An account cannot be its own parent; choose another one."""

    code = "parent_cycle"


class SystemAccountError(LedgerError):
    """Tieout itself posts to this account, so this stays as it is."""

    code = "system_account"


class FeedBackedError(LedgerError):
    """Bank lines post to this account, so this cannot be changed."""

    code = "feed_backed"


class NotRevaluedError(UnprocessableError):
    """Only assets and liabilities are revalued; switch it off for this account."""

    code = "not_revalued"


class AccountGroupError(UnprocessableError):
    """This group is none of the account's type; choose one of its type, or none for the preset."""

    code = "account_group"


class PostedAccountError(LedgerError):
    """This account has postings, so this cannot be changed."""

    code = "posted"


class AccountInput(TypedDict):
    """A new ledger account."""

    name: str
    type: str
    code: NotRequired[str | None]
    emoji: NotRequired[str | None]
    currency: NotRequired[str | None]
    parent_id: NotRequired[int | None]
    in_scope: NotRequired[bool]
    requires_counterparty: NotRequired[bool]
    is_watched: NotRequired[bool]
    is_revalued: NotRequired[bool | None]
    keeps_items: NotRequired[bool]
    group: NotRequired[str | None]
    tax_code_id: NotRequired[int | None]


class AccountChanges(TypedDict, total=False):
    """The fields of an account that were sent; what is not sent stays."""

    name: str
    type: str
    code: str | None
    emoji: str | None
    currency: str | None
    parent_id: int | None
    in_scope: bool
    requires_counterparty: bool
    is_watched: bool
    is_revalued: bool
    keeps_items: bool
    items_from: date | None
    is_archived: bool
    group: str | None
    tax_code_id: int | None


def create(*, actor: Actor, now: datetime, **content: Unpack[AccountInput]) -> Account:
    """Open a ledger account; without a code it gets the next one of its type.

    Without `is_revalued` it is revalued as the preset for its type and currency says.
    """
    fields: dict[str, object] = {"name": content["name"], "type": content["type"], **content}
    target, title = ("account", "new"), f"Opened the {content['type'].lower()} account {content['name']}"
    with act(actor, now, "create_account", target, title=title, payload=payload(fields, Account)) as doing:
        account = open_account(actor.organization_id, content, now)
        doing.target_id, doing.after = str(account.id), facts(account, FACTS)
    return account


def open_account(organization_id: str, content: AccountInput, now: datetime) -> Account:
    """Open a ledger account within an act."""
    _check_code(organization_id, content.get("code"))
    _check_parent(organization_id, content.get("parent_id"))
    kept_items.check_new(content["name"], content["type"], content)
    _check_group(content["type"], content.get("group"))
    fields: dict[str, object] = {**content, "is_revalued": _revalued(content)}
    if content.get("code") is None:
        fields["code"] = next_code(content["type"], accounts.codes(organization_id))
    account = Account(organization_id=organization_id, **_stored(fields), created_at=now)
    _check_tax_code(account, account.tax_code_id)
    db.session.add(account)
    db.session.flush()
    return account


def update(account: Account, changes: AccountChanges, *, actor: Actor, now: datetime) -> Account:
    """Change the fields of an account that were sent, or raise the rule that keeps it as it is."""
    target = ("account", account.id)
    title = titles.of_change("the account", account, changes)
    with act(actor, now, "update_account", target, title=title, payload=payload(changes, Account)) as doing:
        changes = _with_group(account, _with_items(account, _with_revaluation(account, changes)))
        differing = {name: value for name, value in changes.items() if getattr(account, name) != value}
        for name, check in CHECKS.items():
            if name in differing:
                check(account, differing[name])
        kept_items.check(account, differing)
        locked_figures.watch_account(doing, account.id, differing)
        change(account, _stored(changes), doing)
        if "is_revalued" in differing:
            doing.moves_foreign(date.min)
    return account


def of_disposals(organization: Organization, now: datetime) -> Account:
    """Find the account of gains and losses on disposal, or open it."""
    mine = Account.organization_id == organization.id
    found = db.session.scalar(sa.select(Account).where(mine, Account.role == DISPOSAL))
    if found is None:
        named = sa.select(Account).where(
            mine,
            Account.name == DISPOSALS,
            Account.role.is_(None),
            Account.type.in_((AccountType.INCOME, AccountType.EXPENSE)),
        )
        found = db.session.scalars(named.order_by(Account.id)).first()
        if found is None:
            code = next_code(AccountType.INCOME, accounts.codes(organization.id))
            found = Account(
                organization_id=organization.id,
                code=code,
                name=DISPOSALS,
                type=AccountType.INCOME.value,
                emoji="🏷️",
                created_at=now,
            )
            db.session.add(found)
        found.role, found.is_archived = DISPOSAL, False
        db.session.flush()
    return found


def _stored(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: value or None if name == "emoji" else value for name, value in fields.items()}


def _revalued(content: AccountInput) -> bool:
    """Decide whether a new account is revalued."""
    chosen = content.get("is_revalued")
    if chosen:
        _check_revalued(content["name"], content["type"])
    return is_revalued_by_default(content["type"], content.get("currency")) if chosen is None else chosen


def _with_revaluation(account: Account, changes: AccountChanges) -> AccountChanges:
    """Refuse to revalue what holds no money; an account that becomes such a one is not revalued any more."""
    type_ = changes.get("type", account.type)
    if changes.get("is_revalued"):
        _check_revalued(account.name, type_, account.role)
    elif account.is_revalued and not may_be_revalued(type_, account.role):
        return {**changes, "is_revalued": False}
    return changes


def _with_items(account: Account, changes: AccountChanges) -> AccountChanges:
    """Add what follows from switching: without items there is no day, and an account that keeps them is not watched."""
    if changes.get("keeps_items") is False:
        return {**changes, "items_from": None}
    if changes.get("keeps_items") and not account.keeps_items:
        return {"is_watched": False, **changes}
    return changes


def _with_group(account: Account, changes: AccountChanges) -> AccountChanges:
    """Refuse a group of another type; an account of another type has the preset of that, unless one is sent."""
    type_, feed = changes.get("type", account.type), accounts.feed_of(account.organization_id, account.id)
    if "group" not in changes:
        if type_ == account.type:
            return changes
        return {**changes, "group": backing.group_of_bank(type_) if feed else None}
    _check_group(type_, changes["group"])
    if feed is not None and changes["group"] != account.group and type_ == AccountType.ASSET:
        raise FeedBackedError(f"Bank lines post to {cited(account.name)}; it stays with the banks.")
    return changes


def _check_group(type_: str, group: str | None) -> None:
    if group is not None and group not in GROUPS[AccountType(type_)]:
        groups = ", ".join(sorted(GROUPS[AccountType(type_)]))
        sentence = f"An account of the type {type_} is in one of these groups: {groups}."
        raise AccountGroupError(sentence, fields={"group": [sentence]})


def _check_revalued(name: str, type_: str, role: str | None = None) -> None:
    if may_be_revalued(type_, role):
        return
    if role is not None:
        raise SystemAccountError(
            f"{cited(name)} is never revalued: what stands there is only on its way to another account."
        )
    sentence = "Only assets and liabilities are revalued; switch it off for this account."
    raise NotRevaluedError(sentence, fields={"isRevalued": [sentence]})


def _check_code(organization_id: str, code: str | None, *, except_id: int | None = None) -> None:
    if code is not None and accounts.is_code_taken(organization_id, code, except_id=except_id):
        raise CodeTakenError(
            f"Another account has the code {code}.",
            fields={"code": ["Another account has this code; choose a free one."]},
        )


def _check_parent(organization_id: str, parent_id: int | None) -> Account | None:
    return None if parent_id is None else lookups.refer(Account, organization_id, parent_id, "parentId")


def _check_new_code(account: Account, code: str | None) -> None:
    _check_code(account.organization_id, code, except_id=account.id)


def _check_new_parent(account: Account, parent_id: int | None) -> None:
    parent = _check_parent(account.organization_id, parent_id)
    if parent is not None and account.id in (parent.id, *accounts.lineage(parent)):
        sentence = (
            f"{cited(parent.name)} is {cited(account.name)} itself or an account below it; choose another"
            " parent."
        )
        raise ParentCycleError(sentence, fields={"parentId": [sentence]})


def _check_no_open_items(account: Account) -> None:
    """Refuse what would take open items out of the lists of what is owed."""
    count = items.count_open(account)
    if count:
        raise OpenItemsError(
            f"{counted(count, 'open item')} of {cited(account.name)}: settle what is owed first.",
            details={"count": count},
        )


def _check_type(account: Account, type_: str) -> None:
    """Refuse a change of type that would move what is posted from one report to another."""
    _check_no_open_items(account)
    if {account.type, type_} <= EXCHANGEABLE and not account.is_system:
        return
    if account.is_system:
        raise SystemAccountError(
            f"Tieout itself posts to {cited(account.name)}; its type stays {account.type}."
        )
    if accounts.feed_of(account.organization_id, account.id) is not None:
        raise FeedBackedError(f"Bank lines post to {cited(account.name)}; it is an ASSET or a LIABILITY.")
    if accounts.has_counting_postings(account):
        raise PostedAccountError(
            f"Something is posted to {cited(account.name)}; its type stays {account.type}. Open another"
            " account instead."
        )


def _check_currency(account: Account, currency: str | None) -> None:
    """Refuse a currency that the bank's, the books' own or earlier postings on the account contradict."""
    if accounts.feed_of(account.organization_id, account.id) is not None:
        raise FeedBackedError(f"Bank lines post to {cited(account.name)}; it stays in {account.currency}.")
    if currency is None:
        return
    if account.is_system:
        raise SystemAccountError(f"Tieout itself posts to {cited(account.name)}, in every currency.")
    if accounts.has_other_currency(account, currency):
        raise PostedAccountError(
            f"Postings on {cited(account.name)} are in other currencies than {currency}."
        )


def _check_archived(account: Account, is_archived: bool) -> None:  # noqa: FBT001  (a column's value)
    if not is_archived:
        return
    _check_no_open_items(account)
    if account.is_system:
        raise SystemAccountError(f"Tieout itself posts to {cited(account.name)}; it cannot be archived.")
    feed = accounts.feed_of(account.organization_id, account.id)
    if feed is not None:
        raise FeedBackedError(
            f"The lines of {cited(feed.name)} post to {cited(account.name)}; it cannot be archived."
        )


def _check_counterparty(account: Account, is_required: bool) -> None:  # noqa: FBT001  (a column's value)
    """Refuse to ask for a merchant where postings come without one: they could never be posted."""
    if not is_required:
        return
    if account.is_system:
        raise SystemAccountError(
            f"Tieout itself posts to {cited(account.name)}, and names no customer or supplier."
        )
    if accounts.feed_of(account.organization_id, account.id) is not None:
        raise FeedBackedError(f"Bank lines post to {cited(account.name)}, without a customer or supplier.")


def _check_tax_code(account: Account, tax_code_id: int | None) -> None:
    """Refuse a tax code that no bank line can have on an account."""
    if tax_code_id is None:
        return
    code = lookups.refer(TaxCode, account.organization_id, tax_code_id, "taxCodeId")
    sentence = codes.unfit_for_whole(code, account)
    if sentence is not None:
        raise codes.TaxCodeUnfitError(sentence, fields={"taxCodeId": [sentence]})


CHECKS: Mapping[str, Callable[[Account, Any], None]] = {
    "code": _check_new_code,
    "parent_id": _check_new_parent,
    "type": _check_type,
    "currency": _check_currency,
    "is_archived": _check_archived,
    "requires_counterparty": _check_counterparty,
    "tax_code_id": _check_tax_code,
}
