"""Letters: what people are told by mail, wanted as jobs and written when they are sent.

A letter tells nothing of the books, no name, text or amount: only that something waits, and where. The secret of its
link is in the vault until it is sent.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import OPTIONAL_LETTERS
from webapp.ledger.scopes import APPROVE, scopes_of_role
from webapp.models import ApiToken, BankConnection, Invitation, Job, Membership, SignInStep
from webapp.queries.access import organizations
from webapp.queries.access.principals import digest_of
from webapp.services.access import users
from webapp.services.operating import jobs
from webapp.services.storage import vault
from webapp.services.storage.vault import Owner

LETTER: Final = "LETTER"
# Their links have a secret: they invite, let somebody choose another password, and prove a new address.
INVITATION, RESET, ADDRESS = "INVITATION", "RESET", "ADDRESS"
WAITING, CONNECTION_ENDS, BANK_ENDS = OPTIONAL_LETTERS
LINK: Final = "link"
# So long nobody is told of another proposal.
PAUSE: Final = timedelta(hours=1)
# So long before a consent ends people are told, once.
AHEAD: Final = timedelta(days=7)


class Letter(NamedTuple):
    """What a letter is about, to whom, in which language if that is known, and the secret of its link, or none."""

    about: str
    to: str
    language: str | None
    secret: str = ""


def mail_link(organization_id: str, about: str, secret: str, now: datetime) -> None:
    """Send a link with a secret, unless it ends before."""
    uid = _uid(digest_of(secret))
    vault.put(Owner(LETTER, uid), LINK, secret, now=now)
    _want(organization_id, about, uid, "once", now)


def forget(invitation: Invitation) -> None:
    """Send no link of an invitation that is over, was sent, or gets another link."""
    vault.drop(Owner(LETTER, _uid(invitation.token_hash)))


def mail_waiting_proposal(organization_id: str, now: datetime) -> None:
    """Tell those who can decide that a proposal waits, each at most once an hour."""
    for member in _members(organization_id, APPROVE):
        its = Job.organization_id == organization_id, Job.kind == LETTER
        own = sa.select(sa.func.max(Job.run_at)).where(*its, Job.subject == f"{WAITING} {member.user_id}")
        last = db.session.scalar(own)
        if last is None or last <= now:
            at = now if last is None else max(now, last + PAUSE)
            _want(organization_id, WAITING, str(member.user_id), at.isoformat(), now, at=at)


class EndingConsent(NamedTuple):
    """A consent that ends: in which books, of a program or a bank, its id, and the day."""

    organization_id: str
    about: str
    record_id: int
    day: str


def ending(now: datetime) -> list[EndingConsent]:
    """List the consents of all books that end within a week."""
    of_connections = ApiToken.client_id.is_not(None), ApiToken.revoked_at.is_(None)
    soon = {
        CONNECTION_ENDS: sa.select(ApiToken.organization_id, ApiToken.id, ApiToken.expires_at).where(
            *of_connections, ApiToken.expires_at > now, ApiToken.expires_at <= now + AHEAD
        ),
        BANK_ENDS: sa.select(
            BankConnection.organization_id, BankConnection.id, BankConnection.consent_ends_at
        ).where(BankConnection.consent_ends_at > now, BankConnection.consent_ends_at <= now + AHEAD),
    }
    return [
        EndingConsent(organization_id, about, record_id, at.date().isoformat())
        for about, statement in soon.items()
        for organization_id, record_id, at in db.session.execute(statement)
        if at is not None
    ]


def mail_ending_consent(end: EndingConsent, now: datetime) -> None:
    """Tell the person who connected a program, or the owners of a bank's books, that a consent ends, once."""
    if end.about == CONNECTION_ENDS:
        told = [db.session.get_one(ApiToken, (end.organization_id, end.record_id)).user_id]
    else:
        told = [each.user_id for each in _members(end.organization_id, "admin")]
    for user_id in told:
        _want(end.organization_id, end.about, str(user_id), f"{end.record_id} {end.day}", now)


def read(organization_id: str, subject: str, now: datetime) -> Letter | None:
    """Write a letter, or none where nobody is to be told any more."""
    about, _, key = subject.partition(" ")
    if about not in OPTIONAL_LETTERS:
        return _with_link(organization_id, about, key, now)
    member = db.session.get(Membership, (organization_id, int(key)))
    if member is None or not member.user.is_active or organizations.has_ended(member, now):
        return None
    if about in (member.user.letters_off or ()):
        return None
    return Letter(about, member.user.email, member.user.language)


def sent(subject: str) -> None:
    """Forget the secret of a letter that was sent."""
    about, _, key = subject.partition(" ")
    if about not in OPTIONAL_LETTERS:
        vault.drop(Owner(LETTER, key))


def _with_link(organization_id: str, about: str, uid: str, now: datetime) -> Letter | None:
    secret = vault.find(Owner(LETTER, uid), LINK)
    if secret is None:
        return None
    of_step = sa.select(SignInStep.facts["email"].as_string()).where(
        SignInStep.step_hash == digest_of(secret), SignInStep.expires_at > now
    )
    to = _invited(organization_id, secret, now) if about == INVITATION else db.session.scalar(of_step)
    if to is None:
        return None
    known = users.find(to)
    return Letter(about, to, known.language if known else None, secret)


def _invited(organization_id: str, secret: str, now: datetime) -> str | None:
    """Give the address that the link of an invitation is for, none where it has ended."""
    return db.session.scalar(
        sa.select(Invitation.email).where(
            Invitation.organization_id == organization_id,
            Invitation.token_hash == digest_of(secret),
            Invitation.expires_at > now,
        )
    )


def _members(organization_id: str, scope: str) -> Iterator[Membership]:
    """Find the members whose role has a scope."""
    for each in organizations.members(organization_id):
        if each.user.is_active and scope in scopes_of_role(each.role):
            yield each


def _want(
    organization_id: str, about: str, key: str, occurrence: str, now: datetime, *, at: datetime | None = None
) -> None:
    jobs.want(organization_id, LETTER, occurrence, subject=f"{about} {key}", at=at or now, now=now)


def _uid(token_hash: str) -> str:
    """Give the name by which the vault knows a link."""
    return token_hash[:32]
