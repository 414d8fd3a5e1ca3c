"""Bank files that come in by a form: streamed to disk, and read before the books are opened for writing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType

from webapp.db import db
from webapp.ledger.errors import UnprocessableError
from webapp.models import Import
from webapp.queries.common.paging import Page
from webapp.queries.imports import imports
from webapp.queries.imports.imports import ImportLineRecord, ImportRecord
from webapp.services.imports import column_trials, preview_lines, previews, runs
from webapp.services.imports.column_trials import ColumnReading
from webapp.services.imports.planning.choices import NO_CHOICES, AccountChoice, Choices
from webapp.services.imports.preview_lines import OpenAccount, PossibleDuplicate
from webapp.services.imports.uploads import Upload
from webapp.services.storage.savepoints import is_trial
from webapp.web import progress
from webapp.web.access import requests
from webapp.web.access.auth import acting, is_decided_on, organization_id, settings

MOST_BYTES = 160 * requests.MEBIBYTE
MOST_DOUBTS = 100
# The parts of a form have names and borders beside the file itself.
BODY_LIMIT = MOST_BYTES + requests.MEBIBYTE


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a file, and how many there are of each verdict; of a preview also what somebody may decide."""

    page: Page[ImportLineRecord]
    counts: Mapping[str, int]
    doubts: Sequence[PossibleDuplicate] = ()
    open_accounts: Sequence[OpenAccount] = ()


class FileMissingError(UnprocessableError):
    """Send one file."""

    code = "validation"


class PreviewTriedError(UnprocessableError):
    """A preview writes nothing to the books, so that there is nothing to try or to approve; send the file itself."""

    code = "preview_only"


class NoUploadError(UnsupportedMediaType):
    """The file did not come in a form that can hold one."""

    own_code = "unsupported_media_type"
    description = "Send the file as the part `file` of a multipart/form-data form."


def received(form: Mapping[str, Any]) -> Upload:
    """Take the request's one file, with the validated fields beside it: `fa_id`, and `mapping` where there is one."""
    if request.mimetype != "multipart/form-data":
        raise NoUploadError
    files = request.files.getlist("file")
    others = sorted(set(request.files) - {"file"})
    if len(files) != 1 or not files[0].filename or others:
        raise FileMissingError("file: Send one file.", fields={"file": ["Send one file."]})
    data = files[0].read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise RequestEntityTooLarge
    return Upload(files[0].filename, data, form.get("mapping"), form.get("fa_id"))


def preview(upload: Upload) -> ImportRecord:
    """Tell what an import of a file would do; a refused one answers as REFUSED."""
    if is_at_once():
        raise PreviewTriedError
    return _kept(runs.preview(upload, folder(), **acting()))


def take(upload: Upload) -> ImportRecord:
    """Import a file, all or nothing; a refused one answers as REFUSED."""
    if is_at_once():
        return imports.record(runs.take_at_once(upload, **acting()))
    return _kept(runs.take(upload, **acting()))


def import_kept(import_id: int, choices: Choices = NO_CHOICES) -> ImportRecord:
    """Import the kept file of a preview; one that the books no longer take answers as REFUSED."""
    if is_at_once():
        return imports.record(runs.take_kept_at_once(import_id, folder(), choices=choices, **acting()))
    with progress.reporting_import(import_id) as report:
        return _kept(runs.take_kept(import_id, folder(), progress=report, choices=choices, **acting()))


def tried(import_id: int, mapping: dict[str, object] | None) -> tuple[Import, ColumnReading]:
    """Read a kept file with a mapping and judge it, without writing anything."""
    imported = imports.get(organization_id(), import_id)
    data = previews.kept(imported, folder(), now=requests.now())
    return imported, column_trials.try_mapping(imported, data, mapping)


def read_again(import_id: int, mapping: dict[str, object] | None) -> ImportRecord:
    """Keep a mapping with its file, which is a preview then; raises FileRefusedError and leaves it as it was."""
    imported = runs.read_again(import_id, mapping, folder(), **acting())
    # An import of the file may follow in the same request, in a transaction of its own.
    db.session.commit()
    return imports.record(imported)


def choices(said: Mapping[str, Any]) -> Choices:
    """Take what a commit says of its file, as CommitSchema read it."""
    return Choices(
        accounts=tuple(AccountChoice(**each) for each in said["accounts"]),
        decisions={each["position"]: each["transaction_id"] for each in said["decisions"]},
        rest=said.get("rest"),
    )


def _kept(imported: Import) -> ImportRecord:
    """Let the import stay: the record of a refused one too, though its answer is an error."""
    requests.keep_writes()
    return imports.record(imported)


def is_at_once() -> bool:
    """Tell whether an import is part of the open transaction: it is tried, or done because a person approved it."""
    return is_trial() or is_decided_on()


def rows(imported: Import, *, verdict: str | None, after: tuple[Any, ...] | None, limit: int) -> Rows:
    """List the rows of a file, of a preview judged against the books as they are now, and count their verdicts."""
    reading = previews.reread(imported, folder(), now=requests.now())
    if reading is None:
        listed = imports.lines(imported, verdict=verdict, after=after, limit=limit)
        return Rows(listed, imports.counts(imported))
    plan = preview_lines.plan_of(imported, reading)
    records = preview_lines.records(plan)
    place = None if after is None else int(after[0])
    return Rows(
        preview_lines.page(records, verdict=verdict, after=place, limit=limit),
        preview_lines.counts(records),
        preview_lines.possible_duplicates(imported.organization_id, records, most=MOST_DOUBTS),
        preview_lines.open_accounts(plan),
    )


def folder() -> Path:
    """Tell where previewed files are kept."""
    return settings().instance_path / "previews"
