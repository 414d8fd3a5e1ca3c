"""Refused bank files, stored with their error and with what a mapping needs to know to read the file."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from webapp import importers
from webapp.db import db
from webapp.ledger.errors import LedgerError
from webapp.models import Import
from webapp.queries.common import lookups
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import new_id, record
from webapp.services.imports import uploads
from webapp.services.imports.uploads import Upload
from webapp.services.storage import kept_files


def refuse(
    upload: Upload,
    error: LedgerError,
    *,
    actor: Actor,
    now: datetime,
    import_id: int | None = None,
    folder: Path | None = None,
) -> Import:
    """Keep the record of a refused file; the caller has rolled back what it was about to do.

    `import_id` names the preview that the file was kept for, if there is one. In `folder` a file is kept for an
    hour where a mapping may help to read it.
    """
    if import_id is None:
        imported = uploads.add(upload, actor, now, status="REFUSED")
    else:
        imported = lookups.get(Import, actor.organization_id, import_id)
        imported.status, imported.accounts, imported.warnings = "REFUSED", [], []
    imported.error = str(error)
    imported.reading = {**imported.reading, "refused": dict(error.details or {})}
    if folder is not None and importers.takes_mapping(upload.data):
        imported.kept_file = kept_files.keep(folder, upload.data)
    db.session.flush()
    refused = Act(
        actor,
        now,
        "import_file",
        "import",
        str(imported.id),
        title=f"Refused {imported.file_name}",
        payload=uploads.payload_of(imported),
        id=new_id(now),
    )
    record(refused, "FAILED", error=str(error))
    return imported
