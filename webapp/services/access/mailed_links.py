"""Links by mail: for another password where somebody forgot it, and as the proof of a new address."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import begin_read, begin_write, db, scope_session
from webapp.ledger.errors import NotFoundError
from webapp.models import SignInStep, User
from webapp.queries.access import organizations
from webapp.services.access import letters, second_factors, sign_in_tries, users, visitors
from webapp.services.access.letters import ADDRESS, RESET
from webapp.services.access.second_factors import StepOverError
from webapp.services.access.users import EMAIL
from webapp.services.access.visitors import Visitor
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act

LIFETIMES: Final = {RESET: timedelta(hours=1), ADDRESS: timedelta(days=1)}
# So long after a link nobody is sent another one.
PAUSE: Final = timedelta(minutes=5)


class MailedLinkEndedError(NotFoundError):
    """This link no longer works: it works once, and not for long. Ask for another one."""


def ask_reset(email: str, *, visitor: Visitor, now: datetime) -> None:
    """Send a link for another password, outside any transaction, if somebody here has this address.

    Nothing that this answers tells whether somebody has it. Raises TooManySignInsError.
    """
    account = email.strip().lower()[:320]
    sign_in_tries.count(f"{RESET} {account}", visitor, now)
    begin_read()
    user = users.find(account) if EMAIL.fullmatch(account) else None
    books = organizations.as_joined(user.id) if user is not None and user.is_active else []
    user_id, ids = user.id if user is not None else 0, [each.id for each in books]
    db.session.rollback()
    if ids:
        begin_write(ids[0])
        if not _waits(user_id, now):
            _send(RESET, ids[0], user_id, account, now)


def ask_proof(user_id: int, email: str, organization_id: str, now: datetime) -> None:
    """Send a link to a new address of a person, which becomes theirs when somebody opens it there."""
    _send(ADDRESS, organization_id, user_id, email, now)


def read(about: str, secret: str, now: datetime) -> Mapping[str, str]:
    """Give what a link is about, in a transaction of its own; raises MailedLinkEndedError."""
    # A refused try may have left a transaction open; nothing of it stays.
    db.session.rollback()
    begin_read()
    facts = dict(_of(about, secret, now).facts)
    db.session.rollback()
    return facts


def reset(secret: str, password: str, *, visitor: Visitor, now: datetime) -> str:
    """Give the person of a link another password, outside any transaction: all their sessions end.

    It signs nobody in, so that a second factor is asked for as always. The browser is familiar from now on, so that
    strangers who guess do not make it wait; answers the secret of its cookie. Raises MailedLinkEndedError or
    WeakPasswordError.
    """
    read(RESET, secret, now)
    password_hash = users.hash_password(password)
    user, _ = end(RESET, secret, now)
    for each in organizations.of_user(user.id):
        actor = begin_as(user, each.id, visitor)
        title = f"Changed the password of {user.name}"
        with act(actor, now, "change_password", ("user", user.id), title=title):
            users.set_password(user.email, password_hash)
    return visitors.remember_browser(user.id, visitor, now=now)


def end(about: str, secret: str, now: datetime) -> tuple[User, Mapping[str, str]]:
    """Use a link up, once, and give its person and what it is about; raises MailedLinkEndedError."""
    begin_write()
    step = _of(about, secret, now)
    user = db.session.get_one(User, step.user_id)
    return user, second_factors.end(secret, about, now)


def begin_as(user: User, organization_id: str, visitor: Visitor) -> Actor:
    """Begin to write in some books as a person who is not signed in."""
    scope_session(organization_id)
    begin_write(organization_id)
    return Actor(organization_id, "PERSON", user.id, user.name, user.id, address=visitor.address)


def _waits(user_id: int, now: datetime) -> bool:
    """Return whether a person was sent a link for a password just now."""
    is_new = SignInStep.expires_at > now + LIFETIMES[RESET] - PAUSE
    found = sa.select(SignInStep.step_hash).where(
        SignInStep.user_id == user_id, SignInStep.kind == RESET, is_new
    )
    return db.session.scalar(found.limit(1)) is not None


def _send(about: str, organization_id: str, user_id: int, email: str, now: datetime) -> None:
    """Send a link that takes the place of earlier ones."""
    earlier = SignInStep.user_id == user_id, SignInStep.kind == about
    db.session.execute(sa.delete(SignInStep).where(*earlier))
    facts = {"email": email, "organizationId": organization_id}
    secret = second_factors.begin(about, now, LIFETIMES[about], user_id=user_id, **facts)
    letters.mail_link(organization_id, about, secret, now)


def _of(about: str, secret: str, now: datetime) -> SignInStep:
    try:
        return second_factors.of_step(secret, about, now)
    except StepOverError:
        raise MailedLinkEndedError from None
