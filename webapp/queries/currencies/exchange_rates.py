"""Queries on exchange rates: the rate of a day, and the drafts that are mirrored at it."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.rates import MAX_AGE_DAYS, mirror
from webapp.models import ExchangeRate, JournalEntry, Posting, Transaction, refers_to
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.parts import with_parts

StoredRates = dict[tuple[date, str], tuple[Decimal, str]]
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
            ExchangeRate.day >= day - timedelta(days=MAX_AGE_DAYS),
        )
        .order_by(ExchangeRate.day.desc())
        .limit(1)
    )


def worth_on(organization_id: str, amount: Money, base: str, day: date) -> int | None:
    """Mirror an amount in the base currency at the rate of a day; None without a rate."""
    rate = rate_on(organization_id, amount.currency, base, day)
    return None if rate is None else mirror(amount.minor, amount.currency, base, rate)


def between(organization_id: str, currencies: Collection[str], first: date, last: date) -> StoredRates:
    """Read the stored rates of some currencies from a day to another: rate and source by day and currency."""
    rows = db.session.execute(
        sa.select(
            ExchangeRate.day, ExchangeRate.currency, ExchangeRate.units_per_base, ExchangeRate.source
        ).where(
            ExchangeRate.organization_id == organization_id,
            ExchangeRate.currency.in_(currencies),
            ExchangeRate.day.between(first, last),
        )
    )
    return {(row.day, row.currency): (row.units_per_base, row.source) for row in rows}


def currencies(organization_id: str) -> list[str]:
    """List the currencies that have a stored rate, A to Z."""
    return list(
        db.session.scalars(
            sa.select(ExchangeRate.currency)
            .distinct()
            .where(ExchangeRate.organization_id == organization_id)
            .order_by(ExchangeRate.currency)
        )
    )


def currencies_of_drafts(organization_id: str) -> set[str]:
    """Give the currencies of drafts' postings other than the base."""
    return set(
        db.session.scalars(
            sa.select(Posting.currency)
            .distinct()
            .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
            .where(
                Posting.organization_id == organization_id,
                JournalEntry.status == "DRAFT",
                Posting.currency != Posting.base_currency,
            )
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
    return page(statement, NEWEST, after=after, limit=limit)


def drafts_mirrored_at(organization_id: str, currency: str, first: date, last: date) -> Sequence[Any]:
    """List the drafts with a posting in a currency whose rate day lies between two, as (entry, rate day).

    The rate day of a bank line's draft is the line's booking day, wherever a lock dates the entry; of a draft that
    two banks' lines share it is that of the line in this currency. Correction
    markers are not among them, because they are mirrored at their original's rate.
    """
    of_currency = sa.case((Transaction.currency == currency, Transaction.booked_on))
    rate_day = sa.func.coalesce(
        sa.func.min(of_currency), sa.func.min(Transaction.booked_on), JournalEntry.effective_on
    )
    named = sa.exists().where(refers_to(Posting.journal_entry_id, JournalEntry), Posting.currency == currency)
    found = db.session.execute(
        sa.select(JournalEntry, rate_day.label("rate_day"))
        .outerjoin(Transaction, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status == "DRAFT",
            JournalEntry.corrects_id.is_(None),
            named,
        )
        .group_by(JournalEntry.organization_id, JournalEntry.id)
        .having(rate_day.between(first, last))
        .order_by(JournalEntry.id)
    ).all()
    with_parts(JournalEntry.postings, [row.JournalEntry for row in found])
    return found
