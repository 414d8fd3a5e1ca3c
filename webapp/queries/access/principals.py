"""Principals: the user of a session cookie or a bearer token, with role and scopes."""

import hashlib
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.database.tenancy import see, see_books_of, seen_organization
from webapp.ledger.notation.locales import DEFAULT_LOCALE
from webapp.ledger.scopes import APPROVE, PERSON_SCOPES, PROPOSE, is_over, scopes_of_role
from webapp.models import (
    ApiToken,
    Authenticator,
    BrowserSession,
    ConnectionSecret,
    Membership,
    Organization,
    Passkey,
    Proposal,
    User,
    of_same_organization,
    refers_to,
)
from webapp.models.base import table_of
from webapp.queries.audit import proposals
from webapp.queries.common.made_once import made_once

IDLE = timedelta(hours=2)
# So long those who have no second factor may go on where one is demanded.
GRACE = timedelta(days=7)
LONGEST = timedelta(hours=12)


# Every request asks for its token or session: of tables, which takes half of what models take.
_TOKEN, _MEMBER, _BOOKS, _PERSON = map(table_of, (ApiToken, Membership, Organization, User))
_SESSION = table_of(BrowserSession)


def _tokens(now: Any) -> sa.Select[*tuple[Any, ...]]:
    """Select the tokens that are valid now, each with its owner, the owner's role and the books that it opens."""
    token, member, books, person = _TOKEN.c, _MEMBER.c, _BOOKS.c, _PERSON.c
    return (
        sa.select(
            *(token.id, token.name, token.scopes, token.last_used_at, token.expires_at),
            *(token.max_requests_a_minute, member.role, member.user_id, member.ends_on),
            *(books.is_demo, books.base_currency, books.time_zone, books.locale),
            *(books.has_approving_keys, books.second_factor_since),
            *(books.id.label("organization_id"), books.name.label("organization_name")),
            *(person.email, person.letter_keys_off, person.locale.label("own_locale")),
            *(person.theme, person.language, person.name.label("user_name")),
            sa.case((books.second_factor_since.is_not(None), _has_second_factor()), else_=False).label(
                "is_strong"
            ),
        )
        .join_from(
            _TOKEN, _MEMBER, sa.and_(of_same_organization(_MEMBER, _TOKEN), member.user_id == token.user_id)
        )
        .join(_BOOKS, books.id == member.organization_id)
        .join(_PERSON, sa.and_(person.id == member.user_id, person.is_active))
        .where(token.revoked_at.is_(None), sa.or_(token.expires_at.is_(None), token.expires_at > now))
    )


def _has_second_factor() -> sa.ColumnElement[bool]:
    """Build the condition that a person has an authenticator app or a passkey."""
    app, passkey = table_of(Authenticator).c, table_of(Passkey).c
    has_app = sa.select(app.user_id).where(app.user_id == _PERSON.c.id, app.confirmed_at.is_not(None))
    has_passkey = sa.select(passkey.id).where(passkey.user_id == _PERSON.c.id)
    return sa.or_(has_app.exists(), has_passkey.exists())


@made_once
def _of_secret(organization_id: str, digest: str, now: datetime) -> sa.Select[*tuple[Any, ...]]:
    return _tokens(now).where(_TOKEN.c.organization_id == organization_id, _TOKEN.c.token_hash == digest)


@made_once
def _of_older_secret(digest: str, now: datetime) -> sa.Select[*tuple[Any, ...]]:
    return _tokens(now).where(_TOKEN.c.token_hash == digest)


@made_once
def _of_id(organization_id: str, token_id: int, now: datetime) -> sa.Select[*tuple[Any, ...]]:
    return _tokens(now).where(_TOKEN.c.organization_id == organization_id, _TOKEN.c.id == token_id)


@made_once
def _of_access_token(
    organization_id: str, digest: str, resource: str, now: datetime
) -> sa.Select[*tuple[Any, ...]]:
    secret = table_of(ConnectionSecret)
    return (
        _tokens(now)
        .join(secret, refers_to(secret.c.token_id, _TOKEN))
        .add_columns(secret.c.scopes.label("granted"))
        .where(
            secret.c.organization_id == organization_id,
            secret.c.secret_hash == digest,
            secret.c.kind == "ACCESS",
            secret.c.resource == resource,
            secret.c.expires_at > now,
        )
    )


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
    """The principal of a request: a session in the books that are named, or else in its own; a token in its only ones.

    `waiting` is the number of proposals that wait for the signed-in person; it is read in the same statement.
    `locale` is the person's own one, or else that of the organization; a token may have an end. `session_books` is the
    organization that a session belongs to, whichever books it asks for. It `is_strong` where a
    second factor was shown, which these books may demand since an instant. `member_until` is the last day on which
    these books are open to the person.
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
    session_books: str | None = None
    token_id: int | None = None
    token_name: str | None = None
    waiting: int = 0
    last_seen_at: datetime | None = None
    ends_at: datetime | None = None
    max_requests_a_minute: int | None = None
    has_letter_keys: bool = True
    locale: str = DEFAULT_LOCALE
    own_locale: str | None = None
    theme: str | None = None
    hides_steps: bool = False
    language: str | None = None
    time_zone: str = "UTC"
    second_factor_since: datetime | None = None
    is_strong: bool = False
    member_until: date | None = None

    is_authenticated: bool = True

    @property
    def second_factor_from(self) -> datetime | None:
        """The instant from which on these books are closed to the principal without a second factor, or none."""
        return (
            None if self.is_strong or self.second_factor_since is None else self.second_factor_since + GRACE
        )

    def lacks_second_factor(self, now: datetime) -> bool:
        """Return whether these books are closed to the principal for the lack of a second factor."""
        return self.second_factor_from is not None and self.second_factor_from <= now

    def has_ended(self, now: datetime) -> bool:
        """Return whether the membership of these books is over, by the day in their time zone."""
        return is_over(self.member_until, self.time_zone, now)


def by_session(session: orm.Session, cookie: str, now: datetime) -> Principal | None:
    """Find the principal of a session cookie, unless idle for two hours or older than twelve."""
    named, digest = session_organization(cookie), digest_of(cookie)
    if named is None:
        see_books_of(session, "session", digest)
    instants = now, now - IDLE, now - LONGEST
    statement = (
        _of_session(digest, *instants) if named is None else _of_named_session(named, digest, *instants)
    )
    row: Any = session.execute(*statement).one_or_none()
    if row is None:
        return None
    return replace(
        _of_member(row),
        session_hash=digest,
        session_books=row.session_books,
        last_seen_at=row.last_seen_at,
        is_strong=row.is_strong,
    )


def in_books(session: orm.Session, found: Principal, organization_id: str, now: datetime) -> Principal | None:
    """Find the principal of a session in other books of its person's, which the transaction sees from now on."""
    see(session.connection(), organization_id)
    named = _MEMBER.c.organization_id == organization_id, _MEMBER.c.user_id == found.user_id
    member = session.execute(_members(now).where(*named)).one_or_none()
    return (
        None
        if member is None
        else replace(
            _of_member(member),
            session_hash=found.session_hash,
            session_books=found.session_books,
            last_seen_at=found.last_seen_at,
            is_strong=found.is_strong,
        )
    )


def _of_member(row: sa.Row[*tuple[Any, ...]]) -> Principal:
    return Principal(
        organization_id=row.organization_id,
        organization_name=row.organization_name,
        is_demo=row.is_demo,
        base_currency=row.base_currency,
        user_id=row.user_id,
        user_name=row.user_name,
        email=row.email,
        role=row.role,
        scopes=scopes_of_role(row.role).intersection(PERSON_SCOPES),
        waiting=row.waiting,
        has_letter_keys=not row.letter_keys_off,
        locale=row.own_locale or row.locale,
        own_locale=row.own_locale,
        theme=row.theme,
        hides_steps=row.hides_steps,
        language=row.language,
        time_zone=row.time_zone,
        second_factor_since=row.second_factor_since,
        member_until=row.ends_on,
    )


def _members(now: datetime) -> sa.Select[*tuple[Any, ...]]:
    """Select members with their books, and how many proposals wait there."""
    member, books, person = _MEMBER.c, _BOOKS.c, _PERSON.c
    return (
        sa.select(
            *(member.role, member.user_id, member.hides_steps, member.ends_on),
            *(books.is_demo, books.base_currency, books.time_zone, books.locale, books.second_factor_since),
            *(books.id.label("organization_id"), books.name.label("organization_name")),
            *(person.email, person.letter_keys_off, person.locale.label("own_locale")),
            *(person.theme, person.language, person.name.label("user_name")),
            proposals.count_subquery(member.organization_id, now).label("waiting"),
        )
        .join_from(_MEMBER, _BOOKS, books.id == member.organization_id)
        .join(_PERSON, sa.and_(person.id == member.user_id, person.is_active))
    )


@made_once
def _of_named_session(
    organization_id: str, digest: str, now: datetime, seen_after: datetime, begun_after: datetime
) -> sa.Select[Any]:
    of_named = _SESSION.c.organization_id == organization_id
    return _sessions(digest, now, seen_after, begun_after).where(of_named)


@made_once
def _of_session(digest: str, now: datetime, seen_after: datetime, begun_after: datetime) -> sa.Select[Any]:
    return _sessions(digest, now, seen_after, begun_after)


def _sessions(digest: str, now: datetime, seen_after: datetime, begun_after: datetime) -> sa.Select[Any]:
    """Select who a session belongs to."""
    member, browser = _MEMBER.c, _SESSION.c
    return (
        _members(now)
        .add_columns(browser.last_seen_at, browser.organization_id.label("session_books"), browser.is_strong)
        .join(
            _SESSION,
            sa.and_(member.user_id == browser.user_id, of_same_organization(_MEMBER, _SESSION)),
        )
        .where(
            browser.id_hash == digest,
            browser.last_seen_at > seen_after,
            browser.created_at > begun_after,
        )
    )


def by_token(session: orm.Session, named: str | None, token: str, now: datetime) -> Principal | None:
    """Find the principal of a token, unless it expired or was revoked; its scopes never exceed its owner's role.

    Where the token names no organization, the session's transaction will see the books that the token opens.
    """
    digest = digest_of(token)
    if named is None:
        see_books_of(session, "token", digest)
        named = seen_organization(session)
    statement = _of_older_secret(digest, now) if named is None else _of_secret(named, digest, now)
    row = session.execute(*statement).one_or_none()
    return None if row is None else _of_token(row)


def by_access_token(
    session: orm.Session, named: str | None, token: str, resource: str, now: datetime
) -> Principal | None:
    """Find the principal of a connection's access token for this address, unless either is over."""
    if named is None:
        return None
    row = session.execute(*_of_access_token(named, digest_of(token), resource, now)).one_or_none()
    if row is None:
        return None
    found = _of_token(row)
    return replace(found, scopes=found.scopes & frozenset(row.granted))


def proposer(proposal: Proposal, now: datetime) -> Principal | None:
    """Find the principal of a proposal's token, unless that ended or may propose no more, or its owner not do this."""
    row = db.session.execute(*_of_id(proposal.organization_id, proposal.token_id, now)).one_or_none()
    found = None if row is None else _of_token(row)
    if found is None or PROPOSE not in found.scopes or found.lacks_second_factor(now) or found.has_ended(now):
        return None
    return found if set(proposal.scope.split()) <= scopes_of_role(found.role) else None


def _of_token(row: sa.Row[*tuple[Any, ...]]) -> Principal:
    off = frozenset() if row.has_approving_keys else {APPROVE}
    return Principal(
        organization_id=row.organization_id,
        organization_name=row.organization_name,
        is_demo=row.is_demo,
        base_currency=row.base_currency,
        user_id=row.user_id,
        user_name=row.user_name,
        email=row.email,
        role=row.role,
        scopes=scopes_of_role(row.role) & frozenset(row.scopes) - off,
        token_id=row.id,
        token_name=row.name,
        last_seen_at=row.last_used_at,
        ends_at=row.expires_at,
        max_requests_a_minute=row.max_requests_a_minute,
        has_letter_keys=not row.letter_keys_off,
        locale=row.own_locale or row.locale,
        own_locale=row.own_locale,
        theme=row.theme,
        language=row.language,
        time_zone=row.time_zone,
        second_factor_since=row.second_factor_since,
        is_strong=bool(row.is_strong),
        member_until=row.ends_on,
    )
