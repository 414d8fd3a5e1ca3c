"""Files of documents: uploads by a form, and downloads."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from flask import Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from webapp.ledger.files.file_kinds import GIF, JPEG, PDF, PNG, WEBP
from webapp.models import Document, DocumentFile
from webapp.queries.documents import documents, retention
from webapp.services.documents import invoices
from webapp.services.documents.fields import DocumentInput
from webapp.services.documents.sent_files import MOST_BYTES, SentFile, unpacked
from webapp.web import downloads
from webapp.web.access import requests
from webapp.web.uploads import FileMissingError

# The parts of a form have names and boundaries beside the file itself.
BODY_LIMIT = MOST_BYTES + requests.MEBIBYTE
# What browsers show without running anything of ours: a PDF in their own viewer, pictures as pictures.
PICTURES = frozenset(kind.type for kind in (PNG, JPEG, GIF, WEBP))
SHOWN = PICTURES | {PDF.type}
RECEIVED_TABLE = "Choose the table: a CSV or XLSX file with a row for each invoice."


def insisted(body: Mapping[str, Any]) -> tuple[DocumentInput, dict[str, Any]]:
    """Split what was sent into the document's fields, and `force` and `note`."""
    insisting = {name: body[name] for name in ("force", "note") if name in body}
    return cast("DocumentInput", {key: body[key] for key in body if key not in insisting}), insisting


def in_json(body: dict[str, Any]) -> SentFile | None:
    """Take the file out of a body that DocumentInputSchema has read, or None."""
    content = body.pop("content", None)
    if content is None:
        return None
    body["file_name"], content = unpacked(body["file_name"], content)
    return _read(body["file_name"], content)


def received() -> SentFile | None:
    """The file of a form, or None; 413 where it is too large, 422 where there are several."""
    found = _received()
    return None if found is None else _read(*found)


def received_bytes(missing: str) -> tuple[str, bytes]:
    """The name and the bytes of a form's file, which is not read as one of a document; FileMissingError without it."""
    found = _received()
    if found is None:
        raise FileMissingError(f"file: {missing}", fields={"file": [missing]})
    return found


def _received() -> tuple[str, bytes] | None:
    files = [each for each in request.files.getlist("file") if each.filename]
    others = sorted(set(request.files) - {"file"})
    if len(files) > 1 or others:
        raise FileMissingError("file: Send one file.", fields={"file": ["Send one file."]})
    if not files:
        return None
    data = files[0].read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise RequestEntityTooLarge
    return unpacked(files[0].filename or "", data)


def required(file: SentFile | None) -> SentFile:
    """Give a file that has to be there, or raise FileMissingError."""
    if file is None:
        raise FileMissingError("file: Choose a file.", fields={"file": ["Choose a file."]})
    return file


def _read(name: str, data: bytes) -> SentFile:
    """Read what a file states before the transaction begins, as others wait for that one."""
    return SentFile(name, data, invoices.contents(data))


def sent(document: Document | DocumentFile) -> Response:
    """Send a file of a document as a download that browsers neither show nor run."""
    return downloads.attachment(*documents.file_of(document))


def shown(document: Document) -> Response:
    """Send a document's PDF or picture for a frame of its page; where it has none, its file is a download."""
    files = documents.all_files(document)
    deleted = retention.deleted(document.organization_id, [each.sha256 for each in files])
    file = shown_file(files, deleted)
    return sent(document) if file is None else downloads.framed(*documents.file_of(file))


def shown_file(
    files: Sequence[Document | DocumentFile], deleted: Collection[str]
) -> Document | DocumentFile | None:
    """Give the first of a document's files that browsers show, other than those whose SHA-256 is of a deleted one."""
    return next((each for each in files if each.file_type in SHOWN and each.sha256 not in deleted), None)
