"""`updated_at` of rows that change by what hangs on them: lines by their entry, documents by what they belong to.

The column of a row that is written itself is set with it (models/base.py).
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from webapp.database.session_state import ActWrites, state_of
from webapp.database.sessions import db
from webapp.ledger.references import Kind
from webapp.models import Document, DocumentRelation, JournalEntry, Transaction, update_rows
from webapp.queries.common.portions import portions
from webapp.queries.transactions.line_entries import lines_of
from webapp.services.audit.act import Act

# PostgreSQL's triggers join the rows of a statement as they were with those as they are: in small portions the time of
# a long run grows with its lines, and not with their square.
ROWS_AT_ONCE = 500


@contextmanager
def writing(now: datetime, doing: Act | None = None) -> Iterator[None]:
    """Let the rows that are written within the block say that they changed now, by an act."""
    state = state_of(db.session())
    outer, state.writes = state.writes, ActWrites(now, doing)
    try:
        yield
    finally:
        state.writes = outer


def open_act() -> Act:
    """Give the act that is being done, for what it posts besides what it was asked for."""
    doing = act_if_any()
    if doing is None:
        raise RuntimeError("Entries are posted within an act.")
    return doing


def act_if_any() -> Act | None:
    """Give the act that is being done; None where something is only tried out."""
    writes = state_of(db.session()).writes
    return None if writes is None else writes.doing


def touch(kind: Kind, ids: Iterable[int]) -> None:
    """Mark rows of the open act whose own columns stay, though what is read of them changes.

    An entry stands for its bank line, a correction for the line of the entry that it corrects.
    """
    writes = state_of(db.session()).writes
    if writes is None:
        raise RuntimeError("Rows are touched within an act.")
    writes.touched.setdefault(kind, set()).update(ids)


def touch_documents_of(organization_id: str, entry_ids: Collection[int]) -> None:
    """Mark the documents that are attached to some entries: each lists what it is attached to."""
    theirs = sa.select(DocumentRelation.document_id).where(
        DocumentRelation.organization_id == organization_id, DocumentRelation.journal_entry_id.in_(entry_ids)
    )
    touch(Kind.DOCUMENT, db.session.scalars(theirs))


def write_instants(organization_id: str) -> None:
    """Write the instant of the open act to everything that it touched."""
    writes = state_of(db.session()).writes
    if writes is None or not writes.touched:
        return
    db.session.flush()
    for portion in portions(writes.touched.pop(Kind.JOURNAL_ENTRY, set()), ROWS_AT_ONCE):
        entries = sa.select(sa.func.coalesce(JournalEntry.corrects_id, JournalEntry.id)).where(
            JournalEntry.organization_id == organization_id, JournalEntry.id.in_(portion)
        )
        # PostgreSQL takes a few ids within a statement for half of the lines, and reads them all.
        found = db.session.scalars(entries).all()
        _update(Transaction, organization_id, lines_of(organization_id, found), writes.now)
    for kind, model in ((Kind.TRANSACTION, Transaction), (Kind.DOCUMENT, Document)):
        for portion in portions(writes.touched.pop(kind, set()), ROWS_AT_ONCE):
            _update(model, organization_id, portion, writes.now)


def _update(model: type[Transaction | Document], organization_id: str, ids: Any, now: datetime) -> None:
    update_rows(model, model.organization_id == organization_id, model.id.in_(ids), updated_at=now)


@event.listens_for(JournalEntry, "after_update")
def _touch_line_of(_mapper: Any, _connection: Any, entry: JournalEntry) -> None:
    touch(Kind.JOURNAL_ENTRY, [entry.id])
