"""What linked transfers leave on the transfers account: all that is posted of both sides and of their difference."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from webapp.ledger.chart import Role
from webapp.models import Account, JournalEntry, Posting, Transaction, TransferPair, refers_to


def unsettled() -> sa.Select[Any]:
    """Select the standing pairs, by their two lines, that do not come to nil in each currency and in the base."""
    parts = _parts().subquery()
    amount, base = sa.func.sum(Posting.amount_minor), sa.func.sum(Posting.amount_base_minor)
    keys = (parts.c.organization_id, parts.c.first_id, parts.c.second_id)
    return (
        sa.select(*keys)
        .join(
            Posting,
            sa.and_(
                Posting.organization_id == parts.c.organization_id,
                Posting.journal_entry_id == parts.c.entry_id,
            ),
        )
        .join(Account, refers_to(Posting.account_id, Account))
        .where(Account.role == Role.TRANSFERS.value)
        .group_by(*keys, Posting.currency)
        .having(sa.or_(amount != 0, base != 0))
        .distinct()
    )


def _parts() -> sa.CompoundSelect[Any]:
    """Select the posted entries of each standing pair: of both its lines, with corrections, and of its difference."""
    pair = TransferPair
    is_first = pair.transaction_id < pair.other_id
    columns = (
        pair.organization_id.label("organization_id"),
        sa.case((is_first, pair.transaction_id), else_=pair.other_id).label("first_id"),
        sa.case((is_first, pair.other_id), else_=pair.transaction_id).label("second_id"),
        JournalEntry.id.label("entry_id"),
    )
    counted = (pair.status == "STANDING", JournalEntry.status == "POSTED")
    of_lines = sa.select(*columns).join(Transaction, refers_to(pair.transaction_id, Transaction))
    return sa.union(
        of_lines.join(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry)).where(*counted),
        of_lines.join(
            JournalEntry,
            sa.and_(
                JournalEntry.organization_id == Transaction.organization_id,
                JournalEntry.corrects_id == Transaction.journal_entry_id,
            ),
        ).where(*counted),
        sa.select(*columns)
        .join(JournalEntry, refers_to(pair.difference_entry_id, JournalEntry))
        .where(*counted),
    )
