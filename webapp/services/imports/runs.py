"""An import from file to books: read without the books, compared with a snapshot, staged, written in a short turn.

The last transaction is left open, for the caller to commit: all of a file's lines come by it, so that whoever
ends the process at any moment leaves all of them or none.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from webapp.database.sessions import begin_write, db
from webapp.importers.bank_files import FileRefusedError
from webapp.ledger.errors import LedgerError
from webapp.models import Import
from webapp.queries.imports import imports as queried
from webapp.services.audit.act import Actor
from webapp.services.audit.limits import Bound
from webapp.services.imports import imports, previews, turns, uploads
from webapp.services.imports.planning import plans
from webapp.services.imports.planning.choices import NO_CHOICES, Choices
from webapp.services.imports.planning.records import Reading
from webapp.services.imports.previews import ImportedError
from webapp.services.imports.progress import Progress, silent
from webapp.services.imports.turns import ImportTurn
from webapp.services.imports.uploads import Upload

# How a file is read: at once, or as somebody has read it already.
Read = Callable[[bytes, Mapping[str, object] | None], Reading]


class _AlreadyTakenError(Exception):
    """Somebody else imported the previewed file, or it was refused, in the meantime."""


def take(upload: Upload, *, actor: Actor, now: datetime, progress: Progress = silent) -> Import:
    """Import a file, all or nothing; a refused one is kept as REFUSED."""
    try:
        return take_or_refuse(upload, actor=actor, now=now, progress=progress)
    except FileRefusedError as error:
        return _refused(upload, error, actor=actor, now=now)


def take_or_refuse(upload: Upload, *, actor: Actor, now: datetime, progress: Progress = silent) -> Import:
    """Import a file, all or nothing; raises FileRefusedError, and keeps no record of that."""
    _recall(upload, actor.organization_id)
    return turns.write(_turn(upload, actor, now, progress))


def take_at_once(
    upload: Upload, *, actor: Actor, now: datetime, bound: Bound | None = None, read: Read = plans.read
) -> tuple[Import, int]:
    """Import a file in the open transaction, among other writes, and count its lines; raises FileRefusedError.

    One that is longer than `bound` raises ActTooLargeError before it is compared with the books.
    """
    imports.recall(upload, actor.organization_id)
    turn = _turn(upload, actor, now, silent, read)
    if bound is not None:
        bound.hold(turn.reading.lines)
    return turns.write_at_once(turn), turn.reading.lines


def _turn(
    upload: Upload, actor: Actor, now: datetime, progress: Progress, read: Read = plans.read
) -> ImportTurn:
    reading = _read(upload, progress, read)
    begin = partial(imports.begin, upload, actor=actor, now=now)
    complete = partial(imports.take, upload=upload, actor=actor, now=now)
    return ImportTurn(reading, upload.fa_id, actor, now, progress, begin, complete)


def preview(
    upload: Upload, folder: Path, *, actor: Actor, now: datetime, progress: Progress = silent
) -> Import:
    """Preview the import of a file, and keep the file for an hour; a refused one is stored as REFUSED."""
    _recall(upload, actor.organization_id)
    try:
        progress("reading", 0, None)
        reading = plans.read(upload.data, upload.mapping)
        imports.check_recalled(upload, reading)
        turns.begin_snapshot(actor.organization_id)
        ready = imports.ready(reading, upload.fa_id, actor.organization_id, progress, asks=upload.asks)
        db.session.rollback()
    except FileRefusedError as error:
        return _refused(upload, error, folder=folder, actor=actor, now=now)
    begin_write(actor.organization_id)
    return previews.preview(upload, ready, folder, actor=actor, now=now)


def take_kept(
    import_id: int,
    folder: Path,
    *,
    actor: Actor,
    now: datetime,
    progress: Progress = silent,
    choices: Choices = NO_CHOICES,
) -> Import:
    """Import the kept file of a preview; one that the books no longer take is kept as REFUSED.

    Choices that do not fit the file are refused, and leave it as it was.
    """
    organization_id = actor.organization_id
    turns.begin_snapshot(organization_id)
    imported = queried.get(organization_id, import_id)
    if imported.status != "PREVIEWED":
        return _taken(imported, choices)
    upload = _upload_of(imported)
    try:
        upload.data = previews.kept(imported, folder, now=now)
        db.session.rollback()
        reading = _read(upload, progress)
        begin = partial(_previewed, organization_id, import_id)
        complete = partial(imports.take_kept, upload=upload, folder=folder, actor=actor, now=now)
        turn = ImportTurn(reading, upload.fa_id, actor, now, progress, begin, complete, choices, upload.asks)
        return turns.write(turn)
    except _AlreadyTakenError:
        db.session.rollback()
        return _taken(queried.get(organization_id, import_id), choices)
    except FileRefusedError as error:
        return _refused(upload, error, actor=actor, now=now, import_id=import_id)


def take_kept_at_once(
    import_id: int,
    folder: Path,
    *,
    actor: Actor,
    now: datetime,
    choices: Choices = NO_CHOICES,
    bound: Bound | None = None,
    read: Read = plans.read,
) -> Import:
    """Import the kept file of a preview in the open transaction, among other writes; raises FileRefusedError.

    One that is longer than `bound` raises ActTooLargeError.
    """
    imported = queried.get(actor.organization_id, import_id)
    if imported.status != "PREVIEWED":
        return _taken(imported, choices)
    upload = _upload_of(imported)
    upload.data = previews.kept(imported, folder, now=now)
    reading = _read(upload, silent, read)
    if bound is not None:
        bound.hold(reading.lines)
    begin = partial(_previewed, actor.organization_id, import_id)
    complete = partial(imports.take_kept, upload=upload, folder=folder, actor=actor, now=now)
    return turns.write_at_once(
        ImportTurn(reading, upload.fa_id, actor, now, silent, begin, complete, choices, upload.asks)
    )


def _upload_of(imported: Import) -> Upload:
    """Give the file of a preview as it was uploaded, without its bytes."""
    asks = imported.reading.get("asks", False)
    return Upload(
        imported.file_name, b"", imported.reading.get("mapping"), imported.feed_account_id, asks=asks
    )


def _taken(imported: Import, choices: Choices) -> Import:
    if imported.status == "IMPORTED" and choices != NO_CHOICES:
        raise ImportedError
    return previews.require_not_refused(imported)


def _previewed(organization_id: str, import_id: int) -> Import:
    imported = queried.get(organization_id, import_id)
    if imported.status != "PREVIEWED":
        raise _AlreadyTakenError
    return imported


def read_again(
    import_id: int, mapping: dict[str, object] | None, folder: Path, *, actor: Actor, now: datetime
) -> Import:
    """Read a kept file with another mapping; where that is refused the file stays as it was: FileRefusedError."""
    organization_id = actor.organization_id
    turns.begin_snapshot(organization_id)
    imported = queried.get(organization_id, import_id)
    upload, data = _upload_of(imported), previews.kept(imported, folder, now=now)
    db.session.rollback()
    reading = plans.read(data, mapping)
    turns.begin_snapshot(organization_id)
    ready = imports.ready(reading, upload.fa_id, organization_id, asks=upload.asks)
    db.session.rollback()
    begin_write(organization_id)
    imported = queried.get(organization_id, import_id)
    previews.read_as(imported, ready, mapping)
    return imported


def _recall(upload: Upload, organization_id: str) -> None:
    """Find the remembered mapping of the file's layout before it is read."""
    if upload.mapping is None:
        turns.begin_snapshot(organization_id)
        imports.recall(upload, organization_id)
        db.session.rollback()


def _read(upload: Upload, progress: Progress, read: Read = plans.read) -> Reading:
    """Read a file, and pack its bytes: the lines of a long one need the memory."""
    progress("reading", 0, None)
    reading = read(upload.data, upload.mapping)
    imports.check_recalled(upload, reading)
    upload.pack()
    return reading


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
    return uploads.refuse(upload, error, import_id=import_id, folder=folder, actor=actor, now=now)
