"""Queries on sessions: where a person is signed in."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.database.tenancy import asking_owner, is_bound, rows_of
from webapp.models import BrowserSession
from webapp.queries.access import organizations
from webapp.queries.access.principals import IDLE, LONGEST

# As much of a session's hash as a form names it by; nobody gets in by it.
REFERENCE_LENGTH = 16


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A session that is not over; `is_this` marks the one of the request."""

    reference: str
    organization_name: str
    created_at: datetime
    last_seen_at: datetime
    address: str
    user_agent: str
    is_this: bool


def reference() -> sa.ColumnElement[str]:
    """Build the column by which a form names a session."""
    return sa.func.substr(BrowserSession.id_hash, 1, REFERENCE_LENGTH)


def of_person(user_id: int, session_hash: str, now: datetime) -> list[SessionRecord]:
    """List a person's sessions in all books, this one first, then the last used."""
    names = {each.id: each.name for each in organizations.as_joined(user_id)}
    found = [
        SessionRecord(
            reference=each.id_hash[:REFERENCE_LENGTH],
            organization_name=names[each.organization_id],
            created_at=each.created_at,
            last_seen_at=each.last_seen_at,
            address=each.address or "",
            user_agent=each.user_agent or "",
            is_this=each.id_hash == session_hash,
        )
        for each in _every_one(user_id)
        if each.last_seen_at > now - IDLE
        and each.created_at > now - LONGEST
        and each.organization_id in names
    ]
    return sorted(found, key=lambda each: (each.is_this, each.last_seen_at, each.reference), reverse=True)


def _every_one(user_id: int) -> Iterable[BrowserSession]:
    session, across = db.session(), {"across_organizations": True}
    if not is_bound(session):
        own = sa.select(BrowserSession).where(BrowserSession.user_id == user_id)
        return session.scalars(own, execution_options=across)
    function = rows_of("sessions_of_person", user_id, BrowserSession.__table__)
    asked = sa.select(BrowserSession).from_statement(function)
    with asking_owner(session) as connection, orm.Session(connection) as apart:
        found = apart.scalars(asked, execution_options=across).all()
        apart.expunge_all()
    return found
