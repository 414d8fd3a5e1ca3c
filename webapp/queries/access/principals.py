"""Principals: the user of a session cookie or a bearer token, with role and scopes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.ledger.notation.locales import DEFAULT_LOCALE
from webapp.ledger.scopes import PROPOSE, organization_of, scopes_of_role
from webapp.models import (
    ApiToken,
    BrowserSession,
    Membership,
    Organization,
    Proposal,
    User,
    of_same_organization,
)
from webapp.queries.audit import proposals
from webapp.tenancy import see_books_of

IDLE = timedelta(hours=2)
LONGEST = timedelta(hours=12)


def digest_of(secret: str) -> str:
    """Hash a secret of high entropy for look-up: SHA-256, lower-case hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def session_secret(random: str, organization_id: str) -> str:
    """Write the secret of a session, which names its organization: only that one's node is asked for the session."""
    return f"{random}.{organization_id}"


def session_organization(secret: str) -> str | None:
    """Tell which organization a session's secret names; older ones name none.

    >>> session_organization(session_secret("1-2_3", "org_1")), session_organization("1-2_3")
    ('org_1', None)
    """
    return secret.partition(".")[2] or None


@dataclass(frozen=True, slots=True)
class Principal:
    """The principal of a request: a session in its chosen organization, or a token in its only one.

    `waiting` is the number of proposals that wait for the signed-in person; it is read in the same statement.
    `locale` is the person's own one, or else that of the organization.
    """

    organization_id: str
    organization_name: str
    is_demo: bool
    base_currency: str
    user_id: int
    user_name: str
    email: str
    role: str
    scopes: frozenset[str]
    session_hash: str | None = None
    token_id: int | None = None
    token_name: str | None = None
    waiting: int = 0
    last_seen_at: datetime | None = None
    max_requests_a_minute: int | None = None
    has_letter_keys: bool = True
    locale: str = DEFAULT_LOCALE
    own_locale: str | None = None
    time_zone: str = "UTC"

    is_authenticated: bool = True


def by_session(session: orm.Session, cookie: str, now: datetime) -> Principal | None:
    """Find the principal of a session cookie, unless idle for two hours or older than twelve."""
    if session_organization(cookie) is None:
        see_books_of(session, "session", digest_of(cookie))
    row = session.execute(
        _credentials(BrowserSession, BrowserSession.last_seen_at)
        .add_columns(proposals.count_subquery(BrowserSession.organization_id, now))
        .where(
            BrowserSession.id_hash == digest_of(cookie),
            *_named(BrowserSession, session_organization(cookie)),
            BrowserSession.last_seen_at > now - IDLE,
            BrowserSession.created_at > now - LONGEST,
        )
    ).one_or_none()
    if row is None:
        return None
    membership, organization, user, last_seen_at, waiting = row
    return replace(
        _principal(membership, organization, user, scopes_of_role(membership.role) - {PROPOSE}),
        session_hash=digest_of(cookie),
        last_seen_at=last_seen_at,
        waiting=waiting,
    )


def by_token(session: orm.Session, token: str, now: datetime) -> Principal | None:
    """Find the principal of a token, unless it expired or was revoked; its scopes never exceed its owner's role."""
    if organization_of(token) is None:
        see_books_of(session, "token", digest_of(token))
    is_it = ApiToken.token_hash == digest_of(token)
    return _by_token(session, sa.and_(is_it, *_named(ApiToken, organization_of(token))), now)


def proposer(session: orm.Session, proposal: Proposal, now: datetime) -> Principal | None:
    """Find the principal of a proposal's token, unless that ended or may propose no more, or its owner not do this."""
    is_its = sa.and_(of_same_organization(ApiToken, proposal), ApiToken.id == proposal.token_id)
    found = _by_token(session, is_its, now)
    if found is None or PROPOSE not in found.scopes:
        return None
    return found if set(proposal.scope.split()) <= scopes_of_role(found.role) else None


def _by_token(session: orm.Session, is_token: sa.ColumnElement[bool], now: datetime) -> Principal | None:
    row = session.execute(
        _credentials(ApiToken, ApiToken).where(
            is_token,
            ApiToken.revoked_at.is_(None),
            sa.or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > now),
        )
    ).one_or_none()
    if row is None:
        return None
    membership, organization, user, found = row
    return replace(
        _principal(membership, organization, user, scopes_of_role(membership.role) & frozenset(found.scopes)),
        token_id=found.id,
        token_name=found.name,
        last_seen_at=found.last_used_at,
        max_requests_a_minute=found.max_requests_a_minute,
    )


def _named(
    credential: type[ApiToken | BrowserSession], organization_id: str | None
) -> list[sa.ColumnElement[bool]]:
    """Narrow the look-up of a secret to the organization that it names, if it does."""
    return [] if organization_id is None else [credential.organization_id == organization_id]


def _credentials(credential: type[ApiToken | BrowserSession], column: Any) -> sa.Select[Any]:
    return (
        sa.select(Membership, Organization, User, column)
        .select_from(credential)
        .join(
            Membership,
            sa.and_(
                Membership.user_id == credential.user_id,
                of_same_organization(Membership, credential),
            ),
        )
        .join(Organization, Organization.id == Membership.organization_id)
        .join(User, sa.and_(User.id == Membership.user_id, User.is_active))
    )


def _principal(
    membership: Membership, organization: Organization, user: User, scopes: frozenset[str]
) -> Principal:
    return Principal(
        organization_id=organization.id,
        organization_name=organization.name,
        is_demo=organization.is_demo,
        base_currency=organization.base_currency,
        user_id=user.id,
        user_name=user.name,
        email=user.email,
        role=membership.role,
        scopes=scopes,
        has_letter_keys=not user.letter_keys_off,
        locale=user.locale or organization.locale,
        own_locale=user.locale,
        time_zone=organization.time_zone,
    )
