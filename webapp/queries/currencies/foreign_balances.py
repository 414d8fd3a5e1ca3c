"""Balances of asset and liability accounts in other currencies than the base, at the close of a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.chart import AccountType
from webapp.models import Account, ActionRequest, DaySum, JournalEntry, MonthSum, Organization
from webapp.queries.accounts.balances import reaches


@dataclass(frozen=True, slots=True)
class ForeignBalance:
    """An account's balance in one currency, and its book value in the base currency; minor units."""

    account_id: int
    account_name: str
    currency: str
    amount_minor: int
    amount_base_minor: int


def on(organization_id: str, day: date) -> list[ForeignBalance]:
    """List them by account and currency; those that are zero in both are left out."""
    base_currency = sa.select(Organization.base_currency).where(Organization.id == organization_id)
    parts = [
        sa.select(part.account_id, part.currency, part.amount_minor, part.amount_base_minor).where(
            part.organization_id == organization_id,
            part.currency != base_currency.scalar_subquery(),
            reaches(part, sa.literal(day, sa.Date)),
        )
        for part in (MonthSum, DaySum)
    ]
    sums = sa.union_all(*parts).subquery()
    rows = db.session.execute(
        sa.select(
            Account.id,
            Account.name,
            sums.c.currency,
            sa.func.sum(sums.c.amount_minor).label("amount_minor"),
            sa.func.sum(sums.c.amount_base_minor).label("amount_base_minor"),
        )
        .join(Account, sa.and_(Account.organization_id == organization_id, Account.id == sums.c.account_id))
        .where(Account.type.in_((AccountType.ASSET.value, AccountType.LIABILITY.value)))
        .group_by(Account.id, Account.name, sums.c.currency)
        .order_by(Account.id, sums.c.currency)
    )
    return [
        ForeignBalance(row.id, row.name, row.currency, int(row.amount_minor), int(row.amount_base_minor))
        for row in rows
        if row.amount_minor or row.amount_base_minor
    ]


def revaluation_of(organization_id: str, day: date) -> list[JournalEntry]:
    """Find the standing pair of entries that revalued the accounts as of a day, the earlier first."""
    acts = sa.select(ActionRequest.id).where(
        ActionRequest.organization_id == organization_id,
        ActionRequest.kind == "revalue",
        ActionRequest.target_kind == "day",
        ActionRequest.target_id == day.isoformat(),
    )
    return list(
        db.session.scalars(
            sa.select(JournalEntry)
            .where(
                JournalEntry.organization_id == organization_id,
                JournalEntry.source == "revaluation",
                JournalEntry.status == "POSTED",
                JournalEntry.action_request_id.in_(acts),
            )
            .order_by(JournalEntry.effective_on, JournalEntry.id)
        )
    )
