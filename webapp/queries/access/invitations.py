"""Queries on invitations: those of an organization, and the one that a link is for."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import begin_read, db
from webapp.database.tenancy import asking_owner, is_bound, see_books_of
from webapp.ledger.errors import NotFoundError
from webapp.models import Invitation, Membership, User
from webapp.queries.access import organizations
from webapp.queries.access.principals import digest_of
from webapp.queries.common import lookups

# A person may be asked into several organizations, and belongs to none of them while these are asked.
_ACROSS = {"across_organizations": True}


class LinkEndedError(NotFoundError):
    """This link no longer works: it works once, and for one week. An owner can create a new one under Members."""


def listed(organization_id: str) -> list[Invitation]:
    """List the invitations of an organization that nobody accepted yet, the earliest first."""
    return list(
        db.session.scalars(
            sa.select(Invitation)
            .where(Invitation.organization_id == organization_id)
            .order_by(Invitation.created_at, Invitation.id)
        )
    )


def get(organization_id: str, invitation_id: int) -> Invitation:
    """Find an invitation, or raise NotFoundError."""
    return lookups.get(Invitation, organization_id, invitation_id)


def find(organization_id: str, email: str) -> Invitation | None:
    """Find the invitation of an address, if there is one."""
    return db.session.scalar(
        sa.select(Invitation).where(Invitation.organization_id == organization_id, Invitation.email == email)
    )


def of_link(secret: str, now: datetime) -> Invitation:
    """Find the invitation that a link is for, with its organization, or raise LinkEndedError."""
    see_books_of(db.session(), "invitation", digest_of(secret))
    found = db.session.scalar(
        sa.select(Invitation)
        .where(Invitation.token_hash == digest_of(secret), Invitation.expires_at > now)
        .options(orm.joinedload(Invitation.organization)),
        execution_options=_ACROSS,
    )
    if found is None:
        raise LinkEndedError
    return found


def read_of_link(secret: str, now: datetime) -> Invitation:
    """Find the invitation that a link is for in a transaction of its own, or raise LinkEndedError."""
    # A refused try may have left a transaction open; nothing of it stays.
    db.session.rollback()
    begin_read()
    return of_link(secret, now)


def is_member(organization_id: str, email: str) -> bool:
    """Return whether the person with this address is a member of the organization."""
    found = (
        sa.select(Membership.user_id)
        .join(User, User.id == Membership.user_id)
        .where(Membership.organization_id == organization_id, User.email == email)
    )
    return db.session.scalar(found) is not None


def belongs_elsewhere(invitation: Invitation, user: User) -> bool:
    """Return whether a person is a member of other organizations than the invitation's."""
    return any(each.id != invitation.organization_id for each in organizations.as_joined(user.id))


def is_overtaken(invitation: Invitation, now: datetime) -> bool:
    """Return whether other books made a link for the same address later, which ends this one's right to a password."""
    if is_bound(db.session()):
        later_one = sa.select(sa.func.is_invited_later(invitation.token_hash, now))
        with asking_owner(db.session()) as connection:
            return bool(connection.scalar(later_one))
    later = sa.select(Invitation.id).where(
        Invitation.email == invitation.email,
        Invitation.organization_id != invitation.organization_id,
        Invitation.expires_at > now,
        sa.or_(
            Invitation.linked_at > invitation.linked_at,
            sa.and_(Invitation.linked_at == invitation.linked_at, Invitation.id > invitation.id),
        ),
    )
    return db.session.scalar(later.limit(1), execution_options=_ACROSS) is not None
