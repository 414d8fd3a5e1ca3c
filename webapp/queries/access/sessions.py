"""Queries on sessions: where a person is signed in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from webapp.db import db
from webapp.models import BrowserSession, Organization
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
    is_this = BrowserSession.id_hash == session_hash
    statement = (
        sa.select(BrowserSession, Organization.name, reference(), is_this)
        .join(Organization, Organization.id == BrowserSession.organization_id)
        .where(
            BrowserSession.user_id == user_id,
            BrowserSession.last_seen_at > now - IDLE,
            BrowserSession.created_at > now - LONGEST,
        )
        .order_by(is_this.desc(), BrowserSession.last_seen_at.desc(), BrowserSession.id_hash)
    )
    rows = db.session.execute(statement, execution_options={"across_organizations": True})
    return [
        SessionRecord(
            reference=named,
            organization_name=name,
            created_at=found.created_at,
            last_seen_at=found.last_seen_at,
            address=found.address or "",
            user_agent=found.user_agent or "",
            is_this=bool(this),
        )
        for found, name, named, this in rows
    ]
