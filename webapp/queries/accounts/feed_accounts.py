"""Queries on feed accounts: their records with ledger account, counts and last stated balance."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
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
from webapp.models.base import table_of
from webapp.queries.common import kept_rows, lookups
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page

NEWEST = Order((FeedAccount.id,))  # type: ignore[arg-type]
# A hub reads all of them for each page: of tables, which takes half of what models take.
_FEED, _ACCOUNT, _BANK = map(table_of, (FeedAccount, Account, Institution))
_STATED, _MONTH = table_of(ProviderBalance), table_of(LineMonthSum)


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
    by_id = {row.fa_id: _record(row) for row in db.session.execute(*_named(organization_id, fa_ids))}
    return [by_id[fa_id] for fa_id in fa_ids]


@made_once
def _active(organization_id: str) -> sa.Select[Any]:
    feed = _FEED.c
    return _of_feeds(organization_id).where(feed.is_active).order_by(fold(feed.name), feed.id)


@made_once
def _named(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    return _of_feeds(organization_id).where(among(_FEED.c.id, ids))


def _of_feeds(organization_id: Any) -> sa.Select[Any]:
    """Select feed accounts with the ledger account, the institution, the newest balance and the counts of each.

    Of several balances of one day the newest is the last by the bank's time, else by receipt.
    """
    feed, account, bank, stated = _FEED.c, _ACCOUNT.c, _BANK.c, _STATED.c
    newest = _STATED.alias().c
    last_balance = (
        sa.select(newest.id)
        .where(newest.organization_id == organization_id, newest.feed_account_id == feed.id)
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
            *(feed.id.label("fa_id"), feed.account_id, feed.mask, feed.currency, feed.last_feed_at),
            *(feed.external_id, feed.provider, feed.is_active, feed.splits_batches),
            *(feed.paused_at, feed.paused_reason),
            *(account[each].label(f"account_{each}") for each in ("name", "emoji", "type")),
            *(bank[each].label(f"institution_{each}") for each in ("name", "logo", "url")),
            *(stated.amount_minor, stated.currency.label("stated_currency"), stated.day),
            _counted(_MONTH.c.unreconciled_count, organization_id).label("unreconciled_count"),
            _counted(_MONTH.c.unconfirmed_count, organization_id).label("unconfirmed_count"),
        )
        .join_from(_FEED, _ACCOUNT, refers_to(feed.account_id, _ACCOUNT))
        .outerjoin(_BANK, refers_to(feed.institution_id, _BANK))
        .outerjoin(
            _STATED,
            sa.and_(stated.organization_id == organization_id, stated.id == last_balance.scalar_subquery()),
        )
        .where(feed.organization_id == organization_id)
    )


def _counted(count: sa.Column[int], organization_id: Any) -> sa.ScalarSelect[Any]:
    """Add a count of lines up over the months of the feed account that is selected."""
    month = _MONTH.c
    return (
        sa.select(sa.func.coalesce(sa.func.sum(count), 0))
        .where(month.organization_id == organization_id, month.feed_account_id == _FEED.c.id)
        .scalar_subquery()
    )


def _record(row: Any) -> FeedAccountRecord:
    return FeedAccountRecord(
        fa_id=row.fa_id,
        account_id=row.account_id,
        account_name=row.account_name,
        account_emoji=row.account_emoji,
        account_type=row.account_type,
        mask=row.mask,
        currency=row.currency,
        institution_name=row.institution_name,
        institution_logo=row.institution_logo,
        institution_url=row.institution_url,
        unreconciled_count=int(row.unreconciled_count),
        unconfirmed_count=int(row.unconfirmed_count),
        last_feed_at=row.last_feed_at,
        feed_balance=None
        if row.day is None
        else FeedBalance(Money(row.amount_minor, row.stated_currency), row.stated_currency, row.day),
        external_id=row.external_id,
        provider=row.provider,
        is_active=row.is_active,
        splits_batches=row.splits_batches,
        paused_at=row.paused_at,
        paused_reason=row.paused_reason,
    )
