"""Owners, and what of a year's result is put to them and what is not yet."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.closing import appropriations as rules
from webapp.ledger.closing.appropriations import OwnerPart
from webapp.ledger.errors import NotFoundError
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import ReportColumns
from webapp.models import COUNTING, Account, EquityOwner, JournalEntry, Posting, refers_to
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.common.records import record_of
from webapp.queries.reports import statements
from webapp.queries.reports.books import ReportBooks

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class OwnerShare:
    """The share of an owner from a day on."""

    from_: date
    share: str


@dataclass(frozen=True, slots=True)
class OwnerRecord:
    """An owner with the accounts, and the shares in the order of their days."""

    id: int
    name: str
    capital_account_id: int
    drawings_account_id: int | None
    shares: list[OwnerShare]
    is_archived: bool


@dataclass(frozen=True, slots=True)
class AppropriatedShare:
    """What an owner gets of a result."""

    owner_id: int
    name: str
    amount: Money


@dataclass(frozen=True, slots=True)
class AppropriationLeg:
    """What an appropriation posts to an account, debit positive."""

    account_id: int
    account_name: str
    amount: Money


@dataclass(frozen=True, slots=True)
class Appropriation:
    """The whole appropriation of a year's result, and the `legs` that it lacks of what is posted.

    `appropriated` is what was put to something so far, `not_yet_appropriated` what the result has more or less.
    """

    year: int
    period: Period
    day: date
    result: Money
    appropriated: Money
    not_yet_appropriated: Money
    shares: list[AppropriatedShare]
    legs: list[AppropriationLeg]
    journal_entry_ids: list[int]
    journal_entry_id: int | None = None


def get(organization_id: str, owner_id: int) -> EquityOwner:
    """Find an owner, or raise NotFoundError."""
    found = db.session.get(EquityOwner, (organization_id, owner_id))
    if found is None:
        raise NotFoundError
    return found


def owners(organization_id: str, *, with_archived: bool = False) -> list[EquityOwner]:
    """List owners in the order in which they were written."""
    of = [EquityOwner.organization_id == organization_id]
    if not with_archived:
        of.append(EquityOwner.is_archived.is_(False))
    return list(db.session.scalars(sa.select(EquityOwner).where(*of).order_by(EquityOwner.id)))


def owner_record(owner: EquityOwner) -> OwnerRecord:
    """Give the record of an owner."""
    shares = [OwnerShare(date.fromisoformat(day), share) for day, share in owner.shares]
    return record_of(OwnerRecord, owner, shares=shares)


def year_of(organization_id: str, year: int) -> Period:
    """Return the financial year that ends in a calendar year."""
    years = organizations.financial_years(organization_id)
    found = years.of(date(year, 12, 31))
    return found if found.last.year == year else years.of(date(year, 1, 1))


def of_year(
    organization_id: str,
    year: int,
    first: Mapping[int, int] | None = None,
    fixed: Mapping[int, int] | None = None,
    keep_minor: int = 0,
    *,
    decided_on: date | None = None,
) -> Appropriation:
    """Propose the appropriation of a year's result: the whole anew, less what is posted; amounts in minor units.

    Its day is the first open one at or after the year's next day or the decision.
    """
    period = year_of(organization_id, year)
    result = statements.profit_and_loss(organization_id, ReportColumns(period)).result.amount
    entry_ids, posted = _posted(organization_id, period.last)
    found = owners(organization_id)
    books = ReportBooks(organization_id, [period.eve, period.last])
    parts = [_part(each, books, period, first or {}) for each in found]
    whole = rules.legs_of(result.minor, parts, books.retained_id or 0, fixed or {}, keep_minor)
    whole.subtract(posted)
    names = lookups.by_id(Account, organization_id, whole)
    shares = rules.shares_of(result.minor, parts, fixed or {}, keep_minor)
    appropriated = Money(posted[books.retained_id or 0], books.base)
    day = organizations.first_open_day(
        organization_id, max(period.last + DAY, decided_on or period.last + DAY)
    )
    return Appropriation(
        year,
        period,
        day,
        result,
        appropriated,
        result - appropriated - Money(keep_minor, books.base),
        [
            AppropriatedShare(each.id, each.name, Money(share, books.base))
            for each, share in zip(found, shares, strict=True)
        ],
        [
            AppropriationLeg(each, names[each].name, Money(minor, books.base))
            for each, minor in whole.items()
            if minor
        ],
        entry_ids,
    )


def _part(owner: EquityOwner, books: ReportBooks, period: Period, first: Mapping[int, int]) -> OwnerPart:
    begun = [share for day, share in owner.shares if day <= period.last.isoformat()]
    drawn = 0
    if owner.drawings_account_id is not None:
        of = owner.drawings_account_id
        drawn = books.change(period)[of] - _appropriated_within(owner.organization_id, of, period)
    share = Decimal(begun[-1]) if begun else Decimal(0)
    return OwnerPart(
        owner.id, owner.capital_account_id, owner.drawings_account_id, share, first.get(owner.id, 0), drawn
    )


def _appropriated_within(organization_id: str, account_id: int, period: Period) -> int:
    """Add up what appropriations of other years moved on an account in a period."""
    return int(
        db.session.scalar(
            _legs(organization_id, sa.func.coalesce(sa.func.sum(Posting.amount_base_minor), 0)).where(
                Posting.account_id == account_id,
                JournalEntry.effective_on.between(period.first, period.last),
            )
        )
        or 0
    )


def _posted(organization_id: str, last: date) -> tuple[list[int], Counter[int]]:
    """Give the standing entries that put the result of a year to something, and what all come to on each account."""
    stands = sa.and_(JournalEntry.status == "POSTED", JournalEntry.voids_id.is_(None))
    columns = JournalEntry.id, stands, Posting.account_id, Posting.amount_base_minor
    rows: Any = db.session.execute(
        _legs(organization_id, *columns).where(JournalEntry.appropriates_on == last)
    )
    sums: Counter[int] = Counter()
    ids = []
    for entry_id, is_standing, account_id, minor in rows:
        if is_standing:
            ids.append(entry_id)
        sums[account_id] += minor
    return sorted(set(ids)), sums


def _legs(organization_id: str, *columns: Any) -> sa.Select[Any]:
    return (
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            JournalEntry.organization_id == organization_id,
            JournalEntry.appropriates_on.is_not(None),
            JournalEntry.status.in_(COUNTING),
        )
    )
