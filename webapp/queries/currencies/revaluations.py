"""Revaluations: the balances in other currencies at a day, and the two entries, whose second reverses the first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal.entries import Leg, mirrored
from webapp.models import (
    Account,
    ActionRequest,
    DaySum,
    JournalEntry,
    MonthSum,
    Organization,
    of_same_organization,
)
from webapp.queries.common.made_once import made_once

SOURCE: Final = "revaluation"
# In these words SQLite knows that the index of these entries has them.
IS_REVALUATION: Final = JournalEntry.source == sa.literal_column(f"'{SOURCE}'")


def standing(organization_id: str, day: date) -> Sequence[JournalEntry]:
    """Find the entries of the revaluation as of a day that is not taken back, the earlier first."""
    return db.session.scalars(*_of_day(organization_id, day.isoformat())).all()


@made_once
def _of_day(organization_id: str, day: str) -> sa.Select[JournalEntry]:
    acts = sa.select(ActionRequest.id).where(
        ActionRequest.organization_id == organization_id,
        ActionRequest.kind == "revalue",
        ActionRequest.target_kind == "day",
        ActionRequest.target_id == day,
    )
    return _standing(
        JournalEntry.organization_id == organization_id, JournalEntry.action_request_id.in_(acts)
    )


def of_entry(entry: JournalEntry) -> Sequence[JournalEntry]:
    """Find both standing entries of the revaluation that an entry belongs to, the earlier first; else none."""
    if entry.source != SOURCE or entry.status != "POSTED":
        return []
    standing = _standing(
        of_same_organization(JournalEntry, entry),
        JournalEntry.action_request_id == entry.action_request_id,
    )
    return db.session.scalars(standing).all()


def _standing(*conditions: sa.ColumnElement[bool]) -> sa.Select[JournalEntry]:
    return (
        sa.select(JournalEntry)
        .where(*conditions, IS_REVALUATION, JournalEntry.status == "POSTED")
        .order_by(JournalEntry.effective_on, JournalEntry.id)
    )


@dataclass(frozen=True, slots=True)
class ForeignBalance:
    """An account's balance in one currency, and its book value in the base currency; minor units."""

    account_id: int
    account_name: str
    currency: str
    amount_minor: int
    amount_base_minor: int


def foreign_balances(organization_id: str, day: date, *, without: Sequence[Leg] = ()) -> list[ForeignBalance]:
    """List them by account and currency, as if some posted legs were not; those that are zero in both are left out."""
    rows = db.session.execute(*_foreign(organization_id, day.replace(day=1), day))
    taken = {(leg.account_id, leg.currency): leg for leg in without}
    balances = [_balance(row, taken.get((row.id, row.currency))) for row in rows]
    return [each for each in balances if each.amount_minor or each.amount_base_minor]


@made_once
def _foreign(organization_id: str, month: date, day: date) -> sa.Select[Any]:
    """Add up the sums of months and those of the days since; the few sums of months tell what there are sums of."""
    base_currency = sa.select(Organization.base_currency).where(Organization.id == organization_id)
    foreign = (
        sa.select(MonthSum.account_id, MonthSum.currency)
        .where(
            MonthSum.organization_id == organization_id, MonthSum.currency != base_currency.scalar_subquery()
        )
        .distinct()
        .subquery()
    )
    within: dict[Any, sa.ColumnElement[bool]] = {
        MonthSum: MonthSum.day < month,
        DaySum: DaySum.day.between(month, day),
    }
    sums = sa.union_all(
        *(
            sa.select(part.account_id, part.currency, part.amount_minor, part.amount_base_minor)
            .join_from(
                foreign,
                part,
                sa.and_(part.account_id == foreign.c.account_id, part.currency == foreign.c.currency),
            )
            .where(part.organization_id == organization_id, condition)
            for part, condition in within.items()
        )
    ).subquery()
    return (
        sa.select(
            Account.id,
            Account.name,
            sums.c.currency,
            sa.func.sum(sums.c.amount_minor).label("amount_minor"),
            sa.func.sum(sums.c.amount_base_minor).label("amount_base_minor"),
        )
        .join(Account, sa.and_(Account.organization_id == organization_id, Account.id == sums.c.account_id))
        .where(Account.is_revalued)
        .group_by(Account.id, Account.name, sums.c.currency)
        .order_by(Account.id, sums.c.currency)
    )


def _balance(row: Any, taken: Leg | None) -> ForeignBalance:
    amount, base = (taken.amount_minor, mirrored(taken)) if taken else (0, 0)
    return ForeignBalance(
        row.id, row.name, row.currency, int(row.amount_minor) - amount, int(row.amount_base_minor) - base
    )
