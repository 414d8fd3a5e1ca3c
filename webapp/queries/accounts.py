"""Questions about the chart of accounts."""

from __future__ import annotations

import sqlalchemy as sa

from webapp.db import db
from webapp.models import Account, FeedAccount
from webapp.queries import lookups


def get(organization_id: str, account_id: int) -> Account:
    """Find an account, or raise NotFoundError."""
    return lookups.get(Account, organization_id, account_id)


def by_role(organization_id: str, role: str) -> Account:
    """Find the system account that plays a role in the books."""
    return db.session.scalars(
        sa.select(Account).where(Account.organization_id == organization_id, Account.role == role)
    ).one()


def feed_of(organization_id: str, account_id: int) -> FeedAccount | None:
    """Find the feed account that a ledger account stands behind, if it does."""
    return db.session.scalar(
        sa.select(FeedAccount).where(
            FeedAccount.organization_id == organization_id, FeedAccount.account_id == account_id
        )
    )
