"""An uploaded file, and its record: begun, described from the plan, or refused with its error."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from webapp import importers
from webapp.database.sessions import db
from webapp.importers import archives
from webapp.importers.archives import PackedMember
from webapp.ledger.errors import LedgerError
from webapp.ledger.files.file_kinds import sniffed
from webapp.ledger.references import Kind, Ref
from webapp.models import FeedAccount, Import
from webapp.queries.common import lookups
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import new_id, record
from webapp.services.imports import coverage
from webapp.services.imports.prepared import ReadyImport
from webapp.services.storage import kept_files, stored_files
from webapp.services.storage.stored_files import PackedFile

UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
LONGEST_NAME = 255


@dataclass(slots=True)
class Upload:
    """An uploaded file; `fa_id` is the account for statements without a number, and `asks` is of a person's preview.

    `remembered` is a sentence on a mapping that did not come with the file, `packed` the file as it will be kept.
    """

    file_name: str
    data: bytes
    mapping: dict[str, object] | None = None
    fa_id: int | None = None
    remembered: str | None = None
    file_type: str = ""
    packed: PackedFile | None = None
    asks: bool = False

    @property
    def clean_name(self) -> str:
        """The file's name without its folders and unprintable characters."""
        name = UNPRINTABLE.sub("", self.file_name.replace("\\", "/").rpartition("/")[2]).strip()
        return name[-LONGEST_NAME:] or "file"

    @property
    def sha256(self) -> str:
        """The SHA-256 of its bytes, in hex."""
        return self.packed.sha256 if self.packed else sha256(self.data).hexdigest()

    def pack(self) -> None:
        """Make the file ready to be kept, and release its bytes, once they are read."""
        self.file_type = sniffed(self.data).type
        self.packed, self.data = stored_files.pack(self.data), b""


def unpacked(uploads: Sequence[Upload]) -> list[Upload]:
    """Put the files of each archive in its place, with what was chosen for it; a refused archive stays."""
    found: list[Upload] = []
    for upload in uploads:
        members = archives.unpacked([PackedMember(upload.file_name, upload.data)])
        found += [replace(upload, file_name=each.name, data=each.data) for each in members]
    return found


def only(upload: Upload) -> Upload:
    """Give the one file of an archive; every other file, and an archive of several, as it is."""
    files = unpacked([upload])
    return files[0] if len(files) == 1 else upload


def chosen(organization_id: str, fa_id: int | None) -> FeedAccount | None:
    """Find the account that was chosen for statements without a number, if one was."""
    return None if fa_id is None else lookups.refer(FeedAccount, organization_id, fa_id, "faId")


def add(upload: Upload, actor: Actor, now: datetime, *, status: str) -> Import:
    """Begin the record of a file; the caller describes it."""
    feed_account = chosen(actor.organization_id, upload.fa_id)
    imported = Import(
        organization_id=actor.organization_id,
        file_name=upload.clean_name,
        format=None,
        status=status,
        error="",
        warnings=[],
        accounts=[],
        reading={"mapping": upload.mapping, "remembered": upload.remembered, "asks": upload.asks},
        sha256=upload.sha256,
        feed_account_id=feed_account.id if feed_account else None,
        created_at=now,
    )
    db.session.add(imported)
    db.session.flush()
    return imported


def keep(imported: Import, upload: Upload, *, now: datetime) -> None:
    """Keep the file of an import as evidence."""
    if upload.packed is None:
        upload.pack()
    if upload.packed is not None:
        of = imported.organization_id
        stored = stored_files.keep(of, upload.packed, imported.file_name, upload.file_type, now=now)
        imported.file_id = stored.id


def describe(imported: Import, ready: ReadyImport) -> None:
    """Write the plan of the file into the record."""
    imported.format = ready.format
    imported.accounts, imported.warnings = compared(imported, ready.as_json(), ready.warnings)
    chosen = [asdict(each) for each in ready.columns.chosen] if ready.columns else []
    layout = ready.columns.layout if ready.columns else None
    imported.reading = {**imported.reading, "chosen": chosen, "layout": layout}


def compared(
    imported: Import, accounts: list[dict[str, Any]], warnings: Sequence[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Compare the accounts of a file with their other files, and give all warnings of the file."""
    for stored in accounts:
        stored["compared"] = coverage.warnings(imported.organization_id, stored, import_id=imported.id)
    of_others = [f"{stored['name']}: {each}" for stored in accounts for each in stored["compared"]]
    remembered = imported.reading.get("remembered")
    return accounts, [*([remembered] if remembered else []), *warnings, *of_others]


def payload_of(imported: Import) -> Mapping[str, object]:
    """Give the payload of an action request about a file."""
    return {
        "fileName": imported.file_name,
        "sha256": imported.sha256,
        "faId": Ref.optional(Kind.FEED_ACCOUNT, imported.feed_account_id),
    }


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
        imported = add(upload, actor, now, status="REFUSED")
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
        title=f"Import {imported.file_name}",
        payload=payload_of(imported),
        id=new_id(now),
    )
    record(refused, "FAILED", error=str(error))
    return imported
