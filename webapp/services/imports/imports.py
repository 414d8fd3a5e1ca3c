"""Imports of bank files: looked at, taken whole, or refused whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import sqlalchemy as sa

from webapp.db import db
from webapp.importers.bank_files import FileRefusedError
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError
from webapp.models import FeedAccount, Import
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.imports import column_mappings, previews
from webapp.services.imports import coverage as import_coverage
from webapp.services.imports import writes as import_writes
from webapp.services.imports.planning import plans as import_plans
from webapp.services.imports.planning.choices import NOTHING_SAID, Choices
from webapp.services.imports.planning.records import Reading
from webapp.services.imports.prepared import ReadyImport
from webapp.services.imports.progress import Progress, silent
from webapp.services.imports.writes import Laid
from webapp.services.storage import kept_files

__all__ = [
    "FileRefusedError",
    "Upload",
    "begin",
    "kept",
    "preview",
    "read",
    "read_as",
    "ready",
    "recall",
    "settled",
    "take",
    "take_kept",
]

LONGEST_NAME = 255
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class PreviewOverError(LedgerError):
    """The file was kept for an hour, and is gone; choose it again to import it."""

    code = "preview_over"


class ImportedError(LedgerError):
    """This file is imported; what it should have been told comes too late. Take it back to decide anew."""

    code = "imported"


class RefusedImportError(LedgerError):
    """This file was refused; mend what it says or choose another one."""

    code = "refused"


@dataclass(slots=True)
class Upload:
    """A file as it comes in; `fa_id` is the account for statements without a number.

    `remembered` says of a mapping that nobody gave with the file where it is from.
    """

    file_name: str
    data: bytes
    mapping: dict[str, object] | None = None
    fa_id: int | None = None
    remembered: str | None = None
    _digest: str = ""

    @property
    def clean_name(self) -> str:
        """The file's name without its folders and without what nobody can read."""
        name = UNPRINTABLE.sub("", self.file_name.replace("\\", "/").rpartition("/")[2]).strip()
        return name[-LONGEST_NAME:] or "file"

    @property
    def sha256(self) -> str:
        """The SHA-256 of its bytes, in hex."""
        return self._digest or sha256(self.data).hexdigest()

    def let_go(self) -> None:
        """Forget the bytes, once they are read."""
        self._digest, self.data = self.sha256, b""


def read(data: bytes, mapping: dict[str, object] | None = None) -> Reading:
    """Read a file before the books are opened for writing; raises FileRefusedError."""
    return import_plans.read(data, mapping)


def recall(upload: Upload, organization_id: str) -> None:
    """Take the mapping that is remembered for the file's layout, where none came with it."""
    found = None
    if upload.mapping is None:
        found = column_mappings.find(organization_id, upload.data, upload.fa_id)
    if found is not None:
        upload.mapping, upload.remembered = found.mapping, found.sentence


def ready(
    reading: Reading,
    fa_id: int | None,
    organization_id: str,
    progress: Progress = silent,
    choices: Choices = NOTHING_SAID,
) -> ReadyImport:
    """Judge a file against the books as the open transaction shows them; raises FileRefusedError."""
    progress("judging", 0, reading.lines)
    organization = organizations.get(organization_id)
    plan = import_plans.plan(organization, reading, _chosen(organization_id, fa_id), choices)
    return ReadyImport(plan, organization, progress)


def preview(upload: Upload, ready: ReadyImport, folder: Path, *, actor: Actor, now: datetime) -> Import:
    """Tell what an import would do, and keep the file in `folder` for an hour; the books stay as they are."""
    previews.sweep(folder, now=now)
    _forget_old_previews(actor.organization_id, now)
    imported = add(upload, actor, now, status="PREVIEWED")
    _describe(imported, ready)
    imported.kept_file = kept_files.keep(folder, upload.data)
    db.session.flush()
    return imported


def read_as(imported: Import, ready: ReadyImport, mapping: dict[str, object] | None) -> None:
    """Take a kept file as it was read with another mapping: one that was refused is a preview then."""
    if imported.status == "IMPORTED":
        raise ImportedError
    if mapping != imported.reading.get("mapping"):
        imported.reading = {"mapping": mapping}
    imported.status, imported.error = "PREVIEWED", ""
    _describe(imported, ready)
    db.session.flush()


def begin(upload: Upload, *, actor: Actor, now: datetime) -> Import:
    """Write the record of a file whose lines come next."""
    return add(upload, actor, now, status="IMPORTED")


def take(imported: Import, ready: ReadyImport, laid: Laid, *, actor: Actor, now: datetime) -> Import:
    """Let a file count whose lines were laid in."""
    target = ("import", imported.id)
    with act(actor, now, "import_file", target, payload=payload_of(imported)) as doing:
        organization = organizations.get(actor.organization_id)
        writing = import_writes.Writing(organization, imported, now)
        opened = import_writes.settle(writing, ready, laid, act_id=doing.id)
        _remember_columns(imported, ready, now)
        _describe(imported, ready)
        _remember(imported, ready, {feed_account.id for feed_account in opened})
        db.session.flush()
        doing.title = f"Imported {imported.file_name}: {_contents(imported, ready.added)}"
        doing.after = {"status": "IMPORTED", "added": ready.added}
        doing.result = {
            "added": ready.added,
            "faIds": [account.target.fa_id for account in ready.accounts],
            "openedFaIds": [feed_account.id for feed_account in opened],
        }
    return imported


def take_kept(
    imported: Import, ready: ReadyImport, laid: Laid, *, folder: Path, actor: Actor, now: datetime
) -> Import:
    """Let a file count that was looked at, once its lines were laid in."""
    take(imported, ready, laid, actor=actor, now=now)
    kept_files.drop(folder, imported.kept_file)
    imported.status, imported.kept_file, imported.created_at = "IMPORTED", None, now
    db.session.flush()
    return imported


def settled(imported: Import) -> Import:
    """Answer a commit of what is no preview any more; raises RefusedImportError."""
    if imported.status == "REFUSED":
        raise RefusedImportError
    return imported


def kept(imported: Import, folder: Path, *, now: datetime) -> bytes:
    """Find the kept file of a preview, or of a refused table; raises PreviewOverError after its hour."""
    found = previews.find(folder, imported.kept_file, created_at=imported.created_at, now=now)
    if found is None:
        raise PreviewOverError
    return found


def reread(imported: Import, folder: Path, *, now: datetime) -> Reading | None:
    """Read the kept file of a preview again, none for what is no preview; raises PreviewOverError after its hour."""
    if imported.status != "PREVIEWED":
        return None
    return read(kept(imported, folder, now=now), imported.reading.get("mapping"))


def add(upload: Upload, actor: Actor, now: datetime, *, status: str) -> Import:
    """Begin the record of a file; the caller describes it."""
    chosen = _chosen(actor.organization_id, upload.fa_id)
    imported = Import(
        organization_id=actor.organization_id,
        file_name=upload.clean_name,
        format=None,
        status=status,
        error="",
        warnings=[],
        accounts=[],
        reading={"mapping": upload.mapping, "remembered": upload.remembered},
        sha256=upload.sha256,
        feed_account_id=chosen.id if chosen else None,
        created_at=now,
    )
    db.session.add(imported)
    db.session.flush()
    return imported


def _describe(imported: Import, ready: ReadyImport) -> None:
    imported.format = ready.format
    accounts = ready.as_json()
    for stored in accounts:
        stored["compared"] = import_coverage.compared(imported.organization_id, stored, import_id=imported.id)
    compared = [f"{stored['name']}: {each}" for stored in accounts for each in stored["compared"]]
    remembered = imported.reading.get("remembered")
    imported.warnings = [*([remembered] if remembered else []), *ready.warnings, *compared]
    imported.accounts = accounts


def _remember(imported: Import, ready: ReadyImport, opened: set[int]) -> None:
    """Note what the import did to its feed accounts, so that it can be taken back."""
    imported.accounts = [
        {
            **stored,
            "is_opened": stored["fa_id"] in opened,
            "takes_number": account.target.takes_number and stored["fa_id"] not in opened,
        }
        for stored, account in zip(imported.accounts, ready.accounts, strict=True)
    ]


def _remember_columns(imported: Import, ready: ReadyImport, now: datetime) -> None:
    """Remember a mapping that somebody told of this file, for the accounts that are in it."""
    mapping = imported.reading.get("mapping")
    if mapping is None or imported.reading.get("remembered") or ready.columns is None:
        return
    fa_ids = [account.target.fa_id for account in ready.accounts if account.target.fa_id is not None]
    column_mappings.remember(imported.organization_id, fa_ids, ready.columns, mapping, now=now)


def _chosen(organization_id: str, fa_id: int | None) -> FeedAccount | None:
    return None if fa_id is None else lookups.refer(FeedAccount, organization_id, fa_id, "faId")


def _forget_old_previews(organization_id: str, now: datetime) -> None:
    """Let previews go whose file is gone: nobody can import them any more."""
    db.session.execute(
        sa.delete(Import).where(
            Import.organization_id == organization_id,
            Import.status == "PREVIEWED",
            Import.created_at <= now - previews.KEPT_FOR,
        )
    )


def payload_of(imported: Import) -> Mapping[str, object]:
    """Give what an action request says of a file."""
    return {
        "fileName": imported.file_name,
        "sha256": imported.sha256,
        "faId": imported.feed_account_id,
    }


def _contents(imported: Import, added: int) -> str:
    """Say in a title how much of which accounts a file brought."""
    accounts = titles.listed([stored["name"] for stored in imported.accounts])
    return titles.counted(added, "line") + (f" of {accounts}" if accounts else "")
