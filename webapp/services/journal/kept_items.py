"""Writing the items of an account anew, once it was switched to keep them, or to keep none."""

from __future__ import annotations

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import Account, JournalEntry, OwedItem, refers_to
from webapp.models.base import table_of
from webapp.queries.common import lookups
from webapp.queries.items import derivations, settlements
from webapp.queries.journal import entries
from webapp.services.audit.act import CLOSINGS, Act
from webapp.services.journal.settlements import note, settle_with_reversal, undo

SWITCHED = "The account keeps items from another day on."


def write(doing: Act) -> None:
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


CLOSINGS.append(write)
