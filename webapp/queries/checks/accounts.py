"""Feed accounts, each backed by one ledger account of its currency, and merged merchants, each with one that counts."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.codes import FEED_ACCOUNT_TYPES
from webapp.models import Account, FeedAccount, Merchant, ProviderBalance, of_same_organization, refers_to
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


def merged_into_merged() -> Iterable[Violation]:
    """Find merchants that count as one which is merged itself."""
    other = orm.aliased(Merchant)
    return found(
        "merged_into_merged",
        sa.select(Merchant.organization_id, Merchant.id, other.id.label("other_id"))
        .join(other, refers_to(Merchant.merged_into_id, other))
        .where(other.merged_into_id.is_not(None))
        .order_by(Merchant.id),
        lambda row: f"Merchant {row.id} counts as merchant {row.other_id}, which is merged itself.",
        _merchant,
    )


def merged_through_another() -> Iterable[Violation]:
    """Find merchants that came along with one that does not count as the same."""
    other = orm.aliased(Merchant)
    through = sa.and_(of_same_organization(other, Merchant), other.id == Merchant.merged_through_id)
    return found(
        "merged_through_another",
        sa.select(Merchant.organization_id, Merchant.id, other.id.label("other_id"))
        .join(other, through)
        .where(Merchant.merged_into_id.is_distinct_from(other.merged_into_id))
        .order_by(Merchant.id),
        lambda row: (
            f"Merchant {row.id} came along with merchant {row.other_id}, which counts as another one."
        ),
        _merchant,
    )


def merged_in_a_loop() -> Iterator[Violation]:
    """Find merchants that came along with each other, so that none of them can be separated."""
    rows = db.session.execute(
        sa.select(Merchant.organization_id, Merchant.id, Merchant.merged_through_id)
        .where(Merchant.merged_through_id.is_not(None))
        .order_by(Merchant.id)
    ).all()
    through = {row.id: row.merged_through_id for row in rows}
    for row in rows:
        if _leads_back(row.id, through):
            sentence = f"Merchant {row.id} came along with merchants that came along with it."
            yield Violation("merged_in_a_loop", sentence, row.organization_id, _merchant(row))


def _leads_back(merchant_id: int, through: Mapping[int, int]) -> bool:
    seen: set[int] = set()
    while (merchant_id := through.get(merchant_id, 0)) not in seen:
        if not merchant_id:
            return False
        seen.add(merchant_id)
    return True


def _merchant(row: Any) -> dict[str, object]:
    return {"orgMerchantId": row.id}


CHECKS = (backing, balances, merged_into_merged, merged_through_another, merged_in_a_loop)
