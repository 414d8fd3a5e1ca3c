"""The watched accounts, which should be empty: the number of their open items, and their balance."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db, joined_by_keys
from webapp.ledger.money import Money
from webapp.models import Account, MonthSum, Organization
from webapp.queries.accounts.accounts import BY_CODE
from webapp.queries.common.made_once import made_once
from webapp.queries.transfers import open_items


@dataclass(frozen=True, slots=True)
class WatchedAccount:
    """A watched account, its open items, and its balance in the base currency."""

    account_id: int
    account_name: str
    open_items: int
    balance_base: Money


def watched(organization_id: str) -> list[WatchedAccount]:
    """List the watched accounts in the order of the chart.

    An item is open while its effective amount is still on the account: two lines of one transfer are two open
    items until they are linked (queries/transfers/open_items.py lists them).
    """
    with joined_by_keys():
        rows = db.session.execute(*_watched(organization_id)).all()
    return [
        WatchedAccount(account_id, name, int(count or 0), Money(int(balance or 0), base))
        for account_id, name, count, balance, base in rows
    ]


@made_once
def _watched(organization_id: str) -> sa.Select[Any]:
    items = _open_items(organization_id)
    return (
        sa.select(
            Account.id,
            Account.name,
            items.c.open_items,
            _balance(organization_id),
            Organization.base_currency,
        )
        .join(Organization, Organization.id == Account.organization_id)
        .outerjoin(items, items.c.account_id == Account.id)
        .where(Account.organization_id == organization_id, Account.is_watched, sa.not_(Account.is_archived))
        .order_by(*BY_CODE.columns)
    )


def _open_items(organization_id: str) -> sa.Subquery:
    items = open_items.items_subquery(organization_id)
    return (
        sa.select(items.c.account_id, sa.func.count().label("open_items"))
        .group_by(items.c.account_id)
        .subquery()
    )


def _balance(organization_id: str) -> sa.ScalarSelect[Any]:
    """Add up the months of one account: a join would read those of all."""
    return (
        sa.select(sa.func.sum(MonthSum.amount_base_minor))
        .where(MonthSum.organization_id == organization_id, MonthSum.account_id == Account.id)
        .correlate(Account)
        .scalar_subquery()
    )
