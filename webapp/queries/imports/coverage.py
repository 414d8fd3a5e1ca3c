"""The days of a bank account that its imported files cover, with the balances that they state."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from webapp.database.functions import first_of_month
from webapp.database.sessions import db
from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.money import Money
from webapp.ledger.proofs.coverage import Covered
from webapp.ledger.proofs.covered_months import CoveredMonth, CoveringProof, Evidence, Stated, by_month
from webapp.ledger.proofs.provider_balances import Snapshot, last_of_day
from webapp.models import (
    FeedAccount,
    FeedLine,
    Import,
    LineDaySum,
    LineJoin,
    LineMonthSum,
    ProviderBalance,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common.made_once import made_once
from webapp.queries.imports import alibis
from webapp.queries.imports.alibis import AlibiRecord
from webapp.queries.imports.imports import ImportAccountRecord


@dataclass(frozen=True, slots=True)
class CoverageRecord:
    """The coverage of a feed account by month, newest first."""

    fa_id: int
    currency: str
    months: list[CoveredMonth]
    alibi: AlibiRecord | None


def statements(organization_id: str, fa_id: int, *, but: int | None = None) -> list[Covered]:
    """List the days that each import covers of a feed account, in the order of import; `but` leaves out one.

    A file covers the days from its first line to its last, or to its closing balance where that is later; one
    without any day covers none.
    """
    # No import has the id 0.
    rows = db.session.scalars(*_imported(organization_id, but or 0))
    found = (covered(stored) for accounts in rows for stored in accounts if stored["fa_id"] == fa_id)
    return [each for each in found if each is not None]


@made_once
def _imported(organization_id: str, but: int) -> sa.Select[Any]:
    is_other = Import.organization_id == organization_id, Import.status == "IMPORTED", Import.id != but
    return sa.select(Import.accounts).where(*is_other).order_by(Import.created_at, Import.id)


def covered(stored: Mapping[str, Any]) -> Covered | None:
    """Give the days that an import covers of one account, None where it has no day."""
    account = ImportAccountRecord.of(stored)
    first = account.first_date or account.closing_date
    if first is None:
        return None
    last = max(day for day in (first, account.last_date, account.closing_date) if day)
    return Covered(first, last, account.opening_balance, account.closing_balance)


def record(feed_account: FeedAccount, proofs: Sequence[CoveringProof]) -> CoverageRecord:
    """Give the coverage of a feed account: by month its sources, and whether lines and stated balances agree.

    `proofs` are its standing ones.
    """
    evidence = _evidence(feed_account, proofs)
    alibi = alibis.of_account(feed_account, evidence.stated, evidence.moved)
    return CoverageRecord(feed_account.id, feed_account.currency, by_month(evidence), alibi)


def _evidence(feed_account: FeedAccount, proofs: Sequence[CoveringProof]) -> Evidence:
    organization_id, fa_id = feed_account.organization_id, feed_account.id
    files, moved = statements(organization_id, fa_id), _moved(feed_account)
    # Without a file it was the feed that brought each line: its days are kept.
    fed = _fed(feed_account) if files else _ends_of_months(moved)
    return Evidence(
        feed_account.currency,
        files=files,
        feed=_by_feed(feed_account, fed),
        fed_months={day.replace(day=1) for day in fed},
        stated=stated(feed_account),
        moved=moved,
        proofs=proofs,
        open_months=set(db.session.scalars(*_open_months(organization_id, fa_id))),
    )


@made_once
def _open_months(organization_id: str, fa_id: int) -> sa.Select[Any]:
    month = LineMonthSum
    return sa.select(month.day).where(
        month.organization_id == organization_id, month.feed_account_id == fa_id, month.unreconciled_count > 0
    )


def _moved(feed_account: FeedAccount) -> dict[date, int]:
    return dict(db.session.execute(*_day_sums(feed_account.organization_id, feed_account.id)).all())


@made_once
def _day_sums(organization_id: str, fa_id: int) -> sa.Select[date, int]:
    of_account = LineDaySum.organization_id == organization_id, LineDaySum.feed_account_id == fa_id
    return sa.select(LineDaySum.day, LineDaySum.amount_minor).where(*of_account)


def _ends_of_months(days: Iterable[date]) -> list[date]:
    """List the first and the last of some days in each month that has one."""
    months = (list(each) for _, each in groupby(sorted(days), key=lambda day: (day.year, day.month)))
    return [day for each in months for day in (each[0], each[-1])]


def _fed(feed_account: FeedAccount) -> list[date]:
    """List the first and the last day of each month on which the feed brought a line, or one that is joined to it."""
    rows = db.session.execute(*_fed_days(feed_account.organization_id, feed_account.id))
    return [day for days in rows for day in days]


@made_once
def _fed_days(organization_id: str, fa_id: int) -> sa.Select[Any]:
    """Select the days from the feed's own lines; an account of files has few."""
    of_feed = (FeedLine.organization_id == organization_id, FeedLine.feed_account_id == fa_id)
    itself = (
        sa.select(Transaction.booked_on.label("day"))
        .join(FeedLine, refers_to(FeedLine.transaction_id, Transaction))
        .where(*of_feed, Transaction.status.in_(IN_BOOKS))
    )
    is_joined = sa.and_(
        of_same_organization(FeedLine, LineJoin), FeedLine.transaction_id == LineJoin.joined_id
    )
    kept = (
        sa.select(Transaction.booked_on)
        .join(LineJoin, refers_to(LineJoin.kept_id, Transaction))
        .join(FeedLine, is_joined)
        .where(*of_feed, LineJoin.status == "JOINED", Transaction.status.in_(IN_BOOKS))
    )
    day = sa.union_all(itself, kept).subquery().c.day
    first = sa.func.min(day)
    return sa.select(first, sa.func.max(day)).group_by(first_of_month(day)).order_by(first)


def _by_feed(feed_account: FeedAccount, fed: list[date]) -> Covered | None:
    """A feed covers from the first line that it brought to the last, or to the last balance that it brought."""
    if not fed:
        return None
    stated = db.session.scalar(
        sa.select(sa.func.max(ProviderBalance.day)).where(
            refers_to(ProviderBalance.feed_account_id, feed_account), ProviderBalance.import_id.is_(None)
        )
    )
    return Covered(fed[0], max(fed[-1], stated) if stated else fed[-1])


def stated(feed_account: FeedAccount) -> list[Stated]:
    """List the balances that the bank stated, the last one of each day, in the order of days."""
    rows = db.session.execute(*_balances(feed_account.organization_id, feed_account.id))
    snapshots = [Snapshot(*row) for row in rows]
    return [
        Stated(day, Money(last_of_day(list(of_day)).amount_minor, feed_account.currency))
        for day, of_day in groupby(snapshots, key=lambda snapshot: snapshot.day)
    ]


@made_once
def _balances(organization_id: str, fa_id: int) -> sa.Select[date, int, datetime | None, datetime]:
    balance = ProviderBalance
    return (
        sa.select(balance.day, balance.amount_minor, balance.stated_at, balance.received_at)
        .where(balance.organization_id == organization_id, balance.feed_account_id == fa_id)
        .order_by(balance.day, balance.id)
    )
