"""Queries on exceptions from the lock: the one that lets a person in, and all with what they were used for."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.models import JournalEntry, LockException, User
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.records import record_of

NEWEST = Order((LockException.id,))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class LockExceptionRecord:
    """An exception with whom it lets in, since which day, until when, and the entries that it let in."""

    id: int
    user_id: int
    user: str
    starts_on: date
    until: datetime
    note: str
    granted_by: str
    created_at: datetime
    ended_at: datetime | None
    is_active: bool
    journal_entry_ids: list[int]


def letting(organization_id: str, user_id: int, day: date, now: datetime) -> LockException | None:
    """Find the newest exception that lets a person date an entry on a locked day at an instant."""
    return db.session.scalar(
        sa.select(LockException)
        .where(
            LockException.organization_id == organization_id,
            LockException.user_id == user_id,
            LockException.starts_on <= day,
            LockException.until > now,
            LockException.ended_at.is_(None),
        )
        .order_by(LockException.id.desc())
        .limit(1)
    )


def get(organization_id: str, exception_id: int) -> LockException:
    """Find an exception, or raise NotFoundError."""
    found = db.session.get(LockException, (organization_id, exception_id))
    if found is None:
        raise NotFoundError
    return found


def listed(
    organization_id: str, *, now: datetime, after: tuple[Any, ...] | None, limit: int
) -> Page[LockExceptionRecord]:
    """List exceptions, the newest first."""
    statement = sa.select(LockException).where(LockException.organization_id == organization_id)
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of(records(organization_id, found.items, now))


def records(organization_id: str, found: Any, now: datetime) -> list[LockExceptionRecord]:
    """Give the records of exceptions, in their order."""
    people = dict(
        db.session.execute(
            sa.select(User.id, User.name).where(User.id.in_({each.user_id for each in found}))
        ).all()
    )
    used: dict[int, list[int]] = {each.id: [] for each in found}
    rows = db.session.execute(
        sa.select(JournalEntry.lock_exception_id, JournalEntry.id)
        .where(
            JournalEntry.organization_id == organization_id, JournalEntry.lock_exception_id.in_(used.keys())
        )
        .order_by(JournalEntry.id)
    )
    for exception_id, entry_id in rows:
        used[exception_id or 0].append(entry_id)
    return [
        record_of(
            LockExceptionRecord,
            each,
            user=people.get(each.user_id, ""),
            granted_by=str(each.granted_by.get("name") or each.granted_by.get("kind")),
            is_active=each.ended_at is None and each.until > now,
            journal_entry_ids=used[each.id],
        )
        for each in found
    ]
