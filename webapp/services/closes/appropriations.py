"""Owners with their shares, and the entry that puts a year's result to owners, reserves and dividends."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import TypedDict

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType
from webapp.ledger.closing.closes import PeriodOpenError
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import money_at
from webapp.models import Account, EquityOwner, Merchant
from webapp.queries.access import organizations
from webapp.queries.closes import appropriations
from webapp.queries.closes.appropriations import Appropriation
from webapp.queries.common import lookups
from webapp.services.audit import field_changes
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import TouchedIds
from webapp.services.journal import entries as journal_entries


class OwnerAccountError(UnprocessableError):
    """The capital and the drawings of an owner are two accounts of equity."""

    code = "owner_account"


class OwnerShareError(UnprocessableError):
    """A share is zero or more; only the proportion of shares counts."""

    code = "owner_share"


class FirstAmount(TypedDict):
    """What an owner gets before shares."""

    owner_id: int
    amount: Decimal


class FixedAmount(TypedDict):
    """What an account gets before shares: a reserve, or dividends with whom they are owed to."""

    account_id: int
    amount: Decimal
    org_merchant_id: int | None


class OwnerChanges(TypedDict, total=False):
    """The fields of an owner that were sent; what is not sent stays. A `share` counts from a day on."""

    name: str
    capital_account_id: int
    drawings_account_id: int | None
    share: Decimal
    from_: date
    is_archived: bool


def create_owner(
    *,
    name: str,
    capital_account_id: int,
    drawings_account_id: int | None,
    share: Decimal,
    from_: date,
    actor: Actor,
    now: datetime,
) -> EquityOwner:
    """Write an owner, with the share from a day on."""
    payload = {"name": name, "share": str(share), "from": from_.isoformat()}
    with act(
        actor, now, "create_owner", ("owner", "new"), title=f"Added the owner {name}", payload=payload
    ) as doing:
        _check_accounts(actor.organization_id, capital_account_id, drawings_account_id)
        made = EquityOwner(
            organization_id=actor.organization_id,
            name=name,
            capital_account_id=capital_account_id,
            drawings_account_id=drawings_account_id,
            shares=_with_share([], share, from_),
            created_at=now,
        )
        db.session.add(made)
        db.session.flush()
        doing.target_id, doing.after = str(made.id), {**payload}
    return made


def change_owner(owner: EquityOwner, changes: OwnerChanges, *, actor: Actor, now: datetime) -> EquityOwner:
    """Change what was sent of an owner; a share counts from its day on, and earlier years keep theirs."""
    title = f"Changed the owner {owner.name}"
    payload = field_changes.jsonable(changes)
    with act(actor, now, "change_owner", ("owner", owner.id), title=title, payload=payload) as doing:
        wanted = {name: value for name, value in changes.items() if name not in ("share", "from_")}
        if "share" in changes:
            today = organizations.today(actor.organization_id, now)
            wanted["shares"] = _with_share(owner.shares, changes["share"], changes.get("from_") or today)
        differing = {name: value for name, value in wanted.items() if getattr(owner, name) != value}
        if not differing:
            doing.nothing_to_do()
            return owner
        doing.before = field_changes.jsonable({name: getattr(owner, name) for name in differing})
        for name, value in differing.items():
            setattr(owner, name, value)
        _check_accounts(actor.organization_id, owner.capital_account_id, owner.drawings_account_id)
        db.session.flush()
        doing.after = field_changes.jsonable(differing)
    return owner


def _check_accounts(organization_id: str, capital_id: int, drawings_id: int | None) -> None:
    wanted = {"capitalAccountId": capital_id} | (
        {} if drawings_id is None else {"drawingsAccountId": drawings_id}
    )
    for name, account_id in wanted.items():
        account = lookups.refer(Account, organization_id, account_id, name)
        if account.type != AccountType.EQUITY or (name != "capitalAccountId" and drawings_id == capital_id):
            raise OwnerAccountError(fields={name: [str(OwnerAccountError.__doc__)]})


def _with_share(shares: Sequence[Sequence[str]], share: Decimal, from_: date) -> list[list[str]]:
    if share < 0:
        raise OwnerShareError(fields={"share": [str(OwnerShareError.__doc__)]})
    kept = [list(each) for each in shares if each[0] != from_.isoformat()]
    return sorted([*kept, [from_.isoformat(), f"{share.normalize():f}"]])


def appropriate(
    *,
    year: int,
    first: Sequence[FirstAmount] = (),
    fixed: Sequence[FixedAmount] = (),
    keep: Decimal | None = None,
    decided_on: date | None = None,
    post: bool = False,
    actor: Actor,
    now: datetime,
) -> Appropriation:
    """Draft the entry that puts a year's result to owners and accounts, or post it; a repeat has what is missing."""
    organization_id = actor.organization_id
    base = organizations.base_currency(organization_id)
    payload = field_changes.jsonable(
        {"year": year, "first": list(first), "fixed": list(fixed), "keep": keep, "decided_on": decided_on}
        | {"post": post}
    )
    title = f"{'Posted' if post else 'Drafted'} the appropriation of the result of {year}"
    with act(actor, now, "appropriate", ("journal_entry", "new"), title=title, payload=payload) as doing:
        if appropriations.year_of(organization_id, year).last >= organizations.today(organization_id, now):
            raise PeriodOpenError
        amounts = _amounts(organization_id, base, first, fixed, keep)
        found = appropriations.of_year(organization_id, year, *amounts, decided_on=decided_on)
        if not found.legs:
            doing.nothing_to_do()
            return found
        entry = journal_entries.add_draft(
            organizations.get(organization_id),
            found.day,
            _legs(organization_id, found, fixed, base),
            source="manual",
            description=f"Appropriation of the result of {year}",
            now=now,
            appropriates_on=found.period.last,
        )
        if post:
            journal_entries.post(entry, doing)
        doing.target_id, doing.result = str(entry.id), TouchedIds([entry.id]).as_json()
        doing.after = {"year": year, "result": str(found.result), "day": found.day.isoformat()}
    return replace(found, journal_entry_id=entry.id)


def _amounts(
    organization_id: str,
    base: str,
    first: Sequence[FirstAmount],
    fixed: Sequence[FixedAmount],
    keep: Decimal | None,
) -> tuple[dict[int, int], dict[int, int], int]:
    """Read amounts in minor units, by the ids of owners and of accounts that there are."""
    before: dict[int, int] = {}
    accounts: dict[int, int] = {}
    for place, owned in enumerate(first):
        owner = appropriations.get(organization_id, owned["owner_id"])
        before[owner.id] = money_at(owned["amount"], base, f"first.{place}.amount").minor
    for place, given in enumerate(fixed):
        account = lookups.refer(Account, organization_id, given["account_id"], f"fixed.{place}.accountId")
        accounts[account.id] = money_at(given["amount"], base, f"fixed.{place}.amount").minor
    return before, accounts, 0 if keep is None else money_at(keep, base, "keep").minor


def _legs(organization_id: str, found: Appropriation, fixed: Sequence[FixedAmount], base: str) -> list[Leg]:
    parties: dict[int, int] = {}
    for place, given in enumerate(fixed):
        if (party := given["org_merchant_id"]) is not None:
            name = f"fixed.{place}.orgMerchantId"
            parties[given["account_id"]] = lookups.refer(Merchant, organization_id, party, name).id
    return [
        Leg(
            each.account_id,
            each.amount.minor,
            base,
            each.amount.minor,
            merchant_id=parties.get(each.account_id),
        )
        for each in found.legs
    ]
