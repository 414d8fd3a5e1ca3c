"""Settlements: how one comes to stand with what it realises, and how it ends with all that it caused."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.mirrors import share
from webapp.ledger.journal.revaluations import realisation
from webapp.ledger.journal.settled_parts import base_share
from webapp.ledger.money import divided
from webapp.ledger.references import Kind, refs
from webapp.models import (
    Account,
    JournalEntry,
    OwedItem,
    Settlement,
    SettlementEntry,
    SettlementPart,
    update_rows,
)
from webapp.models.base import of_same_organization
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.items import items, settlements
from webapp.services.audit import updates
from webapp.services.journal import entries, reversals


class SettledMeanwhileError(LedgerError):
    """Somebody else undid this settlement in the meantime; look at it again."""

    code = "changed_meanwhile"


@dataclass(frozen=True, slots=True)
class TakenPart:
    """What a settlement takes of an item, in its currency and in the base; an opening item has no entry."""

    item_id: int
    root_id: int | None
    amount_minor: int
    base_minor: int


def part_of(item: OwedItem, amount_minor: int) -> TakenPart:
    """Take a part of a kept item, with its share in the base currency."""
    whole = item.amount_minor, item.amount_base_minor
    share = base_share(whole, (item.settled_minor, item.settled_base_minor), amount_minor)
    return TakenPart(item.id, item.journal_entry_id, amount_minor, share)


def rest_of(item: OwedItem) -> TakenPart:
    """Take all that is left of a kept item."""
    return part_of(item, item.amount_minor - item.settled_minor)


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What a payment is short of its items, with their sign, and where it is booked: each account with its share.

    Without a worth in the base currency it is worth its share of the items.
    """

    purpose: str
    description: str
    amount_minor: int
    splits: Sequence[tuple[int, int | None, int]]
    worth_minor: int | None = None


def settle_items(
    account: Account, taken: Sequence[TakenPart], *, cause: str, shortfall: Shortfall | None = None
) -> Settlement:
    """Let kept items of one account, currency and party settle each other, on the first open day after all of them.

    A shortfall is posted with it, and is one more part.
    """
    found = items.by_id(account.organization_id, [each.item_id for each in taken])
    latest = items.latest_day(account.organization_id, list(found.values()))
    settled_on = organizations.first_open_day(account.organization_id, latest)
    first = found[min(found)]
    made = _open(account, first.currency, settled_on, cause)
    fact_on = items.latest_fact(account.organization_id, list(found.values()))
    fact = None if fact_on is None else entries.Fact(fact_on, settled_on > latest)
    if shortfall is not None:
        taken = [*taken, _book(made, shortfall, taken, first.org_merchant_id, fact)]
    _let_stand(made, taken)
    _realise(account, made, taken, first.org_merchant_id, fact)
    return made


def stand(
    account: Account, currency: str, taken: Iterable[TakenPart], *, settled_on: date, cause: str
) -> Settlement:
    """Bring a settlement into the world OPEN, give it its parts, and let it stand; the database checks these."""
    made = _open(account, currency, settled_on, cause)
    _let_stand(made, taken)
    return made


def _open(account: Account, currency: str, settled_on: date, cause: str) -> Settlement:
    doing = updates.open_act()
    made = Settlement(
        organization_id=account.organization_id,
        account_id=account.id,
        currency=currency,
        base_currency=organizations.get(account.organization_id).base_currency,
        cause=cause,
        settled_on=settled_on,
        actor=doing.actor.as_json(),
        created_at=doing.now,
    )
    db.session.add(made)
    db.session.flush()
    return made


def _let_stand(made: Settlement, taken: Iterable[TakenPart]) -> None:
    rows = [
        {
            "organization_id": made.organization_id,
            "settlement_id": made.id,
            "item_id": each.item_id,
            "journal_entry_id": each.root_id,
            "amount_minor": each.amount_minor,
            "amount_base_minor": each.base_minor,
        }
        for each in taken
    ]
    db.session.execute(sa.insert(SettlementPart), rows)
    _change(made, "OPEN", status="STANDING")
    updates.open_act().stood.add(made.id)
    db.session.expire(made, ["parts"])


def _book(
    settlement: Settlement,
    shortfall: Shortfall,
    taken: Sequence[TakenPart],
    merchant_id: int | None,
    fact: entries.Fact | None,
) -> TakenPart:
    """Post a shortfall in the name of the party. Answers its part of the settlement.

    Worth its share of the items that it is short of, no exchange difference arises on it.
    """
    amount, base = shortfall.amount_minor, settlement.base_currency
    worth = shortfall.worth_minor
    if worth is None:
        owed = [each for each in taken if each.amount_minor * amount > 0]
        whole = sum(each.amount_minor for each in owed)
        worth = divided(sum(each.base_minor for each in owed) * amount, whole)
    control = Leg(settlement.account_id, -amount, settlement.currency, -worth, merchant_id=merchant_id)
    parts = share(worth, [weight for _, _, weight in shortfall.splits])
    costs = (
        Leg(account_id, part, base, part, merchant_id=merchant_id, project_id=project_id)
        for (account_id, project_id, _), part in zip(shortfall.splits, parts, strict=True)
    )
    entry = add_entry(settlement, (control, *costs), shortfall.purpose, shortfall.description, fact)
    (item,) = items.of_entry(settlement.organization_id, entry.id)
    return rest_of(item)


def undo(
    settlement: Settlement,
    reason: str,
    on: date | None = None,
    *,
    never_stood: bool = False,
    returned_on: date | None = None,
) -> None:
    """End a settlement, and void what it caused, on the first open day at or after the one that it settled on.

    `on` is the day of what ends it, where that has one: until then its parts stand against each other. One that caused
    nothing may be ended as if it `never_stood`, behind a lock date too. `returned_on` is the day on which its money
    came back; without one it was a mistake.
    """
    ends_on = settlement.settled_on if on is None else max(on, settlement.settled_on)
    day = organizations.first_open_day(settlement.organization_id, ends_on)
    if never_stood and not settlements.caused_by(settlement):
        day = settlement.settled_on
    doing = updates.open_act()
    at, doing.undone[settlement.id] = doing.now, returned_on
    _change(settlement, "STANDING", status="UNDONE", reason=reason, undone_on=day, undone_at=at)
    for entry in settlements.caused_by(settlement):
        cancel(entry, day)


def cancel(entry: JournalEntry, on: date | None = None) -> JournalEntry:
    """Void an entry that a settlement caused, and settle its items with those of its reversal."""
    reversal = reversals.cancel(entry, on)
    settle_with_reversal(entry, reversal)
    return reversal


def settle_with_reversal(entry: JournalEntry, reversal: JournalEntry) -> list[Settlement]:
    """Settle what a voided entry with its corrections has on accounts that keep items with its reversal."""
    organization_id = entry.organization_id
    opposite = {
        (each.account_id, each.currency, each.org_merchant_id): each
        for each in items.of_entry(organization_id, reversal.id)
    }
    made = []
    for item in items.of_entry(organization_id, entry.id):
        other = opposite.get((item.account_id, item.currency, item.org_merchant_id))
        if other is not None and (item.amount_minor or item.amount_base_minor):
            account = lookups.get(Account, organization_id, item.account_id)
            made.append(settle_items(account, [rest_of(item), rest_of(other)], cause="VOID"))
    return made


def note(name: str, found: Collection[Settlement]) -> None:
    """Name settlements in the open act's `before` or `after`, besides those that it names already."""
    if not found:
        return
    doing = updates.open_act()
    facts: dict[str, Any] = getattr(doing, name) or {}
    earlier = facts.get("settlementIds", [])
    setattr(
        doing,
        name,
        {**facts, "settlementIds": [*earlier, *refs(Kind.SETTLEMENT, [each.id for each in found])]},
    )


def _change(settlement: Settlement, before: str, **values: Any) -> None:
    of_it = (of_same_organization(Settlement, settlement), Settlement.id == settlement.id)
    if update_rows(Settlement, *of_it, Settlement.status == before, **values) != 1:
        raise SettledMeanwhileError


def _realise(
    account: Account,
    settlement: Settlement,
    taken: Sequence[TakenPart],
    merchant_id: int | None,
    fact: entries.Fact | None,
) -> None:
    """Post what the parts differ by in the base currency, in the name of their party."""
    rest = sum(each.base_minor for each in taken)
    if not rest:
        return
    organization = organizations.get(account.organization_id)
    differences_id = accounts.by_role(organization.id, Role.REALISED_EXCHANGE).id
    owed, difference = realisation(
        account.id, settlement.currency, rest, organization.base_currency, differences_id
    )
    legs = (replace(owed, merchant_id=merchant_id), difference)
    description = f"Exchange difference of settlement {settlement.id} of {account.name}"
    add_entry(settlement, legs, "DIFFERENCE", description, fact)


def add_entry(
    settlement: Settlement,
    legs: Sequence[Leg],
    purpose: str,
    description: str,
    fact: entries.Fact | None = None,
) -> JournalEntry:
    """Post an entry that a settlement causes, on its day; its fact is the latest of what that joins."""
    doing = updates.open_act()
    entry = entries.add_draft(
        organizations.get(settlement.organization_id),
        settlement.settled_on,
        legs,
        source=settlements.SOURCE,
        description=description,
        now=doing.now,
    )
    entries.post(entry, doing, fact=fact)
    db.session.execute(
        sa.insert(SettlementEntry).values(
            organization_id=settlement.organization_id,
            journal_entry_id=entry.id,
            settlement_id=settlement.id,
            purpose=purpose,
        )
    )
    return entry
