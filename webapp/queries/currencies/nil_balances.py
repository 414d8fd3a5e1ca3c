"""Balances that are nil in another currency and still have an amount in the base currency: realised differences."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.models import Account, DaySum, JournalEntry, MonthSum, Posting, refers_to
from webapp.queries.common.portions import portions


@dataclass(frozen=True, slots=True)
class NilBalance:
    """A revalued account that has nothing in a currency, and minor units of the base currency left over."""

    account_id: int
    account_name: str
    currency: str
    rest_base_minor: int


def among(organization_id: str, moved: Collection[tuple[int, str]]) -> list[NilBalance]:
    """List those of these accounts and currencies that are nil over all posted days, but not in the base currency.

    The transfers account is left out: its pairs realise their own differences. So are accounts that keep items: there
    only settlements realise.
    """
    rest = sa.func.sum(MonthSum.amount_base_minor)
    rows = db.session.execute(
        sa.select(Account.id, Account.name, MonthSum.currency, rest.label("rest"))
        .join(Account, refers_to(MonthSum.account_id, Account))
        .where(
            MonthSum.organization_id == organization_id,
            MonthSum.account_id.in_({account_id for account_id, _ in moved}),
            MonthSum.currency.in_({currency for _, currency in moved}),
            Account.is_revalued,
            sa.not_(Account.keeps_items),
            Account.role.is_distinct_from(Role.TRANSFERS.value),
        )
        .group_by(Account.id, Account.name, MonthSum.currency)
        .having(sa.and_(sa.func.sum(MonthSum.amount_minor) == 0, rest != 0))
        .order_by(Account.id, MonthSum.currency)
    )
    return [
        NilBalance(row.id, row.name, row.currency, int(row.rest))
        for row in rows
        if (row.id, row.currency) in moved
    ]


def latest_movement(organization_id: str, account_id: int, currency: str) -> date:
    """Give the last day on which something is posted to an account in a currency; differences alone do not count.

    A day whose kept sum is not nil has moved it; of the days after that, the postings are asked. So however long the
    history of the account is, only days of differences or of amounts that cancel each other are read.
    """
    of_account = (
        DaySum.organization_id == organization_id,
        DaySum.account_id == account_id,
        DaySum.currency == currency,
    )
    moved = db.session.scalar(sa.select(sa.func.max(DaySum.day)).where(*of_account, DaySum.amount_minor != 0))
    after = () if moved is None else (DaySum.day > moved,)
    nil_days = db.session.scalars(
        sa.select(DaySum.day).where(*of_account, *after).order_by(DaySum.day.desc())
    ).all()
    for days in portions(nil_days):
        found = _last_moved(organization_id, account_id, currency, days)
        if found is not None:
            return found
    if moved is None:
        raise LookupError(account_id, currency)
    return moved


def _last_moved(organization_id: str, account_id: int, currency: str, days: Sequence[date]) -> date | None:
    return db.session.scalar(
        sa.select(sa.func.max(JournalEntry.effective_on))
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.effective_on.in_(days),
            JournalEntry.status.in_(("POSTED", "VOIDED")),
            # As a sum, so that the databases find the entries of these days first, and not all of the account.
            Posting.account_id + 0 == account_id,
            Posting.currency == currency,
            Posting.amount_minor != 0,
        )
    )
