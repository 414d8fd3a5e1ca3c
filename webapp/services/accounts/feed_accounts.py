"""Bank accounts that send lines: opened with the ledger account behind them, and changed."""

from dataclasses import dataclass
from datetime import datetime
from typing import NotRequired, TypedDict, Unpack

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.canonical import camel
from webapp.ledger.errors import LedgerError
from webapp.ledger.references import Kind, Ref
from webapp.ledger.texts.legible import cited
from webapp.models import Account, FeedAccount, Institution, of_same_organization
from webapp.queries.accounts import accounts
from webapp.services.accounts import backing
from webapp.services.audit import locked_figures, titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import NothingToChangeError

# Whole thousands belong to a type of account in the default chart; a bank's account takes the first free code there.
CODES = {"ASSET": range(1000, 2000), "LIABILITY": range(2000, 3000)}
MASK_LENGTH = 4
# What a ledger account gets that a feed takes.
TAKEN = ("type", "group", "is_revalued")


class NumberTakenError(LedgerError):
    """A bank account has this number in this currency already."""

    code = "external_id_taken"


@dataclass(frozen=True, slots=True)
class Opening:
    """The facts of a feed account that is to be opened; without a `type` it is an asset, or as its ledger account."""

    name: str
    currency: str
    type: str | None = None
    account_id: int | None = None
    external_id: str | None = None
    mask: str | None = None
    institution_name: str | None = None
    institution_url: str | None = None
    created_by_format: str | None = None


class FeedAccountInput(TypedDict):
    """A new feed account; without `account_id` it gets a ledger account of its own."""

    name: str
    currency: str
    type: NotRequired[str | None]
    account_id: NotRequired[int | None]
    external_id: NotRequired[str | None]
    mask: NotRequired[str | None]
    institution_name: NotRequired[str | None]
    institution_url: NotRequired[str | None]


class FeedAccountChanges(TypedDict, total=False):
    """The fields of a feed account that were sent; what is not sent stays."""

    name: str
    type: str
    account_id: int
    external_id: str | None
    mask: str | None
    institution_name: str | None
    institution_url: str | None
    is_active: bool
    splits_batches: bool


def create(*, actor: Actor, now: datetime, **facts: Unpack[FeedAccountInput]) -> FeedAccount:
    """Open a feed account; without `account_id` it gets a ledger account of its own."""
    opening = Opening(**facts)
    title = f"Opened the bank account {opening.name} in {opening.currency}"
    payload = {camel(name): value for name, value in facts.items()}
    with act(
        actor, now, "create_feed_account", ("feed_account", "new"), title=title, payload=payload
    ) as doing:
        if opening.account_id is not None:
            locked_figures.watch_account(doing, opening.account_id, TAKEN)
        feed_account = open_account(actor.organization_id, opening, now=now)
        doing.target_id = str(feed_account.id)
        doing.after = state(feed_account)
    return feed_account


def open_account(organization_id: str, opening: Opening, *, now: datetime) -> FeedAccount:
    """Write a feed account and the ledger account behind it, as part of another act."""
    _refuse_taken_number(organization_id, opening.external_id, opening.currency)
    feed_account = begin_account(organization_id, opening, now=now)
    finish_account(feed_account, opening, now=now)
    return feed_account


def begin_account(organization_id: str, opening: Opening, *, now: datetime) -> FeedAccount:
    """Write a feed account without what no two may have, its number and its code, nor its bank.

    So it can wait in a long transaction that nobody else has to wait for.
    """
    if opening.account_id is None:
        account = _open_ledger_account(organization_id, opening, now)
    else:
        account = backing.take(organization_id, opening.account_id, opening.currency, opening.type)
    feed_account = FeedAccount(
        organization_id=organization_id,
        account=account,
        account_id=account.id,
        external_id=None,
        name=opening.name,
        currency=opening.currency,
        mask=opening.mask or mask_of(opening.external_id),
        provider="file",
        created_by_format=opening.created_by_format,
        is_active=True,
        created_at=now,
    )
    db.session.add(feed_account)
    db.session.flush()
    return feed_account


def finish_account(feed_account: FeedAccount, opening: Opening, *, now: datetime) -> None:
    """Give a feed account that was begun its number, its code and its bank."""
    if opening.account_id is None:
        feed_account.account.code = _free_code(feed_account.organization_id, feed_account.account.type)
    feed_account.external_id = opening.external_id
    _place_at_institution(feed_account, opening.institution_name, opening.institution_url, now)
    db.session.flush()


def mask_of(external_id: str | None) -> str | None:
    """Give the end of an account's number, by which people know it.

    >>> mask_of("DE89 3704 0044 0532 0130 00"), mask_of("7"), mask_of(None), mask_of("--")
    ('3000', '7', None, None)
    """
    return "".join(filter(str.isalnum, external_id or ""))[-MASK_LENGTH:] or None


def edit(
    feed_account: FeedAccount, changes: FeedAccountChanges, *, actor: Actor, now: datetime
) -> FeedAccount:
    """Change what was sent of a feed account; its name is also that of its ledger account while both are alike."""
    target = ("feed_account", feed_account.id)
    payload = {camel(name): value for name, value in changes.items()}
    title = titles.changed(
        "the bank account", feed_account.name, state(feed_account), payload, feed_account.organization_id
    )
    with act(actor, now, "edit_feed_account", target, title=title, payload=payload) as doing:
        if not changes:
            raise NothingToChangeError
        doing.before = state(feed_account)
        _watch(feed_account, changes, doing)
        _apply(feed_account, changes, now)
        db.session.flush()
        doing.after = state(feed_account)
        if doing.before == doing.after:
            doing.nothing_to_do()
    return feed_account


def _watch(feed_account: FeedAccount, changes: FeedAccountChanges, doing: Act) -> None:
    """Compare the figures of locked days of the ledger account that is to be behind a feed."""
    account_id = changes.get("account_id", feed_account.account_id)
    if account_id != feed_account.account_id:
        locked_figures.watch_account(doing, account_id, TAKEN)
    elif changes.get("type", feed_account.account.type) != feed_account.account.type:
        locked_figures.watch_account(doing, account_id, ("type",))


def _apply(feed_account: FeedAccount, changes: FeedAccountChanges, now: datetime) -> None:
    if changes.get("account_id", feed_account.account_id) != feed_account.account_id:
        backing.exchange(feed_account, changes["account_id"])
    if "name" in changes:
        if feed_account.account.name == feed_account.name:
            feed_account.account.name = changes["name"]
        feed_account.name = changes["name"]
    if "type" in changes:
        backing.set_type(feed_account.account, changes["type"])
    if changes.get("external_id", feed_account.external_id) != feed_account.external_id:
        _refuse_taken_number(feed_account.organization_id, changes["external_id"], feed_account.currency)
        feed_account.external_id = changes["external_id"]
    if "mask" in changes:
        feed_account.mask = changes["mask"]
    if "is_active" in changes:
        feed_account.is_active = changes["is_active"]
    if "splits_batches" in changes:
        feed_account.splits_batches = changes["splits_batches"]
    if changes.keys() & {"institution_name", "institution_url"}:
        institution = feed_account.institution
        name = changes.get("institution_name", institution.name if institution else None)
        _place_at_institution(
            feed_account, name, changes.get("institution_url", institution.url if institution else None), now
        )


def _open_ledger_account(organization_id: str, opening: Opening, now: datetime) -> Account:
    type_ = opening.type or "ASSET"
    account = Account(
        organization_id=organization_id,
        code=None,
        name=opening.name,
        type=type_,
        emoji="💳" if type_ == "LIABILITY" else "🏦",
        currency=opening.currency,
        group=backing.group_of_bank(type_),
        is_revalued=True,
        created_at=now,
    )
    db.session.add(account)
    db.session.flush()
    return account


def _free_code(organization_id: str, type_: str) -> str | None:
    """Give the first code of the type's thousand that no account has; none when all are taken."""
    taken = accounts.codes(organization_id)
    return next((str(code) for code in CODES[type_] if str(code) not in taken), None)


def _refuse_taken_number(organization_id: str, external_id: str | None, currency: str) -> None:
    if external_id is None:
        return
    taken = db.session.scalar(
        sa.select(FeedAccount).where(
            FeedAccount.organization_id == organization_id,
            FeedAccount.external_id == external_id,
            FeedAccount.currency == currency,
        )
    )
    if taken is not None:
        raise NumberTakenError(
            f"{cited(taken.name)} has this number in {currency} already. Use that bank account.",
            details={"faId": taken.id},
        )


def _place_at_institution(
    feed_account: FeedAccount, name: str | None, url: str | None, now: datetime
) -> None:
    """Set the bank of an account by its name and address; a new bank is stored."""
    if name is None:
        feed_account.institution = None
        feed_account.institution_id = None
        return
    institution = db.session.scalar(
        sa.select(Institution)
        .where(
            of_same_organization(Institution, feed_account),
            Institution.name == name,
            Institution.url.is_not_distinct_from(url),
        )
        .order_by(Institution.id)
        .limit(1)
    )
    if institution is None:
        institution = Institution(
            organization_id=feed_account.organization_id, name=name, url=url, created_at=now
        )
        db.session.add(institution)
        db.session.flush()
    feed_account.institution = institution
    feed_account.institution_id = institution.id


def state(feed_account: FeedAccount) -> dict[str, object]:
    """Give a feed account as JSON, for the audit trail."""
    institution = feed_account.institution
    return {
        "name": feed_account.name,
        "currency": feed_account.currency,
        "accountId": Ref(Kind.ACCOUNT, feed_account.account_id),
        "type": feed_account.account.type,
        "externalId": feed_account.external_id,
        "mask": feed_account.mask,
        "institutionName": institution.name if institution else None,
        "institutionUrl": institution.url if institution else None,
        "isActive": feed_account.is_active,
        "splitsBatches": feed_account.splits_batches,
    }
