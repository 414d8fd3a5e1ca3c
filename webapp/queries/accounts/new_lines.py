"""What the books have ready for new bank lines of an account: where its books begin, and its uncategorised accounts."""

from datetime import date
from typing import NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.models import Account, Reconciliation
from webapp.queries.common.made_once import made_once


class NewLineFacts(NamedTuple):
    """The opening day of an account that is kept as new, and the ledger accounts of uncategorised lines."""

    opening_day: date | None
    income_id: int
    expenses_id: int


def facts(organization_id: str, feed_account_id: int) -> NewLineFacts:
    """Read what goes into each new line of an account."""
    return NewLineFacts(*db.session.execute(*_facts(organization_id, feed_account_id)).one())


@made_once
def _facts(organization_id: str, feed_account_id: int) -> sa.Select[date | None, int, int]:
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
