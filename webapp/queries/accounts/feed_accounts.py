"""Queries on feed accounts: their records with ledger account, counts and last stated balance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.db import db
from webapp.ledger.money import Money
from webapp.models import FeedAccount, ProviderBalance
from webapp.queries.accounts import balances as sums
from webapp.queries.accounts import unconfirmed_lines
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page
from webapp.sql_functions import fold

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


def record(feed_account: FeedAccount) -> FeedAccountRecord:
    """Give the record of one feed account."""
    return records(feed_account.organization_id, [feed_account])[0]


def listed(organization_id: str, *, after: tuple[Any, ...] | None, limit: int) -> Page[FeedAccountRecord]:
    """List feed accounts, newest first."""
    statement = (
        sa.select(FeedAccount)
        .where(FeedAccount.organization_id == organization_id)
        .options(orm.joinedload(FeedAccount.account), orm.joinedload(FeedAccount.institution))
    )
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of(records(organization_id, found.items))


def active(organization_id: str) -> Sequence[FeedAccount]:
    """List the active feed accounts A to Z, with their ledger accounts."""
    return db.session.scalars(
        sa.select(FeedAccount)
        .where(FeedAccount.organization_id == organization_id, FeedAccount.is_active)
        .options(orm.joinedload(FeedAccount.account), orm.joinedload(FeedAccount.institution))
        .order_by(fold(FeedAccount.name), FeedAccount.id)
    ).all()


def records(organization_id: str, feed_accounts: Sequence[FeedAccount]) -> list[FeedAccountRecord]:
    """Give the record of each feed account, in a constant number of statements."""
    ids = [each.id for each in feed_accounts]
    unreconciled = sums.unreconciled(organization_id, ids)
    unconfirmed = unconfirmed_lines.counts(organization_id, ids)
    balances = feed_balances(organization_id, ids)
    return [
        FeedAccountRecord(
            fa_id=each.id,
            account_id=each.account_id,
            account_name=each.account.name,
            account_emoji=each.account.emoji,
            account_type=each.account.type,
            mask=each.mask,
            currency=each.currency,
            institution_name=each.institution.name if each.institution else None,
            institution_logo=each.institution.logo if each.institution else None,
            institution_url=each.institution.url if each.institution else None,
            unreconciled_count=unreconciled.get(each.id, 0),
            unconfirmed_count=unconfirmed.get(each.id, 0),
            last_feed_at=each.last_feed_at,
            feed_balance=balances.get(each.id),
            external_id=each.external_id,
            provider=each.provider,
            is_active=each.is_active,
            splits_batches=each.splits_batches,
            paused_at=each.paused_at,
            paused_reason=each.paused_reason,
        )
        for each in feed_accounts
    ]


def feed_balances(organization_id: str, ids: Sequence[int]) -> dict[int, FeedBalance]:
    """Give the newest stated balance of each: of several for one day the last by the bank's time, else by receipt."""
    return {
        row.feed_account_id: FeedBalance(Money(row.amount_minor, row.currency), row.currency, row.day)
        for row in db.session.execute(*_newest_balances(organization_id, ids))
    }


@made_once
def _newest_balances(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    balance = ProviderBalance
    newest = (
        balance.day.desc(),
        balance.stated_at.is_not(None).desc(),
        sa.func.coalesce(balance.stated_at, balance.received_at).desc(),
        balance.received_at.desc(),
        balance.id.desc(),
    )
    place = sa.func.row_number().over(partition_by=balance.feed_account_id, order_by=newest)
    ranked = (
        sa.select(
            balance.feed_account_id, balance.day, balance.amount_minor, balance.currency, place.label("place")
        )
        .where(balance.organization_id == organization_id, balance.feed_account_id.in_(ids))
        .subquery()
    )
    return sa.select(ranked).where(ranked.c.place == 1)
