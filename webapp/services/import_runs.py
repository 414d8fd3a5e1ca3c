"""An import from file to books: read without the books, judged in a snapshot, laid down, written in one short turn.

The last transaction is left open, for the caller to commit: all of a file's lines come by it, so that whoever
ends the process at any moment leaves all of them or none.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from webapp.db import begin_read, begin_write, db, scope_session
from webapp.ledger.errors import LedgerError
from webapp.models import Import
from webapp.queries import book_moves
from webapp.queries import imports as queried
from webapp.services import import_refusals, imports
from webapp.services.actors import Actor
from webapp.services.import_choices import NOTHING_SAID, Choices
from webapp.services.import_plans import Reading
from webapp.services.import_progress import Progress, silent
from webapp.services.imports import FileRefusedError, ImportedError, Upload
from webapp.services.ready_imports import ReadyImport

# Whose books never rest is judged under the lock at last, where nothing moves.
ATTEMPTS = 3


def take(upload: Upload, *, actor: Actor, now: datetime, progress: Progress = silent) -> Import:
    """Import a file, all or nothing; a refused one is kept as REFUSED."""
    _recall(upload, actor.organization_id)
    try:
        ready = _turn(_read(upload, progress), upload.fa_id, actor.organization_id, progress)
        return imports.take(upload, ready, actor=actor, now=now)
    except FileRefusedError as error:
        return _refused(upload, error, actor=actor, now=now)


def preview(
    upload: Upload, folder: Path, *, actor: Actor, now: datetime, progress: Progress = silent
) -> Import:
    """Tell what an import of a file would do, and keep the file for an hour; a refused one is kept as REFUSED."""
    _recall(upload, actor.organization_id)
    try:
        progress("reading", 0, None)
        reading = imports.read(upload.data, upload.mapping)
        ready = _judged(reading, upload.fa_id, actor.organization_id, progress)
        db.session.rollback()
    except FileRefusedError as error:
        return _refused(upload, error, folder=folder, actor=actor, now=now)
    begin_write(actor.organization_id)
    return imports.preview(upload, ready, folder, actor=actor, now=now)


def take_kept(
    import_id: int,
    folder: Path,
    *,
    actor: Actor,
    now: datetime,
    progress: Progress = silent,
    choices: Choices = NOTHING_SAID,
) -> Import:
    """Import the kept file of a preview; one that the books no longer take is kept as REFUSED.

    Choices that do not fit the file are refused, and leave it as it was.
    """
    organization_id = actor.organization_id
    _snapshot(organization_id)
    imported = queried.get(organization_id, import_id)
    if imported.status != "PREVIEWED":
        if imported.status == "IMPORTED" and choices != NOTHING_SAID:
            raise ImportedError
        return imports.settled(imported)
    upload = Upload(imported.file_name, b"", None, imported.feed_account_id)
    try:
        kept, mapping = imports.kept(imported, folder, now=now), imported.reading.get("mapping")
        db.session.rollback()
        progress("reading", 0, None)
        reading = imports.read(kept, mapping)
        ready = _turn(reading, upload.fa_id, organization_id, progress, choices)
        imported = queried.get(organization_id, import_id)
        imports.take_kept(imported, ready, folder, actor=actor, now=now)
    except FileRefusedError as error:
        return _refused(upload, error, actor=actor, now=now, import_id=import_id)
    return imported


def read_again(
    import_id: int, mapping: dict[str, object] | None, folder: Path, *, actor: Actor, now: datetime
) -> Import:
    """Read a kept file with another mapping; where that is refused the file stays as it was: FileRefusedError."""
    organization_id = actor.organization_id
    _snapshot(organization_id)
    imported = queried.get(organization_id, import_id)
    data, fa_id = imports.kept(imported, folder, now=now), imported.feed_account_id
    db.session.rollback()
    ready = _judged(imports.read(data, mapping), fa_id, organization_id, silent)
    db.session.rollback()
    begin_write(organization_id)
    imported = queried.get(organization_id, import_id)
    imports.read_as(imported, ready, mapping)
    return imported


def _recall(upload: Upload, organization_id: str) -> None:
    """Ask the books how a file of this layout is read, before it is."""
    if upload.mapping is None:
        _snapshot(organization_id)
        imports.recall(upload, organization_id)
        db.session.rollback()


def _read(upload: Upload, progress: Progress) -> Reading:
    """Read a file, and let its bytes go: a long one's lines need the memory."""
    progress("reading", 0, None)
    reading = imports.read(upload.data, upload.mapping)
    upload.let_go()
    return reading


def _turn(
    reading: Reading,
    fa_id: int | None,
    organization_id: str,
    progress: Progress,
    choices: Choices = NOTHING_SAID,
) -> ReadyImport:
    """Take the writer's turn with everything laid down; judged again where the books moved in the meantime."""
    for _ in range(ATTEMPTS):
        ready = _judged(reading, fa_id, organization_id, progress, choices)
        db.session.rollback()
        begin_write(organization_id, first=ready.stage)
        if not book_moves.have_moved(organization_id, ready.last_act):
            return ready
        db.session.rollback()
    begin_write(organization_id)
    ready = imports.ready(reading, fa_id, organization_id, progress, choices)
    ready.stage(db.session.connection())
    return ready


def _judged(
    reading: Reading,
    fa_id: int | None,
    organization_id: str,
    progress: Progress,
    choices: Choices = NOTHING_SAID,
) -> ReadyImport:
    _snapshot(organization_id)
    return imports.ready(reading, fa_id, organization_id, progress, choices)


def _snapshot(organization_id: str) -> None:
    db.session.rollback()
    scope_session(organization_id)
    begin_read()


def _refused(
    upload: Upload,
    error: LedgerError,
    *,
    actor: Actor,
    now: datetime,
    import_id: int | None = None,
    folder: Path | None = None,
) -> Import:
    """Keep the record of a refusal, after everything else was rolled back."""
    db.session.rollback()
    begin_write(actor.organization_id)
    return import_refusals.refuse(upload, error, import_id=import_id, folder=folder, actor=actor, now=now)
