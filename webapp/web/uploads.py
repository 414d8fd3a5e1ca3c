"""Uploads of bank files: read from a form before the books are opened for writing, previewed and imported."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge

from webapp.database import failures
from webapp.database.places import MOST_BYTES
from webapp.database.sessions import db
from webapp.ledger.canonical import canonical_json
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.money import Money
from webapp.models import Import
from webapp.queries.common.paging import Page
from webapp.queries.imports import imports
from webapp.queries.imports.imports import ImportLineRecord, ImportRecord
from webapp.schemas.imports import MOST_FILES
from webapp.services.audit.limits import Bound
from webapp.services.imports import column_trials, preview_lines, previews, runs
from webapp.services.imports.column_trials import ColumnReading
from webapp.services.imports.planning import plans
from webapp.services.imports.planning.choices import NO_CHOICES, AccountChoice, Choices
from webapp.services.imports.planning.records import Reading
from webapp.services.imports.preview_lines import OpenAccount, PossibleDuplicate
from webapp.services.imports.uploads import Upload, unpacked
from webapp.services.storage.savepoints import is_trial
from webapp.web import progress
from webapp.web.access import requests
from webapp.web.access.auth import acting, is_decided_on, organization_id, settings
from webapp.web.access.request_state import state

MOST_POSSIBLE_DUPLICATES = 100
# What the files of one plan or one approval may bring: nobody else writes meanwhile (docs/decisions/proposals.md).
MOST_LINES_AT_ONCE = 5000
IN_PARTS = "Propose it in parts, or ask a person to import it."
BY_ITSELF = "Import the file by itself, and plan what comes after it."
# The parts of a form have names and boundaries beside the file itself.
BODY_LIMIT = MOST_BYTES + requests.MEBIBYTE


@dataclass(frozen=True, slots=True)
class Rows:
    """A file, a page of its rows, and the count of each verdict; of a preview also what it adds, and decisions."""

    record: ImportRecord
    page: Page[ImportLineRecord]
    counts: Mapping[str, int]
    doubts: Sequence[PossibleDuplicate] = ()
    open_accounts: Sequence[OpenAccount] = ()
    added_sums: Sequence[Money] = ()


class FileMissingError(UnprocessableError):
    """Send one file."""

    code = "validation"


class PreviewTriedError(UnprocessableError):
    """A preview writes nothing, so it has no dry run and no proposal; import the file instead."""

    code = "preview_only"


def received(form: Mapping[str, Any]) -> Upload:
    """The request's file, with the validated fields `fa_id` and `mapping` of its form."""
    if request.mimetype != "multipart/form-data":
        raise requests.NoUploadError
    files = request.files.getlist("file")
    others = sorted(set(request.files) - {"file"})
    if len(files) != 1 or not files[0].filename or others:
        raise FileMissingError("file: Send one file.", fields={"file": ["Send one file."]})
    data = files[0].read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise RequestEntityTooLarge
    return Upload(files[0].filename, data, form.get("mapping"), form.get("fa_id"))


def in_json(body: Mapping[str, Any]) -> Upload:
    """The file of a body that ImportFileSchema has read."""
    return Upload(body["file_name"], body["content"], body["mapping"], body["fa_id"])


def received_together(form: Mapping[str, Any]) -> list[Upload]:
    """The request's files, at most `MOST_FILES`, with the validated fields of its form; raises FileMissingError.

    The files of an archive are as if each came by itself.
    """
    files = [file for file in request.files.getlist("file") if file.filename]
    if len(files) <= 1:
        return unpacked([received(form)])
    if len(files) > MOST_FILES:
        sentence = f"These are {len(files)} files. Send at most {MOST_FILES} at once."
        raise FileMissingError(f"file: {sentence}", fields={"file": [sentence]})
    # The limit of the body holds for all of them together.
    return unpacked(
        [Upload(file.filename or "", file.read(), form.get("mapping"), form.get("fa_id")) for file in files]
    )


def preview_each(uploads: Sequence[Upload]) -> list[ImportRecord]:
    """Preview a person's files, each in a transaction of its own, so that a refused one stops none."""
    records = []
    for upload in uploads:
        records.append(preview(upload, asks=True))
        failures.commit(db.session())
    return records


def preview(upload: Upload, *, asks: bool = False) -> ImportRecord:
    """Preview an import; a refused file has the status REFUSED. With `asks` a page has a control for each question."""
    if is_in_transaction():
        raise PreviewTriedError
    upload.asks = asks
    return _committed(runs.preview(upload, folder(), **acting()))


def import_file(upload: Upload) -> ImportRecord:
    """Import a file, all or nothing; a refused one has the status REFUSED."""
    if not is_in_transaction():
        return _committed(runs.take(upload, **acting()))
    return imports.record(import_at_once(upload))


def import_at_once(upload: Upload) -> Import:
    """Import a file in the transaction of a dry run, a proposal, an approval or a plan; raises FileRefusedError."""
    imported, line_count = runs.take_at_once(upload, bound=_bound(), read=_read_once, **acting())
    state().lines_of_steps += line_count
    return imported


def import_previewed(import_id: int, choices: Choices = NO_CHOICES) -> ImportRecord:
    """Import the stored file of a preview; one that the books now refuse has the status REFUSED."""
    if is_in_transaction():
        imported = runs.take_kept_at_once(
            import_id, folder(), choices=choices, bound=_bound(), read=_read_once, **acting()
        )
        return imports.record(imported)
    with progress.reporting_import(import_id) as report:
        return _committed(runs.take_kept(import_id, folder(), progress=report, choices=choices, **acting()))


def _bound() -> Bound | None:
    """Give how many lines a file may bring while others wait; None in the dry run of what waits for nobody."""
    asked = state()
    if asked.is_step:
        most = MOST_LINES_AT_ONCE - asked.lines_of_steps
        return Bound(most, "lines", "imported by a plan", BY_ITSELF)
    return Bound(MOST_LINES_AT_ONCE, "lines", "imported on approval", IN_PARTS) if is_decided_on() else None


def _read_once(data: bytes, mapping: Mapping[str, object] | None) -> Reading:
    """Read a file that this request may import twice, on trial and for good, only the first time."""
    key = (sha256(data).hexdigest(), canonical_json(mapping))
    readings = state().readings
    if key not in readings:
        readings[key] = plans.read(data, mapping)
    return readings[key]


def import_each(import_ids: Sequence[int]) -> None:
    """Import previewed files from the oldest line on, each in a transaction of its own; a refused one stops none.

    One that is no preview any more, or has become doubtful, stays as it is.
    """
    records = [imports.record(imports.get(organization_id(), import_id)) for import_id in import_ids]
    for each in sorted(records, key=lambda record: (record.first_date, record.id)):
        if each.is_plain and not _is_doubtful(each.id):
            with suppress(LedgerError):
                import_previewed(each.id)
                failures.commit(db.session())


def _is_doubtful(import_id: int) -> bool:
    """Return whether a kept file has lines by now that may be there, or cannot be read any more."""
    try:
        return bool(rows(imports.get(organization_id(), import_id), verdict=None, after=None, limit=1).doubts)
    except LedgerError:
        return True
    finally:
        db.session.rollback()


def tried(import_id: int, mapping: dict[str, object] | None) -> tuple[Import, ColumnReading]:
    """Read a stored file with a mapping and set its verdicts, without writing anything."""
    imported = imports.get(organization_id(), import_id)
    data = previews.kept(imported, folder(), now=requests.now())
    return imported, column_trials.try_mapping(imported, data, mapping)


def read_again(import_id: int, mapping: dict[str, object] | None) -> ImportRecord:
    """Store a mapping for a previewed file and preview it again; raises FileRefusedError."""
    imported = runs.read_again(import_id, mapping, folder(), **acting())
    # The request may then import the file, in another transaction.
    failures.commit(db.session())
    return imports.record(imported)


def choices(body: Mapping[str, Any]) -> Choices:
    """The decisions of a body that CommitSchema has read."""
    return Choices(
        accounts=tuple(AccountChoice(**each) for each in body["accounts"]),
        decisions={each["position"]: each["transaction_id"] for each in body["decisions"]},
        rest=body.get("rest"),
    )


def _committed(imported: Import) -> ImportRecord:
    """Commit the record of an import, also of a refused one, whose answer is an error."""
    requests.commit_on_error()
    return imports.record(imported)


def is_in_transaction() -> bool:
    """Return whether an import is part of the open transaction: of a dry run, a proposal, an approval or a plan."""
    return is_trial() or is_decided_on() or state().is_step


def rows(
    imported: Import,
    *,
    verdict: str | None,
    after: tuple[Any, ...] | None,
    limit: int,
    choices: Choices = NO_CHOICES,
) -> Rows:
    """List and count the rows of a file; a preview is compared with the books as they are now."""
    reading = previews.reread(imported, folder(), now=requests.now())
    if reading is None:
        listed = imports.lines(imported, verdict=verdict, after=after, limit=limit)
        return Rows(imports.record(imported), listed, imports.counts(imported))
    plan = preview_lines.plan_of(imported, reading, choices)
    records = preview_lines.records(plan)
    place = None if after is None else int(after[0])
    return Rows(
        preview_lines.as_read(imported, plan),
        preview_lines.page(records, verdict=verdict, after=place, limit=limit),
        preview_lines.counts(records),
        preview_lines.possible_duplicates(imported.organization_id, records, most=MOST_POSSIBLE_DUPLICATES),
        preview_lines.open_accounts(plan),
        preview_lines.added_sums(plan),
    )


def folder() -> Path:
    """The folder of previewed files."""
    return settings().instance_path / "previews"
