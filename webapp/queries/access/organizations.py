"""Queries on organizations, their days, and their members."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import fold
from webapp.database.sessions import db, scoped_session
from webapp.database.tenancy import asking_owner, has_nodes, is_bound, rows_of, seen_organization
from webapp.ledger.errors import NotFoundError
from webapp.ledger.financial_years import FinancialYears, FirstMonth
from webapp.ledger.scopes import is_over
from webapp.models import FinancialYear, Membership, Organization, User
from webapp.queries.common import kept_rows
from webapp.queries.common.made_once import made_once
from webapp.queries.common.records import record_of

_ACROSS = {"across_organizations": True}


def get(organization_id: str) -> Organization:
    """Find an organization that exists."""
    found: Organization | None = kept_rows.kept(organization_id)
    if found is None:
        found = db.session.scalars(*_of_id(organization_id)).one()
        kept_rows.keep(organization_id, found)
    return found


@made_once
def _of_id(organization_id: str) -> sa.Select[Any]:
    return sa.select(Organization).where(Organization.id == organization_id)


def has_people() -> bool:
    """Return whether anybody was made here, as with the first books."""
    return db.session.scalar(sa.select(User.id).limit(1)) is not None


def first_open_day(organization_id: str, day: date) -> date:
    """Give the first day at or after this one that is not locked."""
    lock_date = get(organization_id).lock_date
    return day if lock_date is None or day > lock_date else lock_date + timedelta(days=1)


def financial_years(organization_id: str) -> FinancialYears:
    """Give the organization's financial years."""
    return FinancialYears(
        tuple(FirstMonth(*row) for row in db.session.execute(*_first_months(organization_id)).all())
    )


@made_once
def _first_months(organization_id: str) -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(FinancialYear.starts_on, FinancialYear.first_month)
        .where(FinancialYear.organization_id == organization_id)
        .order_by(FinancialYear.starts_on)
    )


def base_currency(organization_id: str) -> str:
    """Give the currency that the books are kept in."""
    found: str = db.session.scalar(*_base_currency(organization_id))
    return found


@made_once
def _base_currency(organization_id: str) -> sa.Select[Any]:
    return sa.select(Organization.base_currency).where(Organization.id == organization_id)


def today(organization_id: str, now: datetime) -> date:
    """Give the current day in the organization's time zone."""
    return now.astimezone(ZoneInfo(get(organization_id).time_zone)).date()


def start_of_day(organization_id: str, day: date) -> datetime:
    """Give the instant at which a day begins in the organization's time zone."""
    return datetime.combine(day, time(), ZoneInfo(get(organization_id).time_zone)).astimezone(UTC)


def end_of_day(organization_id: str, day: date) -> datetime:
    """Give the instant at which a day ends in the organization's time zone."""
    return start_of_day(organization_id, day + timedelta(days=1))


def members(organization_id: str) -> list[Membership]:
    """List the members of an organization, the earliest first."""
    return list(
        db.session.scalars(
            sa.select(Membership)
            .where(Membership.organization_id == organization_id)
            .order_by(Membership.created_at, Membership.user_id)
            .options(orm.joinedload(Membership.user))
        )
    )


@dataclass(frozen=True, slots=True)
class MemberRecord:
    """A member with the name and the address of the person, through which last day, and whether that is over."""

    id: int
    name: str
    email: str
    role: str
    created_at: datetime
    ends_on: date | None
    has_ended: bool


def member_records(organization_id: str, now: datetime) -> list[MemberRecord]:
    """List the members as pages and the interface show them, the earliest first."""
    return [record(each, now) for each in members(organization_id)]


def record(member: Membership, now: datetime) -> MemberRecord:
    """Give a member as pages and the interface show it."""
    return record_of(
        MemberRecord,
        member,
        id=member.user_id,
        name=member.user.name,
        email=member.user.email,
        has_ended=has_ended(member, now),
    )


def has_ended(member: Membership, now: datetime) -> bool:
    """Return whether the last day of a membership is over in the organization's time zone."""
    return is_over(member.ends_on, get(member.organization_id).time_zone, now)


def membership(organization_id: str, user_id: int) -> Membership:
    """Find a member, or raise NotFoundError."""
    found = db.session.scalar(
        sa.select(Membership).where(
            Membership.organization_id == organization_id, Membership.user_id == user_id
        )
    )
    if found is None:
        raise NotFoundError
    return found


def holds(organization_id: str, model: type[Any], row_id: int | str) -> bool:
    """Return whether an organization has the row with this id."""
    with scoped_session(organization_id):
        return db.session.get(model, (organization_id, row_id)) is not None


def of_user(user_id: int) -> list[Organization]:
    """List the organizations that a person belongs to, A to Z."""
    return sorted(as_joined(user_id), key=lambda each: (each.name.lower(), each.id))


def as_joined(user_id: int, *, newest: str | None = None) -> list[Organization]:
    """List the organizations that a person belongs to, in the order in which they joined.

    `newest` is one that they may have joined in this transaction.
    """
    joined = (
        sa.select(Organization)
        .join(Membership, Membership.organization_id == Organization.id)
        .where(Membership.user_id == user_id)
        .order_by(Membership.created_at, Membership.organization_id)
    )
    session = db.session()
    if not is_bound(session):
        return list(session.scalars(joined, execution_options=_ACROSS))
    function = rows_of("organizations_of_person", user_id, Organization.__table__)
    asked = sa.select(Organization).from_statement(function)
    if not has_nodes(session):
        return list(session.scalars(asked, execution_options=_ACROSS))
    with asking_owner(session) as connection, orm.Session(connection) as apart:
        found = list(apart.scalars(asked, execution_options=_ACROSS))
        apart.expunge_all()
    # What this transaction has written is not seen apart from it.
    here = newest or seen_organization(session)
    if here is None:
        return found
    with scoped_session(here):
        of_here = joined.where(Organization.id == here, Membership.organization_id == here)
        own = session.scalars(of_here, execution_options=_ACROSS).all()
    earlier = [each for each in found if each.id != here or own]
    return earlier + [each for each in own if each.id not in {other.id for other in found}]


def every() -> list[Organization]:
    """List all organizations of the installation, A to Z."""
    return list(
        db.session.scalars(
            sa.select(Organization).order_by(fold(Organization.name), Organization.id),
            execution_options=_ACROSS,
        )
    )
