"""Principals: the user of a session cookie or a bearer token, with role and scopes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.tenancy import see_books_of
from webapp.ledger.notation.locales import DEFAULT_LOCALE
from webapp.ledger.scopes import PROPOSE, scopes_of_role
from webapp.models import (
    BrowserSession,
    Membership,
    Organization,
    Proposal,
    User,
    of_same_organization,
)
from webapp.queries.audit import proposals
from webapp.snapshots.read_snapshots import ReadSnapshot
from webapp.snapshots.statements import PlannedOnce, TextStatement
from webapp.snapshots.stored_values import instant

IDLE = timedelta(hours=2)
LONGEST = timedelta(hours=12)


_CALLERS = """
    SELECT t.id, t.name, t.scopes, t.last_used_at, t.max_requests_a_minute, m.role, o.id, o.name, o.is_demo,
        o.base_currency, o.time_zone, o.locale, u.id, u.name, u.email, u.letter_keys_off, u.locale, t.expires_at
    FROM api_tokens t
    JOIN memberships m ON m.organization_id = t.organization_id AND m.user_id = t.user_id
    JOIN organizations o ON o.id = m.organization_id
    JOIN users u ON u.id = m.user_id AND u.is_active
    WHERE {} AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > :now)"""
BY_SECRET = PlannedOnce(_CALLERS.format("t.organization_id = :organization_id AND t.token_hash = :digest"))
BY_OLDER_SECRET = TextStatement(_CALLERS.format("t.token_hash = :digest"))
BY_ID = TextStatement(_CALLERS.format("t.organization_id = :organization_id AND t.id = :token_id"))
ORGANIZATION_OF_TOKEN = TextStatement("SELECT organization_of_token(:digest)")


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
    `locale` is the person's own one, or else that of the organization; a token may have an end.
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
    ends_at: datetime | None = None
    max_requests_a_minute: int | None = None
    has_letter_keys: bool = True
    locale: str = DEFAULT_LOCALE
    own_locale: str | None = None
    time_zone: str = "UTC"

    is_authenticated: bool = True


def by_session(session: orm.Session, cookie: str, now: datetime) -> Principal | None:
    """Find the principal of a session cookie, unless idle for two hours or older than twelve."""
    named, digest = session_organization(cookie), digest_of(cookie)
    if named is None:
        see_books_of(session, "session", digest)
    row = session.execute(_of_session(digest, named, now)).one_or_none()
    if row is None:
        return None
    membership, organization, user, last_seen_at, waiting = row
    return Principal(
        organization_id=organization.id,
        organization_name=organization.name,
        is_demo=organization.is_demo,
        base_currency=organization.base_currency,
        user_id=user.id,
        user_name=user.name,
        email=user.email,
        role=membership.role,
        scopes=scopes_of_role(membership.role) - {PROPOSE},
        session_hash=digest,
        waiting=waiting,
        last_seen_at=last_seen_at,
        has_letter_keys=not user.letter_keys_off,
        locale=user.locale or organization.locale,
        own_locale=user.locale,
        time_zone=organization.time_zone,
    )


def _of_session(digest: str, named: str | None, now: datetime) -> sa.Select[Any]:
    """Ask who a session belongs to, and how many proposals wait there."""
    of_named = [] if named is None else [BrowserSession.organization_id == named]
    return (
        sa.select(Membership, Organization, User, BrowserSession.last_seen_at)
        .add_columns(proposals.count_subquery(BrowserSession.organization_id, now))
        .select_from(BrowserSession)
        .join(
            Membership,
            sa.and_(
                Membership.user_id == BrowserSession.user_id,
                of_same_organization(Membership, BrowserSession),
            ),
        )
        .join(Organization, Organization.id == Membership.organization_id)
        .join(User, sa.and_(User.id == Membership.user_id, User.is_active))
        .where(
            BrowserSession.id_hash == digest,
            *of_named,
            BrowserSession.last_seen_at > now - IDLE,
            BrowserSession.created_at > now - LONGEST,
        )
    )


def by_token(snapshot: ReadSnapshot, token: str, now: datetime) -> Principal | None:
    """Find the principal of a token, unless it expired or was revoked; its scopes never exceed its owner's role.

    Where the token tells nothing of whose books it opens, the snapshot will see those that it does.
    """
    digest = digest_of(token)
    named = snapshot.organization_id
    if named is None and snapshot.is_bound:
        ((named,),) = ORGANIZATION_OF_TOKEN.rows_in(snapshot, digest=digest)
        if named is None:
            return None
        snapshot.see(named)
    if named is None:
        rows = BY_OLDER_SECRET.rows_in(snapshot, digest=digest, now=now)
    else:
        rows = BY_SECRET.rows_in(snapshot, organization_id=named, digest=digest, now=now)
    return _of_token(*rows[0]) if rows else None


def proposer(proposal: Proposal, now: datetime) -> Principal | None:
    """Find the principal of a proposal's token, unless that ended or may propose no more, or its owner not do this."""
    rows = BY_ID.rows(organization_id=proposal.organization_id, token_id=proposal.token_id, now=now)
    found = _of_token(*rows[0]) if rows else None
    if found is None or PROPOSE not in found.scopes:
        return None
    return found if set(proposal.scope.split()) <= scopes_of_role(found.role) else None


@lru_cache(maxsize=256)
def _scopes(role: str, listed: str) -> frozenset[str]:
    """Give what a token may, by the list of its scopes as it is stored and what its owner may now."""
    return scopes_of_role(role) & frozenset(json.loads(listed))


def _of_token(
    token_id: int,
    token_name: str,
    token_scopes: Any,
    last_used_at: Any,
    max_requests_a_minute: int | None,
    *others: Any,
) -> Principal:
    role, organization_id, organization_name, is_demo, base_currency, time_zone, locale, *owner = others
    user_id, user_name, email, letter_keys_off, own_locale, ends_at = owner
    return Principal(
        organization_id=organization_id,
        organization_name=organization_name,
        is_demo=bool(is_demo),
        base_currency=base_currency,
        user_id=user_id,
        user_name=user_name,
        email=email,
        role=role,
        scopes=_scopes(role, token_scopes if type(token_scopes) is str else json.dumps(token_scopes)),
        token_id=token_id,
        token_name=token_name,
        last_seen_at=instant(last_used_at),
        ends_at=instant(ends_at),
        max_requests_a_minute=max_requests_a_minute,
        has_letter_keys=not letter_keys_off,
        locale=own_locale or locale,
        own_locale=own_locale,
        time_zone=time_zone,
    )
