"""The turn of an import at the books: compared with a snapshot of them, staged beside them, and written in one go."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from webapp.database.postgresql import refresh_statistics
from webapp.database.sessions import begin_bulk, begin_read, begin_write, db, lock_books, scope_session
from webapp.models import Import
from webapp.queries.access import organizations
from webapp.queries.audit import book_moves
from webapp.services.audit.act import Actor
from webapp.services.imports import imports, writes
from webapp.services.imports.planning.accounts import AccountChoiceError
from webapp.services.imports.planning.choices import NO_CHOICES, Choices
from webapp.services.imports.planning.records import Reading
from webapp.services.imports.prepared import ReadyImport
from webapp.services.imports.progress import Progress
from webapp.services.imports.writes import Writing, WrittenLines

# Where the books change each time, the last comparison is made under the lock.
ATTEMPTS = 3
# PostgreSQL's errors for two imports of the same lines at once: a unique violation, or a deadlock.
CLASHES = frozenset({"23505", "40P01"})


@dataclass(frozen=True, slots=True)
class ImportTurn:
    """An import that was read: how its record begins once there is a transaction, and how it is completed."""

    reading: Reading
    fa_id: int | None
    actor: Actor
    now: datetime
    progress: Progress
    begin: Callable[[], Import]
    complete: Callable[[Import, ReadyImport, WrittenLines], Import]
    choices: Choices = NO_CHOICES
    asks: bool = False

    def prepare(self) -> ReadyImport:
        """Compare the file with the books in the open transaction; raises AccountChoiceError for an open question."""
        organization_id = self.actor.organization_id
        ready = imports.ready(
            self.reading, self.fa_id, organization_id, self.progress, self.choices, asks=self.asks
        )
        for account in ready.accounts:
            if account.target.question:
                raise AccountChoiceError(account.target.question)
        return ready


def write(turn: ImportTurn) -> Import:
    """Write an import, its lines before anybody has to wait; again where the books changed meanwhile."""
    organization_id = turn.actor.organization_id
    for _ in range(ATTEMPTS):
        begin_snapshot(organization_id)
        ready = turn.prepare()
        db.session.rollback()
        begin_bulk(organization_id, ready.stage)
        imported = _tried(turn, ready)
        if imported is not None:
            return imported
    db.session.rollback()
    begin_write(organization_id)
    return write_at_once(turn)


def write_at_once(turn: ImportTurn) -> Import:
    """Write an import in the open transaction, from its comparison with the books to its last line."""
    ready = turn.prepare()
    ready.stage(db.session.connection())
    imported = turn.begin()
    written = writes.write_lines(_writing(turn, imported), ready)
    refresh_statistics(db.session.connection())
    return turn.complete(imported, ready, written)


def _tried(turn: ImportTurn, ready: ReadyImport) -> Import | None:
    """Write an import as it was prepared; none where the books that it was compared with have changed."""
    organization_id = turn.actor.organization_id
    if book_moves.have_moved(organization_id, ready.last_act):
        return None
    try:
        imported = turn.begin()
        writing = _writing(turn, imported)
        written = writes.write_lines(writing, ready)
        lock_books(organization_id)
        db.session.expire_all()
        if book_moves.have_moved(organization_id, ready.last_act):
            return None
        if not writes.is_still_true(writing, ready, written):
            return None
        return turn.complete(imported, ready, written)
    except sa.exc.DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) in CLASHES:
            return None
        raise


def _writing(turn: ImportTurn, imported: Import) -> Writing:
    return Writing(organizations.get(turn.actor.organization_id), imported, turn.now)


def begin_snapshot(organization_id: str) -> None:
    """Begin to read an organization's books as they are now; what was begun before is taken back."""
    db.session.rollback()
    scope_session(organization_id)
    begin_read()
