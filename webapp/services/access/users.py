"""People and their passwords: argon2id, never more than a few hashes at once."""

import re
import threading
from datetime import datetime

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.database.tenancy import asking_owner, is_bound
from webapp.ledger.errors import LedgerError, NotFoundError, UnprocessableError
from webapp.models import FamiliarBrowser, User
from webapp.services.access import session_ends

SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 1000
EMAIL = re.compile(r"[^@\s\x00-\x1f]{1,64}@[^@\s\x00-\x1f]{1,255}")

hasher = PasswordHasher()
# Each hash takes 64 MiB; a burst of sign-ins waits instead of filling the memory.
_at_once = threading.BoundedSemaphore(2)
_dummy: list[str] = []


class WeakPasswordError(UnprocessableError):
    """A password has at least twelve characters."""

    code = "weak_password"


class EmailError(UnprocessableError):
    """Write an email address, like ada@example.com."""

    code = "email"


class EmailTakenError(LedgerError):
    """Somebody else here has this address."""

    code = "email_taken"


def hash_password(password: str) -> str:
    """Hash a password, or raise WeakPasswordError."""
    refuse_weak(password)
    with _at_once:
        return hasher.hash(password)


def refuse_weak(password: str) -> None:
    """Raise WeakPasswordError for a password that is too short or too long."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise WeakPasswordError(fields={"password": ["Choose 12 to 1000 characters."]})


def verify_password(password_hash: str | None, password: str) -> bool:
    """Check a password; nobody's password takes as long as somebody's."""
    with _at_once:
        if not password_hash and not _dummy:
            _dummy.append(hasher.hash("nobody has this one"))
        try:
            return hasher.verify(password_hash or _dummy[0], password[:LONGEST_PASSWORD]) and bool(
                password_hash
            )
        except (VerificationError, InvalidHashError):
            return False


def canonical_email(email: str) -> str:
    """Read an email address without case, or raise EmailError."""
    text = email.strip().lower()
    if not EMAIL.fullmatch(text):
        raise EmailError(fields={"email": ["Write an email address, like ada@example.com."]})
    return text


def hash_of(session: orm.Session, email: str) -> str | None:
    """Read the hash of one person's password, which PostgreSQL shows the application in no other way."""
    if is_bound(session):
        with asking_owner(session) as connection:
            found: str | None = connection.scalar(sa.select(sa.func.password_hash_of(email)))
            return found
    return session.scalar(sa.select(User.password_hash).where(User.email == email))


def find(email: str) -> User | None:
    """Find the person with this address, as canonical_email writes it."""
    return db.session.scalar(sa.select(User).where(User.email == email))


def find_or_create(email: str, *, name: str | None = None, now: datetime) -> User:
    """Find the person with this address, or make one who has no password yet."""
    address = canonical_email(email)
    user = find(address)
    if user is None:
        user = User(email=address, name=name or address.split("@")[0], created_at=now)
        db.session.add(user)
        db.session.flush()
    return user


def free_address(user: User, email: str) -> str:
    """Read an address that a person may have, or raise EmailError or EmailTakenError."""
    address = canonical_email(email)
    if find(address) not in {None, user}:
        raise EmailTakenError(fields={"email": [str(EmailTakenError.__doc__)]})
    return address


def set_password(email: str, password_hash: str) -> User:
    """Give a person another password, end all their sessions, and let no browser be familiar any more."""
    user = find(canonical_email(email))
    if user is None:
        raise NotFoundError
    user.password_hash = password_hash
    session_ends.end_of_person(user.id)
    db.session.execute(sa.delete(FamiliarBrowser).where(FamiliarBrowser.user_id == user.id))
    return user
