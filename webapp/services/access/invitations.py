"""Invitations: nobody belongs to books before the holder of the link says yes.

The link is the proof that these books asked this person; a password is the proof of who that person is. A password
alone opens no other books, for the address may have been asked into a stranger's books first, and its password be the
stranger's. A link alone sets a password only for somebody who has none and belongs nowhere else.
"""

import secrets
from datetime import date, datetime, timedelta

import sqlalchemy as sa

from webapp.database.sessions import begin_write, db
from webapp.ledger.errors import LedgerError
from webapp.models import Invitation, Membership, User
from webapp.queries.access import invitations
from webapp.queries.access.invitations import LinkEndedError
from webapp.queries.access.principals import digest_of
from webapp.services.access import letters, users
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import jsonable

LINK_LIFETIME = timedelta(days=7)


class AlreadyMemberError(LedgerError):
    """This person belongs to the organization already; change the role instead."""

    code = "already_member"


class AlreadyInvitedError(LedgerError):
    """This address is invited already; create a new link for it, or withdraw the invitation."""

    code = "already_invited"


class PasswordMissingError(LedgerError):
    """This address belongs to other books and has no password yet; whoever runs Tieout can set one."""

    code = "password_missing"


def invite(
    organization_id: str,
    email: str,
    role: str,
    *,
    name: str,
    ends_on: date | None = None,
    actor: Actor,
    now: datetime,
) -> tuple[Invitation, str]:
    """Invite an address, until a day if one is named, and give the secret of its link, which is shown once.

    The answer is the same whether the address has an account or not.
    """
    payload = {"email": email, "role": role, **jsonable({} if ends_on is None else {"endsOn": ends_on})}
    with act(actor, now, "invite_member", ("invitation", "new"), payload=payload) as doing:
        address = users.canonical_email(email)
        if invitations.is_member(organization_id, address):
            raise AlreadyMemberError(fields={"email": ["This person belongs to the organization already."]})
        if invitations.find(organization_id, address) is not None:
            raise AlreadyInvitedError(fields={"email": ["This address is invited already."]})
        invitation, secret = make(organization_id, address, role, name=name, ends_on=ends_on, now=now)
        doing.target_id, doing.title = str(invitation.id), f"Invited {address} as {role}"
    return invitation, secret


def make(
    organization_id: str, email: str, role: str, *, name: str, ends_on: date | None = None, now: datetime
) -> tuple[Invitation, str]:
    """Store an invitation with a link."""
    secret = secrets.token_urlsafe(32)
    invitation = Invitation(
        organization_id=organization_id,
        email=email,
        name=name,
        role=role,
        token_hash=digest_of(secret),
        linked_at=now,
        expires_at=now + LINK_LIFETIME,
        created_at=now,
        ends_on=ends_on,
    )
    db.session.add(invitation)
    db.session.flush()
    return invitation, secret


def renew(organization_id: str, invitation_id: int, *, actor: Actor, now: datetime) -> tuple[Invitation, str]:
    """Make another link for an invitation; the earlier one ends."""
    invitation = invitations.get(organization_id, invitation_id)
    title = f"Created another link for {invitation.email}"
    with act(actor, now, "renew_invitation", ("invitation", invitation.id), title=title):
        secret = secrets.token_urlsafe(32)
        letters.forget(invitation)
        invitation.token_hash = digest_of(secret)
        invitation.linked_at, invitation.expires_at = now, now + LINK_LIFETIME
        db.session.flush()
    return invitation, secret


def withdraw(organization_id: str, invitation_id: int, *, actor: Actor, now: datetime) -> None:
    """Withdraw an invitation; its link ends."""
    invitation = invitations.get(organization_id, invitation_id)
    title = f"Withdrew the invitation of {invitation.email}"
    with act(actor, now, "withdraw_invitation", ("invitation", invitation.id), title=title) as doing:
        doing.before = {"email": invitation.email, "role": invitation.role}
        letters.forget(invitation)
        db.session.delete(invitation)
        db.session.flush()


def accept(
    secret: str,
    *,
    user_id: int | None = None,
    password_hash: str | None = None,
    has_identity: bool = False,
    now: datetime,
) -> Membership:
    """Make a member of the person that an invitation is for; its link opens no more.

    `user_id` is the person who is signed in or gave the right password; for somebody without one, `password_hash` is
    of the password that was chosen, or none where the person `has_identity` of another server. Raises LinkEndedError
    or PasswordMissingError.
    """
    invitation = invitations.of_link(secret, now)
    begin_write(invitation.organization_id)
    user = (
        _newcomer(invitation, password_hash, now, has_identity=has_identity)
        if user_id is None
        else db.session.get_one(User, user_id)
    )
    if user.email != invitation.email:
        raise LinkEndedError
    actor = Actor(invitation.organization_id, "PERSON", user.id, user.name, user.id)
    title = f"{user.name} joined as {invitation.role}"
    with act(actor, now, "accept_invitation", ("member", user.id), title=title):
        used = db.session.execute(
            sa.delete(Invitation).where(
                Invitation.organization_id == invitation.organization_id,
                Invitation.token_hash == invitation.token_hash,
            )
        )
        if used.rowcount != 1:  # type: ignore[attr-defined]
            raise LinkEndedError
        return _member(invitation, user, now)


def _newcomer(
    invitation: Invitation, password_hash: str | None, now: datetime, *, has_identity: bool
) -> User:
    """Find or make the person who chooses a first way in by the link, where that is allowed at this moment."""
    user = users.find_or_create(invitation.email, name=invitation.name, now=now)
    has_way = password_hash is not None or has_identity
    if not has_way or users.hash_of(db.session(), user.email) is not None or not user.is_active:
        raise LinkEndedError
    if invitations.belongs_elsewhere(invitation, user):
        raise PasswordMissingError
    if invitations.is_overtaken(invitation, now):
        raise LinkEndedError
    if password_hash is not None:
        user.password_hash = password_hash
    return user


def _member(invitation: Invitation, user: User, now: datetime) -> Membership:
    membership = db.session.get(Membership, (invitation.organization_id, user.id))
    if membership is None:
        membership = Membership(
            organization_id=invitation.organization_id,
            user_id=user.id,
            role=invitation.role,
            created_at=now,
            ends_on=invitation.ends_on,
        )
        db.session.add(membership)
    db.session.flush()
    return membership
