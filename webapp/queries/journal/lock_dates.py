"""Queries on the lock date: the drafts that keep a period from being closed."""

from collections.abc import Sequence
from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import JournalEntry, Posting, Transaction, refers_to
from webapp.queries.common.parts import with_parts


def needs_open_day() -> sa.ColumnElement[bool]:
    """Build the condition of drafts that need an open day: neither correction markers nor of lines set aside."""
    set_aside = sa.exists().where(
        refers_to(Transaction.journal_entry_id, JournalEntry),
        Transaction.status == "SET_ASIDE",
    )
    return sa.and_(JournalEntry.status == "DRAFT", JournalEntry.corrects_id.is_(None), ~set_aside)


def drafts_until(organization_id: str, day: date) -> Sequence[sa.ColumnElement[bool]]:
    """Build the conditions of the drafts dated at or before a day that need an open one."""
    return JournalEntry.organization_id == organization_id, JournalEntry.effective_on <= day, needs_open_day()


def ids_until(organization_id: str, day: date) -> list[int]:
    """List the ids of those drafts."""
    ids = sa.select(JournalEntry.id).where(*drafts_until(organization_id, day)).order_by(JournalEntry.id)
    return list(db.session.scalars(ids))


def mirrored_until(organization_id: str, day: date) -> Sequence[JournalEntry]:
    """List those of them that are of no line and are mirrored at a rate of their own day."""
    posting = (refers_to(Posting.journal_entry_id, JournalEntry),)
    foreign = sa.exists().where(*posting, Posting.currency != JournalEntry.base_currency)
    of_a_line = sa.exists().where(*posting, Posting.transaction_id.is_not(None))
    found = db.session.scalars(
        sa.select(JournalEntry)
        .where(*drafts_until(organization_id, day), foreign, ~of_a_line)
        .order_by(JournalEntry.id)
    )
    return with_parts(JournalEntry.postings, found)
