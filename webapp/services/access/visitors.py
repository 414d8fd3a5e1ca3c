"""Visitors: where a request comes from, and whether its browser is familiar to the person who signs in."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.models import FamiliarBrowser, User
from webapp.queries.access.principals import digest_of

# Counted from the last sign-in.
FAMILIAR_FOR = timedelta(days=90)
MOST_BROWSERS = 20
LONGEST_ADDRESS, LONGEST_AGENT = 64, 400


@dataclass(frozen=True, slots=True)
class Visitor:
    """Where a request comes from: its address, what its browser calls itself, and the secret of its own cookie."""

    address: str = ""
    user_agent: str = ""
    browser: str = ""


def is_familiar(session: orm.Session, visitor: Visitor, account: str, now: datetime) -> bool:
    """Return whether somebody signed in to this account with this browser in the last 90 days."""
    if not visitor.browser:
        return False
    statement = (
        sa.select(User.id)
        .join(FamiliarBrowser, FamiliarBrowser.user_id == User.id)
        .where(
            User.email == account,
            FamiliarBrowser.id_hash == digest_of(visitor.browser),
            FamiliarBrowser.signed_in_at > now - FAMILIAR_FOR,
        )
    )
    return session.scalar(statement) is not None


def remember_browser(user_id: int, visitor: Visitor, *, now: datetime) -> str:
    """Make the browser familiar to the person who has signed in, and answer with the new secret of its cookie.

    A secret is good until the next sign-in, of whichever person on this browser: one that somebody planted or copied
    ends there.
    """
    secret = secrets.token_urlsafe(32)
    new, old = digest_of(secret), digest_of(visitor.browser)
    if visitor.browser:
        db.session.execute(sa.delete(FamiliarBrowser).where(_row(old, user_id)))
        db.session.execute(
            sa.update(FamiliarBrowser).where(FamiliarBrowser.id_hash == old).values(id_hash=new)
        )
    db.session.add(FamiliarBrowser(id_hash=new, user_id=user_id, signed_in_at=now))
    db.session.flush()
    db.session.execute(sa.delete(FamiliarBrowser).where(FamiliarBrowser.signed_in_at <= now - FAMILIAR_FOR))
    beyond = (
        sa.select(FamiliarBrowser.id_hash)
        .where(FamiliarBrowser.user_id == user_id)
        .order_by(FamiliarBrowser.signed_in_at.desc(), FamiliarBrowser.id_hash)
        .offset(MOST_BROWSERS)
    )
    hashes = db.session.scalars(beyond).all()
    db.session.execute(
        sa.delete(FamiliarBrowser).where(
            FamiliarBrowser.user_id == user_id, FamiliarBrowser.id_hash.in_(hashes)
        )
    )
    return secret


def forget_browsers(user_id: int) -> None:
    """Let no browser be familiar to a person any more."""
    db.session.execute(sa.delete(FamiliarBrowser).where(FamiliarBrowser.user_id == user_id))


def _row(id_hash: str, user_id: int) -> sa.ColumnElement[bool]:
    return sa.and_(FamiliarBrowser.id_hash == id_hash, FamiliarBrowser.user_id == user_id)
