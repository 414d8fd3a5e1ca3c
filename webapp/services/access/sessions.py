"""Signing in and out: a new session id each time, and a password is only checked after its try was counted."""

import secrets
from datetime import datetime
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import begin_read, begin_write, db, end_read, lock_people, own_transaction
from webapp.database.tenancy import see
from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.models import BrowserSession, Invitation, User
from webapp.queries.access import invitations, organizations
from webapp.queries.access.principals import LONGEST, digest_of, session_secret
from webapp.services.access import second_factors, session_ends, sign_in_tries, users
from webapp.services.access.invitations import accept
from webapp.services.access.organizations import open_own
from webapp.services.access.users import EMAIL, hash_password, hasher, refuse_weak, verify_password
from webapp.services.access.visitors import LONGEST_ADDRESS, LONGEST_AGENT, Visitor, remember_browser

# The step of a sign-in that asks for a code.
CODE: Final = "CODE"


class SignInRefusedError(LedgerError):
    """The email or the password is wrong."""

    status = 401
    code = "sign_in_refused"


class NotYourPasswordError(SignInRefusedError):
    """This address has another password here. If you never chose one, the operator sets one: tieout set-password."""


class FirstLinkError(NotFoundError):
    """This link no longer works. While there are no books, each start of the server shows a new one."""


class SignedIn(NamedTuple):
    """The secrets of a new session and of the browser's own cookie."""

    session: str
    browser: str


def sign_in(email: str, password: str, *, visitor: Visitor, now: datetime) -> SignedIn | str:
    """Check a password outside any transaction, and answer with the secrets of a new session and its browser.

    Of a person with an authenticator app it answers with the secret of the step that asks for a code.
    """
    user_id = check_password(email, password, visitor=visitor, now=now)
    return let_in(user_id, visitor=visitor, now=now)


def let_in(
    user_id: int,
    *,
    visitor: Visitor,
    now: datetime,
    organization_id: str | None = None,
    is_strong: bool = False,
) -> SignedIn | str:
    """Open a session for a person, or begin the step that asks for a code where a second factor was not shown yet."""
    if not is_strong and second_factors.of_person(user_id) is not None:
        return second_factors.begin(CODE, now, user_id=user_id, organizationId=organization_id or "")
    session = open_session(
        user_id, visitor=visitor, now=now, organization_id=organization_id, is_strong=is_strong
    )
    return SignedIn(session, remember_browser(user_id, visitor, now=now))


def show_code(step: str, code: str, *, visitor: Visitor, now: datetime) -> SignedIn | str:
    """Check the code of a sign-in that has begun, within the same limits as a password.

    Raises StepOverError, CodeRefusedError or TooManySignInsError.
    """
    begin_read()
    user_id = second_factors.of_step(step, CODE, now).user_id or 0
    email = db.session.get_one(User, user_id).email
    db.session.rollback()
    allowances = sign_in_tries.count(email, visitor, now)
    begin_write()
    second_factors.check(user_id, code, now)
    organization_id = second_factors.end(step, CODE, now)["organizationId"] or None
    sign_in_tries.take_back(allowances, now)
    return let_in(user_id, visitor=visitor, now=now, organization_id=organization_id, is_strong=True)


def check_password(email: str, password: str, *, visitor: Visitor, now: datetime) -> int:
    """Check a password outside any transaction, begin to write, and answer with the person's id.

    The try is counted before that. Raises SignInRefusedError or TooManySignInsError.
    """
    account = email.strip().lower()[:320]
    allowances = sign_in_tries.count(account, visitor, now)
    with orm.Session(db.engine.execution_options(read_only=True)) as session:
        named = sa.select(User).where(User.email == account, User.is_active)
        user = session.scalar(named) if EMAIL.fullmatch(account) else None
        stored_hash = users.hash_of(session, account) if user else None
    is_right = verify_password(stored_hash, password)
    if user is None or not is_right:
        raise SignInRefusedError
    begin_write()
    sign_in_tries.take_back(allowances, now)
    if stored_hash is not None and hasher.check_needs_rehash(stored_hash):
        db.session.execute(
            sa.update(User).where(User.id == user.id).values(password_hash=hasher.hash(password))
        )
    return user.id


def open_session(
    user_id: int,
    *,
    now: datetime,
    visitor: Visitor | None = None,
    organization_id: str | None = None,
    is_strong: bool = False,
) -> str:
    """Open a session in an organization of the person's, the first one if none is named.

    It `is_strong` where the person has shown a second factor.
    """
    own = (each.id for each in organizations.as_joined(user_id, newest=organization_id))
    chosen = next((each for each in own if organization_id in {None, each}), None)
    if chosen is None:
        raise SignInRefusedError("You belong to no organization. Ask an owner to add you.")
    session_ends.end_before(now - LONGEST)
    # What follows is written in the books that were chosen, whichever the request began in.
    see(db.session.connection(), chosen)
    secret, visitor = session_secret(secrets.token_urlsafe(32), chosen), visitor or Visitor()
    db.session.add(
        BrowserSession(
            id_hash=digest_of(secret),
            user_id=user_id,
            organization_id=chosen,
            created_at=now,
            last_seen_at=now,
            address=visitor.address[:LONGEST_ADDRESS],
            user_agent=visitor.user_agent[:LONGEST_AGENT],
            is_strong=is_strong,
        )
    )
    db.session.flush()
    return secret


def close_session(id_hash: str) -> None:
    """End a session for good."""
    session_ends.close(id_hash)


def choose_organization(
    id_hash: str, user_id: int, organization_id: str, *, is_strong: bool, visitor: Visitor, now: datetime
) -> str:
    """Leave one organization for another of the person's, with a new session id."""
    close_session(id_hash)
    return open_session(
        user_id, visitor=visitor, now=now, organization_id=organization_id, is_strong=is_strong
    )


def join(
    secret: str,
    password: str,
    *,
    signed_in_id: int | None,
    is_strong: bool = False,
    visitor: Visitor,
    now: datetime,
) -> SignedIn | str:
    """Accept an invitation by its link, and answer with the secrets of a session in these books and its browser.

    A person who is signed in with the invited address needs no password; others give theirs, or choose a first one.
    Raises LinkEndedError, WeakPasswordError, SignInRefusedError, TooManySignInsError or PasswordMissingError.
    """
    begin_read()
    invitation = invitations.of_link(secret, now)
    db.session.expunge(invitation)
    user = users.find(invitation.email)
    known_id = user.id if user else None
    has_password = users.hash_of(db.session(), invitation.email) is not None
    # Hashing takes its time; nobody else waits for it.
    db.session.rollback()
    is_here = known_id is not None and known_id == signed_in_id
    if is_here:
        begin_write()
        membership = accept(secret, user_id=known_id, now=now)
    else:
        refuse_weak(password)
        if has_password:
            known_id = _checked_id(invitation, password, visitor, now)
            membership = accept(secret, user_id=known_id, now=now)
        else:
            hashed = hash_password(password)
            begin_write()
            membership = accept(secret, password_hash=hashed, now=now)
    user_id, organization_id = membership.user_id, membership.organization_id
    return let_in(
        user_id,
        visitor=visitor,
        now=now,
        organization_id=organization_id,
        is_strong=is_here and is_strong,
    )


def is_new() -> bool:
    """Return whether nobody is here yet, as a snapshot of its own shows."""
    begin_read()
    found = not organizations.has_people()
    end_read()
    return found


def open_first(password: str, *, email: str, visitor: Visitor, now: datetime, **books: Any) -> SignedIn:
    """Open the first books of this installation for a new person, and answer with the secrets of a session in them.

    `books` are what `open_own` takes. Raises WeakPasswordError, EmailError or FirstLinkError.
    """
    hashed = hash_password(password)
    begin_write()
    lock_people()
    if organizations.has_people():
        raise FirstLinkError
    owner = users.find_or_create(email, now=now)
    owner.password_hash = hashed
    opened = open_own(owner.id, email=email, now=now, **books)
    session = open_session(owner.id, visitor=visitor, now=now, organization_id=opened.id)
    return SignedIn(session, remember_browser(owner.id, visitor, now=now))


def _checked_id(invitation: Invitation, password: str, visitor: Visitor, now: datetime) -> int:
    """Check the password of an invited person who has one; a refusal is noted for the owners of these books."""
    organization_id, email, link = invitation.organization_id, invitation.email, invitation.token_hash
    try:
        return check_password(email, password, visitor=visitor, now=now)
    except SignInRefusedError:
        with own_transaction(organization_id=organization_id) as session:
            its = sa.and_(Invitation.organization_id == organization_id, Invitation.token_hash == link)
            session.execute(sa.update(Invitation).where(its).values(refused_at=now))
        raise NotYourPasswordError(fields={"password": [str(NotYourPasswordError.__doc__)]}) from None
