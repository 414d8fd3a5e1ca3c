"""Previews of files: what an import would do, and the file itself, kept for an hour beside the books."""

from datetime import datetime, timedelta
from pathlib import Path

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.models import Import, delete_rows
from webapp.services.audit.act import Actor
from webapp.services.imports.planning import plans
from webapp.services.imports.planning.records import Reading
from webapp.services.imports.prepared import ReadyImport
from webapp.services.imports.uploads import Upload, add, describe
from webapp.services.storage import kept_files

KEPT_FOR = timedelta(hours=1)


def find(folder: Path, name: str | None, *, created_at: datetime, now: datetime) -> bytes | None:
    """Read a kept file, or none where its hour is over."""
    if now - created_at >= KEPT_FOR:
        return None
    try:
        return kept_files.read(folder, name)
    except kept_files.FileGoneError:
        return None


def sweep(folder: Path, *, now: datetime) -> None:
    """Remove the files whose hour is over."""
    kept_files.sweep(folder, older_than=now - KEPT_FOR)


class PreviewExpiredError(LedgerError):
    """The file was kept for an hour and is deleted by now; choose it again to import it."""

    code = "preview_over"


class ImportedError(LedgerError):
    """This file is imported already. Take the import back to choose again."""

    code = "imported"


class RefusedImportError(LedgerError):
    """This file was refused. Correct it, or choose another one."""

    code = "refused"


def require_not_refused(imported: Import) -> Import:
    """Give an import that is no preview any more; raises RefusedImportError."""
    if imported.status == "REFUSED":
        raise RefusedImportError
    return imported


def kept(imported: Import, folder: Path, *, now: datetime) -> bytes:
    """Find the kept file of a preview, or of a refused table; raises PreviewOverError after its hour."""
    found = find(folder, imported.kept_file, created_at=imported.created_at, now=now)
    if found is None:
        raise PreviewExpiredError
    return found


def reread(imported: Import, folder: Path, *, now: datetime) -> Reading | None:
    """Read the kept file of a preview again, none for what is no preview; raises PreviewOverError after its hour."""
    if imported.status != "PREVIEWED":
        return None
    return plans.read(kept(imported, folder, now=now), imported.reading.get("mapping"))


def _delete_old_previews(organization_id: str, now: datetime) -> None:
    """Delete the previews whose file is gone: nobody can import them any more."""
    delete_rows(
        Import,
        Import.organization_id == organization_id,
        Import.status == "PREVIEWED",
        Import.created_at <= now - KEPT_FOR,
    )


def preview(upload: Upload, ready: ReadyImport, folder: Path, *, actor: Actor, now: datetime) -> Import:
    """Store what an import would do, and keep the file in `folder` for an hour; the books stay as they are."""
    sweep(folder, now=now)
    _delete_old_previews(actor.organization_id, now)
    imported = add(upload, actor, now, status="PREVIEWED")
    describe(imported, ready)
    imported.kept_file = kept_files.keep(folder, upload.data)
    db.session.flush()
    return imported


def read_as(imported: Import, ready: ReadyImport, mapping: dict[str, object] | None) -> None:
    """Store that a kept file was read with another mapping: one that was refused is a preview then."""
    if imported.status == "IMPORTED":
        raise ImportedError
    if mapping != imported.reading.get("mapping"):
        imported.reading = {"mapping": mapping, "asks": imported.reading.get("asks", False)}
    imported.status, imported.error = "PREVIEWED", ""
    describe(imported, ready)
    db.session.flush()
