"""Signing in and out: a new session id each time, and guessing is slowed down in the database."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.dialects import postgresql, sqlite

from webapp.db import Instant, begin_read, begin_write, db, own_transaction
from webapp.ledger.errors import LedgerError
from webapp.models import BrowserSession, Membership, SignInCounter, User
from webapp.queries.access import invitations
from webapp.queries.access.principals import LONGEST, digest_of
from webapp.services.access import users
from webapp.services.access.invitations import accept
from webapp.services.access.users import EMAIL, hash_password, hasher, refuse_weak, verify_password

MOST_PER_ACCOUNT, ACCOUNT_WINDOW = 10, timedelta(minutes=1)
MOST_PER_ADDRESS, ADDRESS_WINDOW = 20, timedelta(hours=1)
MOST_SWEPT = 1000


class SignInRefusedError(LedgerError):
    """The email or the password is wrong."""

    status = 401
    code = "sign_in_refused"


class TooManySignInsError(LedgerError):
    """Too many tries. Wait a little before the next one."""

    status = 429
    code = "too_many_requests"


class NotYourPasswordError(SignInRefusedError):
    """This address has another password here. If you never chose one, whoever runs Tieout can set a new one."""


def sign_in(email: str, password: str, *, address: str, now: datetime) -> str:
    """Check a password outside any transaction, and answer with the secret of a new session."""
    return open_session(check_password(email, password, address=address, now=now), now=now)


def check_password(email: str, password: str, *, address: str, now: datetime) -> int:
    """Check a password outside any transaction, begin to write, and answer with the person's id.

    `address` is where the try comes from; tries are counted. Raises SignInRefusedError or TooManySignInsError.
    """
    account = email.strip().lower()[:320]
    keys = (_key("account", account), _key("address", address))
    with own_transaction() as session:
        _count_try(session, keys[0], MOST_PER_ACCOUNT, ACCOUNT_WINDOW, now)
        _count_try(session, keys[1], MOST_PER_ADDRESS, ADDRESS_WINDOW, now)
    with orm.Session(db.engine.execution_options(read_only=True)) as session:
        named = sa.select(User).where(User.email == account, User.is_active)
        user = session.scalar(named) if EMAIL.fullmatch(account) else None
        stored_hash = user.password_hash if user else None
    is_right = verify_password(stored_hash, password)
    if user is None or not is_right:
        raise SignInRefusedError
    begin_write()
    _forget_try(keys, now)
    if stored_hash is not None and hasher.check_needs_rehash(stored_hash):
        db.session.execute(
            sa.update(User).where(User.id == user.id).values(password_hash=hasher.hash(password))
        )
    return user.id


def open_session(user_id: int, *, now: datetime, organization_id: str | None = None) -> str:
    """Open a session in an organization of the person's, the first one if none is named."""
    memberships = sa.select(Membership.organization_id).where(Membership.user_id == user_id)
    if organization_id is not None:
        memberships = memberships.where(Membership.organization_id == organization_id)
    chosen = db.session.scalar(
        memberships.order_by(Membership.created_at, Membership.organization_id).limit(1),
        execution_options={"across_organizations": True},
    )
    if chosen is None:
        raise SignInRefusedError("You belong to no organization. Ask an owner to add you.")
    db.session.execute(sa.delete(BrowserSession).where(BrowserSession.created_at < now - LONGEST))
    secret = secrets.token_urlsafe(32)
    db.session.add(
        BrowserSession(
            id_hash=digest_of(secret),
            user_id=user_id,
            organization_id=chosen,
            created_at=now,
            last_seen_at=now,
        )
    )
    db.session.flush()
    return secret


def close_session(id_hash: str) -> None:
    """End a session for good."""
    db.session.execute(sa.delete(BrowserSession).where(BrowserSession.id_hash == id_hash))


def choose_organization(id_hash: str, user_id: int, organization_id: str, *, now: datetime) -> str:
    """Leave one organization for another of the person's, with a new session id."""
    close_session(id_hash)
    return open_session(user_id, now=now, organization_id=organization_id)


def join(secret: str, password: str, *, signed_in_id: int | None, address: str, now: datetime) -> str:
    """Accept an invitation by its link, and answer with the secret of a session in these books.

    Whoever is signed in with the invited address needs no password; others give theirs, or choose their first one.
    Raises LinkEndedError, WeakPasswordError, SignInRefusedError, TooManySignInsError or PasswordMissingError.
    """
    begin_read()
    invitation = invitations.of_link(secret, now)
    email = invitation.email
    user = users.find(email)
    known_id, has_password = (user.id, user.password_hash is not None) if user else (None, False)
    # Hashing takes its time; nobody else waits for it.
    db.session.rollback()
    if known_id is not None and known_id == signed_in_id:
        begin_write()
        membership = accept(secret, user_id=known_id, now=now)
    else:
        refuse_weak(password)
        if has_password:
            known_id = _checked_id(email, password, address=address, now=now)
            membership = accept(secret, user_id=known_id, now=now)
        else:
            hashed = hash_password(password)
            begin_write()
            membership = accept(secret, password_hash=hashed, now=now)
    return open_session(membership.user_id, now=now, organization_id=membership.organization_id)


def _checked_id(email: str, password: str, *, address: str, now: datetime) -> int:
    """Check the password of an invited person who has one."""
    try:
        return check_password(email, password, address=address, now=now)
    except SignInRefusedError:
        raise NotYourPasswordError(fields={"password": [str(NotYourPasswordError.__doc__)]}) from None


def _key(kind: str, text: str) -> str:
    return f"{kind}:{digest_of(text)}"


def _count_try(session: orm.Session, key: str, most: int, window: timedelta, now: datetime) -> None:
    """Count a try before its password is checked, so that simultaneous guesses cannot slip through together."""
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    begun, failures = SignInCounter.window_started_at, SignInCounter.failures
    is_over = begun <= now - window
    counted = (
        insert(SignInCounter)
        .values(key=key, window_started_at=now, failures=1)
        .on_conflict_do_update(
            index_elements=[SignInCounter.key],
            set_={
                "window_started_at": sa.case((is_over, sa.literal(now, Instant)), else_=begun),
                "failures": sa.case((is_over, 1), else_=failures + 1),
            },
        )
        .returning(begun, failures)
    )
    started_at, tries = session.execute(counted).one()
    if tries > most:
        wait = int((started_at + window - now).total_seconds()) + 1
        raise TooManySignInsError(f"Too many tries. Wait {wait} seconds.", details={"retryAfter": wait})


def _forget_try(keys: tuple[str, str], now: datetime) -> None:
    """Take back the tries of somebody who knew the password, and sweep counters whose window is long over."""
    db.session.execute(sa.delete(SignInCounter).where(SignInCounter.key == keys[0]))
    db.session.execute(
        sa.update(SignInCounter)
        .where(SignInCounter.key == keys[1], SignInCounter.failures > 0)
        .values(failures=SignInCounter.failures - 1)
    )
    over = (
        sa.select(SignInCounter.key)
        .where(SignInCounter.window_started_at <= now - max(ACCOUNT_WINDOW, ADDRESS_WINDOW))
        .order_by(SignInCounter.key)
        .limit(MOST_SWEPT)
        # A counter that somebody is counting at is left to the next sweep, so that nobody waits for another.
        .with_for_update(skip_locked=True)
    )
    db.session.execute(sa.delete(SignInCounter).where(SignInCounter.key.in_(over)))
