"""A bank account by the books, day by day, beside the balances that its statements and proofs state."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.ledger.rates import mirror
from webapp.models import FeedAccount, Reconciliation, refers_to
from webapp.queries.access import organizations
from webapp.queries.accounts import balances, feed_accounts, provider_balances
from webapp.queries.currencies import rate_tables
from webapp.queries.imports import coverage


@dataclass(frozen=True, slots=True)
class StatedPoint:
    """A stated balance of one day beside that of the books; `proof_id` where a standing proof states it."""

    day: date
    stated: Money
    books: Money
    proof_id: int | None

    @property
    def apart(self) -> Money:
        """What the statement has more than the books."""
        return self.stated - self.books


@dataclass(frozen=True, slots=True)
class BalanceHistory:
    """The balance by the books at the close of each day, and what is stated, both in the order of days."""

    books: Mapping[date, Money]
    points: Sequence[StatedPoint]

    @property
    def parted(self) -> tuple[StatedPoint | None, StatedPoint] | None:
        """The last stated balance that the books agree with, or none, and the next, from which on they differ."""
        if not self.points or not self.points[-1].apart:
            return None
        last = max((place for place, point in enumerate(self.points) if not point.apart), default=-1)
        return self.points[last] if last >= 0 else None, self.points[last + 1]


def history(feed_account: FeedAccount, period: Period) -> BalanceHistory:
    """Give the balances of a feed account over a period, in its own currency; of two for a day the proof's counts."""
    books = _books(feed_account, period)
    proofs = {
        proof.statement_date: proof
        for proof in db.session.scalars(
            sa.select(Reconciliation).where(
                refers_to(Reconciliation.feed_account_id, feed_account),
                Reconciliation.status == "COMPLETED",
                Reconciliation.statement_date.between(period.first, period.last),
            )
        )
    }
    stated = {each.day: each.amount for each in coverage.stated(feed_account) if each.day in books}
    stated |= {day: proof.statement_balance for day, proof in proofs.items()}
    points = [
        StatedPoint(day, stated[day], books[day], proofs[day].id if day in proofs else None)
        for day in sorted(stated)
    ]
    return BalanceHistory(books, points)


def _books(feed_account: FeedAccount, period: Period) -> dict[date, Money]:
    found = balances.by_day(feed_account.organization_id, [feed_account.account_id], period)
    return {day: Money(balance.amount_minor, feed_account.currency) for day, balance in found.items()}


def of_all_banks(organization_id: str, days: Collection[date]) -> dict[date, Money]:
    """Give the sum of the banks' balances in the base currency at the close of some days, at the rate of each.

    These are the totals of the hub. A day on which the balance of an account or a rate is unknown is left out.
    """
    base = organizations.get(organization_id).base_currency
    currencies = {each.id: each.currency for each in feed_accounts.active(organization_id)}
    tables = {
        each: rate_tables.between(organization_id, each, base, min(days), max(days))
        for each in set(currencies.values())
    }
    found = {}
    for day, stated in provider_balances.by_day(organization_id, currencies, days).items():
        rates = [(each, tables[each.currency].on(day)) for each in stated.values()]
        worth = [mirror(each.minor, each.currency, base, rate) for each, rate in rates if rate is not None]
        if len(worth) == len(currencies):
            found[day] = Money(sum(worth), base)
    return found
