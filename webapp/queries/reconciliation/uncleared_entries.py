"""Entries on the ledger account of a feed that come from none of its lines, and that no standing proof has cleared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db, joined_by_keys
from webapp.ledger.money import Money
from webapp.models import Reconciliation, ReconciliationItem, of_same_organization
from webapp.queries.accounts.feed_postings import outside_entries
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once


@dataclass(frozen=True, slots=True)
class UnclearedEntries:
    """How many such entries there are, what they come to, and the day of the oldest; none where there are none."""

    count: int
    sum: Money
    oldest_on: date | None


def of_accounts(organization_id: str, currencies: Mapping[int, str]) -> dict[int, UnclearedEntries]:
    """Count the uncleared entries of feed accounts, which come by id with their currency, in one statement.

    What an opening balance absorbed is none of them; what only an open draft clears still is.
    """
    with joined_by_keys():
        rows = db.session.execute(*_counted(organization_id, list(currencies))).all()
    found = {
        fa_id: UnclearedEntries(count, Money(int(total), currencies[fa_id]), oldest)
        for fa_id, count, total, oldest in rows
    }
    return {
        fa_id: found.get(fa_id, UnclearedEntries(0, Money.zero(currency), None))
        for fa_id, currency in currencies.items()
    }


@made_once
def _counted(organization_id: str, fa_ids: Sequence[int]) -> sa.Select[Any]:
    entry = outside_entries(organization_id)
    opening_day = (
        sa.select(sa.func.max(Reconciliation.opening_date))
        .where(
            _is_standing(organization_id),
            Reconciliation.feed_account_id == entry.c.feed_account_id,
            Reconciliation.keep_as_new,
        )
        .scalar_subquery()
    )
    return (
        sa.select(
            entry.c.feed_account_id,
            sa.func.count(),
            sa.func.sum(entry.c.amount_minor),
            sa.func.min(entry.c.day),
        )
        .where(
            among(entry.c.feed_account_id, fa_ids),
            sa.or_(opening_day.is_(None), entry.c.day > opening_day),
            ~_is_cleared(organization_id, entry),
        )
        .group_by(entry.c.feed_account_id)
    )


def _is_cleared(organization_id: str, entry: Any) -> sa.ColumnElement[bool]:
    item = ReconciliationItem
    return (
        sa.select(1)
        .select_from(item)
        .join(
            Reconciliation,
            sa.and_(of_same_organization(Reconciliation, item), Reconciliation.id == item.reconciliation_id),
        )
        .where(
            item.organization_id == organization_id,
            item.feed_account_id == entry.c.feed_account_id,
            item.journal_entry_id == entry.c.journal_entry_id,
            item.is_standing,
            _is_standing(organization_id),
        )
        .exists()
    )


def _is_standing(organization_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(Reconciliation.organization_id == organization_id, Reconciliation.status == "COMPLETED")
