"""Settlements that their items no longer carry: undone; and items written anew for an account that was switched."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal.entries import Leg, mirrored
from webapp.ledger.journal.settled_parts import carries
from webapp.models import Account, JournalEntry, OwedItem, Settlement, SettlementPart, refers_to
from webapp.models.base import table_of
from webapp.queries.common import lookups, merchants
from webapp.queries.items import derivations, items, settlements
from webapp.queries.items.items import Key
from webapp.queries.journal import entries
from webapp.queries.transfers import open_items
from webapp.services.audit.act import Act
from webapp.services.journal.settlements import note, settle_with_reversal, undo

SEPARATED = "Its parties were separated."
SWITCHED = "The account keeps items from another day on."


def release(entry: JournalEntry, reason: str, on: date) -> None:
    """Undo every standing settlement of an entry's items on the day of what ends them, newest first."""
    standing = list(settlements.of_entry(entry))
    for settlement in standing:
        undo(settlement, reason, on)
    note("before", standing)


def make_room(entry: JournalEntry, legs: Sequence[Leg], reason: str, on: date) -> None:
    """Undo the settlements that an entry's kept items will not carry once these legs are posted on a day, newest first.

    The database lets no item be smaller than what is settled of it, so this comes before the legs are posted.
    """
    undone = []
    for key, (amount, base) in _changes(entry, legs).items():
        item = items.of_key(entry.organization_id, key)
        while item is not None and not _will_carry(item, amount, base):
            standing = settlements.of_items(entry.organization_id, [item.id])
            if not standing:
                break
            undo(standing[0], reason, on)
            undone.append(standing[0])
            item = items.of_key(entry.organization_id, key)
    note("before", undone)


def _will_carry(item: OwedItem, amount: int, base: int) -> bool:
    after = item.amount_minor + amount, item.amount_base_minor + base
    return carries(after, (item.settled_minor, item.settled_base_minor))


def _changes(entry: JournalEntry, legs: Sequence[Leg]) -> Mapping[Key, tuple[int, int]]:
    """Add up what legs that belong to an entry change of each of its items."""
    opened = {row.id: row.items_from for row in _keeping(entry.organization_id, legs)}
    changes: dict[Key, tuple[int, int]] = {}
    for leg in legs:
        if leg.account_id in opened:
            items_from = opened[leg.account_id]
            is_opening = items_from is not None and entry.effective_on < items_from
            root_id = None if is_opening else entry.id
            key = Key(leg.account_id, leg.currency, leg.merchant_id, root_id)
            amount, base = changes.get(key, (0, 0))
            changes[key] = amount + leg.amount_minor, base + mirrored(leg)
    return changes


def _keeping(organization_id: str, legs: Sequence[Leg]) -> Iterator[Account]:
    yield from db.session.scalars(
        sa.select(Account).where(
            Account.organization_id == organization_id,
            Account.id.in_({leg.account_id for leg in legs}),
            Account.keeps_items,
        )
    )


def release_uncarried(entry: JournalEntry, reason: str, on: date) -> None:
    """Undo the settlements that an entry's items no longer carry after a correction of a day, newest first."""
    undone: list[Settlement] = []
    for settlement in settlements.of_entry(entry):
        if not _carries(entry, settlement.account_id):
            undone.append(settlement)
            undo(settlement, reason, on)
    note("before", undone)


def _carries(entry: JournalEntry, account_id: int) -> bool:
    db.session.flush()
    whole = _amounts(entry, account_id)
    settled = settlements.settled_amounts(entry.organization_id).subquery()
    part = SettlementPart
    rows = db.session.execute(
        sa.select(settled.c.item_id, settled.c.amount_minor, settled.c.amount_base_minor).where(
            settled.c.organization_id == entry.organization_id,
            settled.c.item_id.in_(sa.select(part.item_id).where(part.journal_entry_id == entry.id)),
        )
    )
    return all(
        carries(whole.get(row.item_id, (0, 0)), (int(row.amount_minor), int(row.amount_base_minor)))
        for row in rows
    )


def _amounts(entry: JournalEntry, account_id: int) -> Mapping[int, tuple[int, int]]:
    kept = items.of_entry(entry.organization_id, entry.id)
    if any(each.account_id == account_id for each in kept):
        return {each.id: (each.amount_minor, each.amount_base_minor) for each in kept}
    whole = open_items.whole_items(entry.organization_id, account_id).c
    rows = db.session.execute(
        sa.select(whole.item_id, whole.amount_minor, whole.amount_base_minor).where(whole.root_id == entry.id)
    )
    return {row.item_id: (int(row.amount_minor), int(row.amount_base_minor)) for row in rows}


def part_separated(doing: Act) -> None:
    """Undo the standing settlements that join items of a merchant that was separated with those of others.

    The sentence of each is a warning, for its items are open again.
    """
    if doing.kind != "separate_merchant":
        return
    organization_id = doing.actor.organization_id
    found = settlements.joining(organization_id, merchants.alike(organization_id, int(doing.target_id)))
    for settlement in found:
        undo(settlement, SEPARATED, never_stood=True)
        account = lookups.get(Account, organization_id, settlement.account_id)
        doing.warn(
            "settlement_undone",
            f"Settlement {settlement.id} of {account.name} joined both parties and is undone; its items are open.",
        )
    note("before", found)


def write_anew(doing: Act) -> None:
    """Write the items of an account anew where an act switched it, and settle what was voided with its reversal."""
    if doing.kind != "update_account" or not (doing.after or {}).keys() & {"keepsItems", "itemsFrom"}:
        return
    account = lookups.get(Account, doing.actor.organization_id, int(doing.target_id))
    standing = settlements.of_account(account)
    for settlement in standing:
        undo(settlement, SWITCHED)
    note("before", standing)
    db.session.execute(
        sa.delete(OwedItem).where(
            OwedItem.organization_id == account.organization_id, OwedItem.account_id == account.id
        )
    )
    if not account.keeps_items:
        return
    rows = [dict(row) for row in db.session.execute(derivations.new_rows(account)).mappings()]
    if rows:
        db.session.connection().execute(sa.insert(table_of(OwedItem)), rows)
    made = []
    for reversal in _reversals(account):
        made += settle_with_reversal(entries.get(account.organization_id, reversal.voids_id or 0), reversal)
    note("after", made)


def _reversals(account: Account) -> list[JournalEntry]:
    return list(
        db.session.scalars(
            sa.select(JournalEntry)
            .join(OwedItem, refers_to(OwedItem.journal_entry_id, JournalEntry))
            .where(
                JournalEntry.organization_id == account.organization_id,
                JournalEntry.voids_id.is_not(None),
                OwedItem.account_id == account.id,
            )
            .distinct()
            .order_by(JournalEntry.id)
        )
    )
