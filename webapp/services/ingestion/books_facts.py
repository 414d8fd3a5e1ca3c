"""The facts of the books that go into every new line of an account."""

from datetime import date, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.models import Account, FeedAccount, Organization, Reconciliation
from webapp.queries.common.made_once import made_once


class BooksFacts(NamedTuple):
    """The open period of the books, and the ledger accounts of an account's lines."""

    organization_id: str
    base_currency: str
    first_open: date
    feed_account_id: int
    account_id: int
    currency: str
    opening_day: date
    income_id: int
    expenses_id: int


def facts_for(organization: Organization, feed_account: FeedAccount) -> BooksFacts:
    """Read the facts that go into the lines of an account."""
    lock = organization.lock_date
    opening_day, income_id, expenses_id = db.session.execute(*_facts(organization.id, feed_account.id)).one()
    return BooksFacts(
        organization_id=organization.id,
        base_currency=organization.base_currency,
        first_open=date.min if lock is None else lock + timedelta(days=1),
        feed_account_id=feed_account.id,
        account_id=feed_account.account_id,
        currency=feed_account.currency,
        opening_day=opening_day or date.min,
        income_id=income_id,
        expenses_id=expenses_id,
    )


@made_once
def _facts(organization_id: str, feed_account_id: int) -> sa.Select[date | None, int, int]:
    """Select the opening day of an account that is kept as new, and the ledger accounts of uncategorised lines."""

    def account_id(role: Role) -> sa.ScalarSelect[int]:
        of_role = Account.organization_id == organization_id, Account.role == role
        return sa.select(Account.id).where(*of_role).scalar_subquery()

    opening_day = sa.select(sa.func.max(Reconciliation.opening_date)).where(
        Reconciliation.organization_id == organization_id,
        Reconciliation.feed_account_id == feed_account_id,
        Reconciliation.status.in_(("DRAFT", "COMPLETED")),
        Reconciliation.keep_as_new,
    )
    return sa.select(
        opening_day.scalar_subquery(),
        account_id(Role.UNCATEGORISED_INCOME),
        account_id(Role.UNCATEGORISED_EXPENSES),
    )
