"""Queries on API tokens."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.ledger.money import Money
from webapp.models import ActionRequest, ApiToken, Membership, TokenDay, User, of_same_organization
from webapp.queries.access import organizations
from webapp.queries.audit import action_requests
from webapp.queries.common.records import record_of


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token without its secret, and its owner; the role is empty where the owner is no member any more."""

    id: int
    name: str
    prefix: str
    scopes: list[str]
    user_name: str
    role: str
    created_at: datetime
    last_day: date | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    max_entries_a_day: int | None
    max_amount_a_day: Money | None
    max_requests_a_minute: int | None
    client_id: str | None


@dataclass(frozen=True, slots=True)
class TokenToday:
    """What a token did since midnight: its posted total, as its caps count it, and its latest acts."""

    entry_count: int
    amount: Money
    acts: list[ActionRequest]


def listed(organization_id: str, *, user_id: int | None, connects: bool | None = None) -> list[TokenRecord]:
    """List a person's tokens, newest first; those of everybody without a person.

    `connects` chooses connections, or what is none.
    """
    named = ApiToken.client_id
    kind = [] if connects is None else [named.is_not(None) if connects else named.is_(None)]
    rows = db.session.execute(
        _with_owner().where(*_of_person(organization_id, user_id), *kind).order_by(ApiToken.id.desc())
    )
    return [_record(*row) for row in rows]


def get(organization_id: str, token_id: int, *, user_id: int | None) -> ApiToken:
    """Find a token of a person's, or of anybody's without one; or raise NotFoundError."""
    token = db.session.scalar(
        sa.select(ApiToken).where(ApiToken.id == token_id, *_of_person(organization_id, user_id))
    )
    if token is None:
        raise NotFoundError
    return token


def record(token: ApiToken) -> TokenRecord:
    """Give the record of a token."""
    its_row = _with_owner().where(of_same_organization(ApiToken, token), ApiToken.id == token.id)
    return _record(*db.session.execute(its_row).one())


def last_day(token: ApiToken) -> date | None:
    """Give the last whole day on which a token works in its organization's time zone, or None for no end."""
    if token.expires_at is None:
        return None
    return organizations.today(token.organization_id, token.expires_at - timedelta(microseconds=1))


def most_amount_a_day(token: ApiToken) -> Money | None:
    """Give the cap of what a token may post in a day in the base currency, or None for no cap."""
    if token.max_amount_a_day_minor is None:
        return None
    return Money(token.max_amount_a_day_minor, organizations.get(token.organization_id).base_currency)


def today(token: ApiToken, now: datetime, *, limit: int) -> TokenToday:
    """Give what a token did since midnight in its organization's time zone, its latest acts first."""
    organization_id = token.organization_id
    day = organizations.today(organization_id, now)
    began_at = organizations.start_of_day(organization_id, day)
    entry_count, amount = posted_on(token, day)
    latest = action_requests.listed(
        organization_id, actor=("TOKEN", token.id), since=began_at, now=now, after=None, limit=limit
    )
    return TokenToday(entry_count, amount, list(latest.items))


def posted_on(token: ApiToken, day: date) -> tuple[int, Money]:
    """Give how many entries a token posted on a day, and how much, as its caps count it."""
    organization_id = token.organization_id
    key = {"organization_id": organization_id, "token_id": token.id, "day": day}
    posted = db.session.get(TokenDay, key)
    base = organizations.get(organization_id).base_currency
    return posted.entry_count if posted else 0, Money(posted.amount_base_minor if posted else 0, base)


def _with_owner() -> sa.Select[ApiToken, str, str | None]:
    is_member = sa.and_(of_same_organization(Membership, ApiToken), Membership.user_id == ApiToken.user_id)
    return (
        sa.select(ApiToken, User.name, Membership.role)
        .join(User, User.id == ApiToken.user_id)
        .outerjoin(Membership, is_member)
    )


def _of_person(organization_id: str, user_id: int | None) -> list[sa.ColumnElement[bool]]:
    of_person = [] if user_id is None else [ApiToken.user_id == user_id]
    return [ApiToken.organization_id == organization_id, *of_person]


def _record(token: ApiToken, user_name: str, role: str | None) -> TokenRecord:
    return record_of(
        TokenRecord,
        token,
        user_name=user_name,
        role=role or "",
        last_day=last_day(token),
        max_amount_a_day=most_amount_a_day(token),
    )
