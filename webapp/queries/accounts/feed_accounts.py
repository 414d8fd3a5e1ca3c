"""Queries on feed accounts: their records with ledger account, counts and last stated balance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.orm import load_only

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.ledger.money import Money
from webapp.models import FeedAccount, Organization
from webapp.queries.accounts import unconfirmed_lines
from webapp.queries.accounts.unconfirmed_lines import EntryCounts
from webapp.queries.common import lookups, read_ahead
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page
from webapp.snapshots.statements import TextStatement
from webapp.snapshots.stored_values import day, instant

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
    read_ahead.keep(organization_id, found.Organization)
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
        # Whatever else is asked of it is read then.
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
    """List the records of the active feed accounts A to Z, in two statements."""
    return _records(organization_id, _ACTIVE.rows(organization_id=organization_id))


def records(organization_id: str, fa_ids: Sequence[int]) -> list[FeedAccountRecord]:
    """Give the record of each feed account, in two statements."""
    rows = _NAMED.rows(organization_id=organization_id, ids=list(fa_ids))
    by_id = {each.fa_id: each for each in _records(organization_id, rows)}
    return [by_id[fa_id] for fa_id in fa_ids]


def _records(organization_id: str, rows: Sequence[Any]) -> list[FeedAccountRecord]:
    if not rows:
        return []
    entries = EntryCounts(*rows[0][:_COUNTS])
    unconfirmed = unconfirmed_lines.counts(organization_id, [row[_COUNTS] for row in rows], entries)
    return [_record(unconfirmed, *row[_COUNTS:]) for row in rows]


def _record(
    unconfirmed: dict[int, int], fa_id: int, balance: int | None, stated_in: str, on: Any, *others: Any
) -> FeedAccountRecord:
    account_id, account_name, account_emoji, account_type, mask, currency, *others_ = others
    institution_name, institution_logo, institution_url, unreconciled, last_feed_at, *rest = others_
    external_id, provider, is_active, splits_batches, paused_at, paused_reason = rest
    as_of = day(on)
    return FeedAccountRecord(
        fa_id=fa_id,
        account_id=account_id,
        account_name=account_name,
        account_emoji=account_emoji,
        account_type=account_type,
        mask=mask,
        currency=currency,
        institution_name=institution_name,
        institution_logo=institution_logo,
        institution_url=institution_url,
        unreconciled_count=unreconciled,
        unconfirmed_count=unconfirmed.get(fa_id, 0),
        last_feed_at=instant(last_feed_at),
        feed_balance=None
        if balance is None or as_of is None
        else FeedBalance(Money(balance, stated_in), stated_in, as_of),
        external_id=external_id,
        provider=provider,
        is_active=bool(is_active),
        splits_batches=bool(splits_batches),
        paused_at=instant(paused_at),
        paused_reason=paused_reason,
    )


_COUNTS: Final = 2
# The newest balance that the bank stated is of several for one day the last by the bank's time, else by receipt.
_OF_FEEDS: Final = """
    SELECT
        (SELECT COALESCE(max(p.number), 0) FROM journal_entries p WHERE p.organization_id = :organization_id),
        (SELECT count(*) FROM (
            SELECT 1 FROM journal_entries d {by_draft}
            WHERE d.organization_id = :organization_id AND d.status = 'DRAFT' LIMIT (
                SELECT COALESCE(max(p.number), 0) + 1 FROM journal_entries p
                WHERE p.organization_id = :organization_id)) drafts),
        f.id, b.amount_minor, b.currency, b.day,
        f.account_id, a.name, a.emoji, a.type, f.mask, f.currency, i.name, i.logo, i.url,
        (SELECT CAST(COALESCE(sum(s.unreconciled_count), 0) AS bigint) FROM line_month_sums s
            WHERE s.organization_id = :organization_id AND s.feed_account_id = f.id),
        f.last_feed_at, f.external_id, f.provider, f.is_active, f.splits_batches, f.paused_at, f.paused_reason
    FROM feed_accounts f
    JOIN accounts a ON a.organization_id = f.organization_id AND a.id = f.account_id
    LEFT JOIN institutions i ON i.organization_id = f.organization_id AND i.id = f.institution_id
    LEFT JOIN provider_balances b ON b.organization_id = f.organization_id AND b.id = (
        SELECT n.id FROM provider_balances n
        WHERE n.organization_id = :organization_id AND n.feed_account_id = f.id
        ORDER BY n.day DESC, n.stated_at IS NOT NULL DESC, COALESCE(n.stated_at, n.received_at) DESC,
            n.received_at DESC, n.id DESC LIMIT 1)
    WHERE f.organization_id = :organization_id AND """
_WORDS: Final = {
    "by_draft": ("INDEXED BY ix_journal_entries_drafts", ""),
    "fold": ("fold(f.name)", "lower(f.name)"),
}
_ACTIVE: Final = TextStatement(f"{_OF_FEEDS} f.is_active ORDER BY {{fold}}, f.id", **_WORDS)
_NAMED: Final = TextStatement(f"{_OF_FEEDS} f.id IN {{ids}}", **_WORDS)
