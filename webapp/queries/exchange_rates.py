"""Exchange rates: which one holds on a day, and which drafts lean on one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.db import db
from webapp.models import ExchangeRate, JournalEntry, Posting, Transaction
from webapp.queries.paging import Order, Page, page

LONGEST_AGE_DAYS = 10
NEWEST = Order((ExchangeRate.day, ExchangeRate.id))  # type: ignore[arg-type]


def rate_on(organization_id: str, currency: str, base: str, day: date) -> Decimal | None:
    """Give the units of a currency for one unit of base: the last rate at or before the day, at most ten days old."""
    if currency == base:
        return Decimal(1)
    return db.session.scalar(
        sa.select(ExchangeRate.units_per_base)
        .where(
            ExchangeRate.organization_id == organization_id,
            ExchangeRate.currency == currency,
            ExchangeRate.day <= day,
            ExchangeRate.day >= day - timedelta(days=LONGEST_AGE_DAYS),
        )
        .order_by(ExchangeRate.day.desc())
        .limit(1)
    )


def of(organization_id: str, day: date, currency: str) -> ExchangeRate | None:
    """Find the rate that is written down for a day itself."""
    return db.session.scalar(
        sa.select(ExchangeRate).where(
            ExchangeRate.organization_id == organization_id,
            ExchangeRate.day == day,
            ExchangeRate.currency == currency,
        )
    )


def listed(
    organization_id: str,
    *,
    currency: str | None = None,
    from_: date | None = None,
    to: date | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[ExchangeRate]:
    """List rates, newest first; days are inclusive."""
    statement = sa.select(ExchangeRate).where(ExchangeRate.organization_id == organization_id)
    if currency is not None:
        statement = statement.where(ExchangeRate.currency == currency)
    if from_ is not None:
        statement = statement.where(ExchangeRate.day >= from_)
    if to is not None:
        statement = statement.where(ExchangeRate.day <= to)
    return Page(*page(statement, NEWEST, after=after, limit=limit))


def drafts_leaning_on(organization_id: str, currency: str, first: date, last: date) -> Sequence[Any]:
    """List the drafts with a posting in a currency whose rate day lies between two, as (entry, rate day).

    The rate day of a bank line's draft is the line's booking day, wherever a lock dates the entry. Correction
    markers are not among them: they are mirrored at their original's rate.
    """
    rate_day = sa.func.coalesce(sa.func.min(Transaction.booked_on), JournalEntry.effective_on)
    named = (
        sa.select(Posting.id)
        .where(
            Posting.organization_id == JournalEntry.organization_id,
            Posting.journal_entry_id == JournalEntry.id,
            Posting.currency == currency,
        )
        .exists()
    )
    return db.session.execute(
        sa.select(JournalEntry, rate_day.label("rate_day"))
        .outerjoin(
            Transaction,
            sa.and_(
                Transaction.organization_id == JournalEntry.organization_id,
                Transaction.journal_entry_id == JournalEntry.id,
            ),
        )
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status == "DRAFT",
            JournalEntry.corrects_id.is_(None),
            named,
        )
        .group_by(JournalEntry.id)
        .having(rate_day.between(first, last))
        .order_by(JournalEntry.id)
        .options(orm.selectinload(JournalEntry.postings))
    ).all()
