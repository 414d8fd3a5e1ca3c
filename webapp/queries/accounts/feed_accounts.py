"""Queries on feed accounts: their records with ledger account, counts and last stated balance."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.orm import load_only

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.ledger.money import Money
from webapp.models import (
    Account,
    FeedAccount,
    Institution,
    LineMonthSum,
    Organization,
    ProviderBalance,
    refers_to,
)
from webapp.queries.common import kept_rows, lookups
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.records import record_of

NEWEST = Order((FeedAccount.id,))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class FeedBalance:
    """The newest balance that the bank itself stated."""

    amount: Money
    currency: str
    as_of: date


@dataclass(frozen=True, slots=True)
class FeedAccountRecord:
    """A feed account, the ledger account behind it, and the counts of its open lines."""

    fa_id: int
    account_id: int
    account_name: str
    account_emoji: str | None
    account_type: str
    mask: str | None
    currency: str
    institution_name: str | None
    institution_logo: str | None
    institution_url: str | None
    unreconciled_count: int
    unconfirmed_count: int
    last_feed_at: datetime | None
    feed_balance: FeedBalance | None
    external_id: str | None
    provider: str
    is_active: bool
    splits_batches: bool
    paused_at: datetime | None
    paused_reason: str | None


def get(organization_id: str, fa_id: int) -> FeedAccount:
    """Find a feed account, or raise NotFoundError."""
    return lookups.get(FeedAccount, organization_id, fa_id)


def get_with_books(organization_id: str, fa_id: int) -> FeedAccount:
    """Find a feed account as `get` does, and read its organization in the same statement, which is asked for next."""
    found = db.session.execute(*_with_books(organization_id, fa_id)).first()
    if found is None:
        raise NotFoundError
    kept_rows.keep(organization_id, found.Organization)
    feed_account: FeedAccount = found.FeedAccount
    return feed_account


@made_once
def _with_books(organization_id: str, fa_id: int) -> Any:
    return (
        sa.select(FeedAccount, Organization)
        .join(Organization, Organization.id == FeedAccount.organization_id)
        .where(
            FeedAccount.organization_id == organization_id,
            FeedAccount.id == fa_id,
            Organization.id == organization_id,
        )
        # Everything else is read then.
        .options(load_only(Organization.lock_date, Organization.time_zone, Organization.base_currency))
    )


def record(feed_account: FeedAccount) -> FeedAccountRecord:
    """Give the record of one feed account."""
    return records(feed_account.organization_id, [feed_account.id])[0]


def listed(organization_id: str, *, after: tuple[Any, ...] | None, limit: int) -> Page[FeedAccountRecord]:
    """List feed accounts, newest first."""
    statement = sa.select(FeedAccount).where(FeedAccount.organization_id == organization_id)
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of(records(organization_id, [each.id for each in found.items]))


def active(organization_id: str) -> Sequence[FeedAccount]:
    """List the active feed accounts A to Z."""
    return db.session.scalars(
        sa.select(FeedAccount)
        .where(FeedAccount.organization_id == organization_id, FeedAccount.is_active)
        .order_by(fold(FeedAccount.name), FeedAccount.id)
    ).all()


def active_records(organization_id: str) -> list[FeedAccountRecord]:
    """List the records of the active feed accounts A to Z, in one statement."""
    return [_record(row) for row in db.session.execute(*_active(organization_id))]


def records(organization_id: str, fa_ids: Sequence[int]) -> list[FeedAccountRecord]:
    """Give the record of each feed account, in one statement."""
    by_id = {row.FeedAccount.id: _record(row) for row in db.session.execute(*_named(organization_id, fa_ids))}
    return [by_id[fa_id] for fa_id in fa_ids]


@made_once
def _active(organization_id: str) -> sa.Select[Any]:
    return (
        _of_feeds(organization_id)
        .where(FeedAccount.is_active)
        .order_by(fold(FeedAccount.name), FeedAccount.id)
    )


@made_once
def _named(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    return _of_feeds(organization_id).where(among(FeedAccount.id, ids))


def _of_feeds(organization_id: Any) -> sa.Select[Any]:
    """Select feed accounts with the ledger account, the institution, the newest balance and the counts of each.

    Of several balances of one day the newest is the last by the bank's time, else by receipt.
    """
    newest = orm.aliased(ProviderBalance)
    last_balance = (
        sa.select(newest.id)
        .where(newest.organization_id == organization_id, newest.feed_account_id == FeedAccount.id)
        .order_by(
            newest.day.desc(),
            newest.stated_at.is_not(None).desc(),
            sa.func.coalesce(newest.stated_at, newest.received_at).desc(),
            newest.received_at.desc(),
            newest.id.desc(),
        )
        .limit(1)
    )
    return (
        sa.select(
            FeedAccount,
            Account,
            Institution,
            ProviderBalance.amount_minor,
            ProviderBalance.currency,
            ProviderBalance.day,
            _counted(LineMonthSum.unreconciled_count, organization_id),
            _counted(LineMonthSum.unconfirmed_count, organization_id),
        )
        .join(Account, refers_to(FeedAccount.account_id, Account))
        .outerjoin(Institution, refers_to(FeedAccount.institution_id, Institution))
        .outerjoin(
            ProviderBalance,
            sa.and_(
                ProviderBalance.organization_id == organization_id,
                ProviderBalance.id == last_balance.scalar_subquery(),
            ),
        )
        .where(FeedAccount.organization_id == organization_id)
    )


def _counted(count: orm.InstrumentedAttribute[int], organization_id: Any) -> sa.ScalarSelect[Any]:
    """Add a count of lines up over the months of the feed account that is selected."""
    return (
        sa.select(sa.func.coalesce(sa.func.sum(count), 0))
        .where(
            LineMonthSum.organization_id == organization_id, LineMonthSum.feed_account_id == FeedAccount.id
        )
        .scalar_subquery()
    )


def _record(row: Any) -> FeedAccountRecord:
    found, account, institution, balance, currency, as_of, unreconciled, unconfirmed = row
    return record_of(
        FeedAccountRecord,
        found,
        fa_id=found.id,
        account_id=account.id,
        account_name=account.name,
        account_emoji=account.emoji,
        account_type=account.type,
        institution_name=institution.name if institution else None,
        institution_logo=institution.logo if institution else None,
        institution_url=institution.url if institution else None,
        unreconciled_count=int(unreconciled),
        unconfirmed_count=int(unconfirmed),
        feed_balance=None
        if balance is None or as_of is None
        else FeedBalance(Money(balance, currency), currency, as_of),
    )
