"""Tables that books were moved in with: the acts that took them, and the entries of each."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.models import ActionRequest, FeedAccount, JournalEntry, Posting, refers_to

TAKEN, REMOVED = "take_table", "remove_table"


def standing(organization_id: str, *, during: str | None = None) -> Sequence[ActionRequest]:
    """List the tables that were taken and not removed, the newest first.

    `during` is the id of the act that asks: one that was proposed is already there, with what it is about to do.
    """
    removed = {each.target_id for each in _acts(organization_id, REMOVED) if each.id != during}
    taken = _acts(organization_id, TAKEN)
    return [each for each in taken if each.id not in removed and each.id != during]


def get(organization_id: str, table_id: str) -> ActionRequest:
    """Find a table that was taken by the id of that act, removed or not, or raise NotFoundError."""
    found = next((each for each in _acts(organization_id, TAKEN) if each.id == table_id), None)
    if found is None:
        raise NotFoundError
    return found


def entries_of(taken: ActionRequest) -> Sequence[JournalEntry]:
    """List the entries of a table that are not voided, in the order of their numbers."""
    statement = sa.select(JournalEntry).where(
        JournalEntry.organization_id == taken.organization_id,
        JournalEntry.action_request_id == taken.id,
        JournalEntry.status == "POSTED",
        JournalEntry.source.in_(("opening", "manual")),
    )
    return db.session.scalars(statement.order_by(JournalEntry.number)).all()


def used(organization_id: str, account_ids: Collection[int]) -> set[int]:
    """Return those accounts that have a posting of a draft or of an entry that is not voided, or that a bank has."""
    posted = (
        sa.select(Posting.account_id)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            Posting.account_id.in_(account_ids),
            JournalEntry.status != "VOIDED",
            JournalEntry.voids_id.is_(None),
        )
    )
    banks = sa.select(FeedAccount.account_id).where(FeedAccount.organization_id == organization_id)
    return {*db.session.scalars(posted.distinct()), *db.session.scalars(banks)}


def _acts(organization_id: str, kind: str) -> Sequence[ActionRequest]:
    return db.session.scalars(
        sa.select(ActionRequest)
        .where(
            ActionRequest.organization_id == organization_id,
            ActionRequest.kind == kind,
            ActionRequest.status == "EXECUTED",
        )
        .order_by(ActionRequest.id.desc())
    ).all()
