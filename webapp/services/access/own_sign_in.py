"""A person's own sign-in: another name, address or password, and the end of sessions."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import begin_write, db, scope_session, scoped_session
from webapp.ledger.codes import OPTIONAL_LETTERS
from webapp.ledger.errors import NotFoundError, UnprocessableError
from webapp.ledger.scopes import scopes_of_role
from webapp.models import ApiToken, Membership, SignInStep, User
from webapp.queries.access import organizations
from webapp.services.access import (
    letters,
    mailed_links,
    second_factors,
    session_ends,
    sessions,
    tokens,
    users,
)
from webapp.services.access.sessions import SignedIn, SignInRefusedError
from webapp.services.access.visitors import Visitor, forget_browsers, remember_browser
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act

# A new address that waits for an owner's yes, and how long it waits.
NEW_ADDRESS: Final = "NEW_ADDRESS"
WAITS_FOR: Final = timedelta(days=7)


class WrongPasswordError(UnprocessableError):
    """This is not your current password."""

    code = "wrong_password"


class SamePasswordError(UnprocessableError):
    """Choose another password than the current one."""

    code = "same_password"


def change_password(
    email: str,
    current: str,
    password: str,
    *,
    revoke_keys: bool,
    is_strong: bool,
    visitor: Visitor,
    actor: Actor,
    now: datetime,
) -> SignedIn:
    """Change a person's own password outside any transaction, and answer with a new session in these books.

    The present password is tried as at a sign-in, within the same limits. All sessions end. API keys go on working;
    with `revoke_keys` the person's own keys to these books end. Raises WeakPasswordError, SamePasswordError,
    WrongPasswordError or TooManySignInsError.
    """
    if current == password:
        raise SamePasswordError(fields={"password": [str(SamePasswordError.__doc__)]})
    password_hash = users.hash_password(password)
    user_id = check_current(email, current, visitor, actor, now)
    title = f"Changed the password of {actor.name}"
    with act(actor, now, "change_password", ("user", user_id), title=title):
        users.set_password(email, password_hash)
    if revoke_keys:
        for token in own_keys(actor.organization_id, user_id):
            tokens.revoke(token, actor=actor, now=now)
    organization_id = actor.organization_id
    session = sessions.open_session(
        user_id, visitor=visitor, now=now, organization_id=organization_id, is_strong=is_strong
    )
    return SignedIn(session, remember_browser(user_id, visitor, now=now))


def change_person(
    email: str,
    current: str,
    *,
    own_name: str,
    new_email: str,
    proves: bool,
    visitor: Visitor,
    actor: Actor,
    now: datetime,
) -> str:
    """Change a person's own name and address outside any transaction; the present password is tried first.

    With `proves` a new address counts when somebody opens the link that is sent there, else when an owner allows it;
    who owns all their books needs nobody. Answers what came of it: "person" where all of it counts, "address" where a
    link is sent, "asked" where an owner decides. Raises EmailError, EmailTakenError, WrongPasswordError or
    TooManySignInsError.
    """
    user = db.session.get_one(User, check_current(email, current, visitor, actor, now))
    address = users.free_address(user, new_email)
    books = None if proves else _deciding_books(user.id, actor.organization_id)
    waits = address != user.email and (proves or books is not None)
    _rename(user, own_name, user.email if waits else address, actor, now)
    db.session.execute(sa.delete(SignInStep).where(*_waiting(user.id)))
    if waits and proves:
        mailed_links.ask_proof(user.id, address, actor.organization_id, now)
    elif waits:
        facts = {"email": address, "organizationId": books or ""}
        second_factors.begin(NEW_ADDRESS, now, WAITS_FOR, user_id=user.id, **facts)
    return "person" if not waits else "address" if proves else "asked"


def has_password(email: str) -> bool:
    """Return whether a person has a password: none who came by another server has one at first."""
    return users.hash_of(db.session(), email) is not None


def waiting_address(user_id: int, now: datetime) -> str | None:
    """Give the address of a person that an owner has still to allow."""
    its = *_waiting(user_id), SignInStep.expires_at > now
    return db.session.scalar(sa.select(SignInStep.facts["email"].as_string()).where(*its))


def waiting_addresses(organization_id: str, now: datetime) -> dict[int, str]:
    """Give the addresses that owners of these books have still to allow, by the ids of their people."""
    its = SignInStep.kind == NEW_ADDRESS, SignInStep.expires_at > now
    found = sa.select(SignInStep.user_id, SignInStep.facts["email"].as_string()).where(
        *its, SignInStep.facts["organizationId"].as_string() == organization_id
    )
    return {user_id: email for user_id, email in db.session.execute(found) if user_id is not None}


def decide_address(user_id: int, *, is_allowed: bool, actor: Actor, now: datetime) -> None:
    """Let a member have the address that waits, or not; raises NotFoundError or EmailTakenError."""
    address = waiting_addresses(actor.organization_id, now).get(user_id)
    if address is None:
        raise NotFoundError
    user = organizations.membership(actor.organization_id, user_id).user
    db.session.execute(sa.delete(SignInStep).where(*_waiting(user_id)))
    if is_allowed:
        _rename(user, user.name, users.free_address(user, address), actor, now)
        return
    title = f"Refused another address of {user.name}"
    with act(actor, now, "change_person", ("user", user_id), title=title) as doing:
        doing.before = {"email": address}


def _waiting(user_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return SignInStep.kind == NEW_ADDRESS, SignInStep.user_id == user_id


def _deciding_books(user_id: int, here: str) -> str | None:
    """Find the books whose owners decide on a person's address: these, or the first of which the person is no owner."""
    for each in sorted(organizations.as_joined(user_id), key=lambda each: each.id != here):
        with scoped_session(each.id):
            role = organizations.membership(each.id, user_id).role
        if "admin" not in scopes_of_role(role):
            return each.id
    return None


def prove_address(secret: str, *, visitor: Visitor, now: datetime) -> str:
    """Let a person have the address that a link was sent to, and answer with it, outside any transaction.

    Raises MailedLinkEndedError or EmailTakenError.
    """
    user, facts = mailed_links.end(letters.ADDRESS, secret, now)
    actor = mailed_links.begin_as(user, facts["organizationId"], visitor)
    _rename(user, user.name, users.free_address(user, facts["email"]), actor, now)
    return user.email


def _rename(user: User, name: str, email: str, actor: Actor, now: datetime) -> None:
    title = f"Changed the name or address of {user.name}"
    with act(actor, now, "change_person", ("user", user.id), title=title) as doing:
        doing.before = {"name": user.name, "email": user.email}
        user.name, user.email = name, email
        db.session.flush()
        doing.after = {"name": name, "email": email}
        if doing.after == doing.before:
            doing.nothing_to_do()


def check_current(email: str, current: str, visitor: Visitor, actor: Actor, now: datetime) -> int:
    """Check the present password as at a sign-in, and begin to write in the actor's books."""
    try:
        user_id = sessions.check_password(email, current, visitor=visitor, now=now)
    except SignInRefusedError:
        raise WrongPasswordError(fields={"current": [str(WrongPasswordError.__doc__)]}) from None
    scope_session(actor.organization_id)
    begin_write(actor.organization_id)
    return user_id


def offer_app(
    email: str, current: str, *, is_strong: bool, visitor: Visitor, actor: Actor, now: datetime
) -> str:
    """Answer with what an authenticator app reads, after the present password was tried.

    Raises WrongPasswordError, TooManySignInsError, StrongFirstError or AlreadyOnError.
    """
    user_id = check_current(email, current, visitor, actor, now)
    second_factors.demand_strong(user_id, is_strong=is_strong)
    return second_factors.offer(user_id, email, now)


def strengthened(visitor: Visitor, *, actor: Actor, now: datetime) -> SignedIn:
    """Open another session in these books for somebody who has just shown a second factor."""
    user_id, books = actor.user_id or 0, actor.organization_id
    session = sessions.open_session(user_id, visitor=visitor, now=now, organization_id=books, is_strong=True)
    return SignedIn(session, remember_browser(user_id, visitor, now=now))


def renew_codes(
    email: str, current: str, *, is_strong: bool, visitor: Visitor, actor: Actor, now: datetime
) -> list[str]:
    """Make new recovery codes, after the present password was tried; answers with them.

    Raises WrongPasswordError, TooManySignInsError or StrongFirstError.
    """
    second_factors.demand_strong(check_current(email, current, visitor, actor, now), is_strong=is_strong)
    return second_factors.renew_codes(actor=actor, now=now)


def remove_app(
    email: str, current: str, *, is_strong: bool, visitor: Visitor, actor: Actor, now: datetime
) -> None:
    """Remove a person's app and recovery codes, after the present password was tried.

    Raises WrongPasswordError, TooManySignInsError or StrongFirstError.
    """
    second_factors.demand_strong(check_current(email, current, visitor, actor, now), is_strong=is_strong)
    second_factors.remove(actor=actor, now=now)


def own_keys(organization_id: str, user_id: int) -> list[ApiToken]:
    """List a person's API keys to these books that were not revoked."""
    statement = sa.select(ApiToken).where(
        ApiToken.organization_id == organization_id,
        ApiToken.user_id == user_id,
        ApiToken.revoked_at.is_(None),
    )
    return list(db.session.scalars(statement.order_by(ApiToken.id)))


def switch_letter_keys(user_id: int, *, is_on: bool) -> None:
    """Let single letters act on a person's pages, or not: who speaks or switches would press them by accident."""
    db.session.execute(sa.update(User).where(User.id == user_id).values(letter_keys_off=not is_on))


def choose_locale(user_id: int, locale: str | None) -> None:
    """Let a person's pages write and read amounts and days in a locale; without one, in the organization's."""
    db.session.execute(sa.update(User).where(User.id == user_id).values(locale=locale))


def choose_language(user_id: int, language: str | None) -> None:
    """Let a person's pages be in a language; without one, in the browser's."""
    db.session.execute(sa.update(User).where(User.id == user_id).values(language=language))


def unwanted_letters(user_id: int) -> Collection[str]:
    """List the letters that a person does not want, of those that nobody has to get."""
    return db.session.get_one(User, user_id).letters_off or ()


def choose_letters(user_id: int, wanted: Collection[str]) -> None:
    """Let a person get these letters, of those that nobody has to get, and no others."""
    unwanted = [each for each in OPTIONAL_LETTERS if each not in wanted]
    db.session.execute(sa.update(User).where(User.id == user_id).values(letters_off=unwanted))


def choose_theme(user_id: int, theme: str | None) -> None:
    """Let a person's pages be light or dark; without one, as the person's system has it."""
    db.session.execute(sa.update(User).where(User.id == user_id).values(theme=theme))


def hide_steps(organization_id: str, user_id: int) -> None:
    """Leave the first steps out of a person's hub of these books."""
    of_it = Membership.organization_id == organization_id, Membership.user_id == user_id
    db.session.execute(sa.update(Membership).where(*of_it).values(hides_steps=True))


def end_session(user_id: int, reference: str) -> None:
    """End one of a person's sessions, or raise NotFoundError."""
    if not session_ends.end_of_person(user_id, reference):
        raise NotFoundError


def end_all_sessions(user_id: int) -> None:
    """End all sessions of a person, and let no browser be familiar any more."""
    session_ends.end_of_person(user_id)
    forget_browsers(user_id)
