"""Files of documents on their way in by a form, and out again as nothing but a download."""

from __future__ import annotations

from io import BytesIO

from flask import Response, request, send_file
from werkzeug.exceptions import RequestEntityTooLarge

from webapp.ledger.errors import LedgerError
from webapp.ledger.file_kinds import KINDS
from webapp.models import Document
from webapp.queries.documents import documents
from webapp.services.documents.documents import MOST_BYTES, SentFile
from webapp.services.storage import document_files
from webapp.web.access import requests
from webapp.web.uploads import FileMissingError

# The parts of a form have names and borders beside the file itself.
BODY_LIMIT = MOST_BYTES + requests.MEBIBYTE
# Whatever a browser makes of the file, it runs nothing, loads nothing and is of no origin.
SANDBOX = "sandbox; default-src 'none'"


class FileLostError(LedgerError):
    """The file of this document is not where it was kept; `tieout check` lists what is missing."""

    code = "file_lost"


def received() -> SentFile | None:
    """Take the file of a form, or none where there is none; 413 where it is too large, 422 where there are more."""
    files = [each for each in request.files.getlist("file") if each.filename]
    others = sorted(set(request.files) - {"file"})
    if len(files) > 1 or others:
        raise FileMissingError("file: Send one file.", fields={"file": ["Send one file."]})
    if not files:
        return None
    data = files[0].read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise RequestEntityTooLarge
    return SentFile(files[0].filename or "", data)


def sent(document: Document) -> Response:
    """Send a document's file as a download that no browser shows or runs."""
    kept, type_, name = documents.file_of(document)
    try:
        data = BytesIO(document_files.path_of(kept).read_bytes())
    except FileNotFoundError:
        raise FileLostError from None
    response = send_file(data, KINDS[type_].served_as, as_attachment=True, download_name=name, etag=False)
    response.headers["Content-Security-Policy"] = SANDBOX
    return response
