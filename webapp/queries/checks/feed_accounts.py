"""Feed accounts: each backed by one ledger account of its currency that holds money or a debt."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from webapp.ledger.codes import FEED_ACCOUNT_TYPES
from webapp.models import Account, FeedAccount, ProviderBalance, refers_to
from webapp.queries.checks.violations import Violation, found


def backing() -> Iterable[Violation]:
    """Find feed accounts whose ledger account is of another currency, or neither an asset nor a liability."""
    return found(
        "feed_account_backing",
        sa.select(
            FeedAccount.organization_id, FeedAccount.id, FeedAccount.currency, Account.type, Account.currency
        )
        .join(Account, refers_to(FeedAccount.account_id, Account))
        .where(
            sa.or_(
                sa.func.coalesce(Account.currency, "") != FeedAccount.currency,
                Account.type.not_in(FEED_ACCOUNT_TYPES),
            )
        ),
        lambda row: (
            f"Feed account {row.id} sends {row.currency}; its ledger account is in {row[4]}, {row.type}."
        ),
        lambda row: {"faId": row.id},
    )


def balances() -> Iterable[Violation]:
    """Find stated balances in another currency than their feed account's."""
    return found(
        "provider_balance_currency",
        sa.select(ProviderBalance.organization_id, FeedAccount.id, ProviderBalance.day)
        .join(FeedAccount, refers_to(ProviderBalance.feed_account_id, FeedAccount))
        .where(ProviderBalance.currency != FeedAccount.currency),
        lambda row: f"The balance of {row.day} of feed account {row.id} is in another currency.",
        lambda row: {"faId": row.id, "day": row.day.isoformat()},
    )


CHECKS = (backing, balances)
