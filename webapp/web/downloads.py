"""Stored files as answers: as a download that browsers neither show nor run, or in a frame of our own pages."""

from io import BytesIO
from typing import Final

from flask import Response, send_file

from webapp.ledger.files.file_kinds import ALL_KINDS, UNKNOWN
from webapp.models import StoredFile
from webapp.services.storage import stored_files

# A file that a browser shows all the same cannot run scripts, load anything or use our origin.
SANDBOX: Final = "sandbox; default-src 'none'"
# The answer of an endpoint that sends one.
FILE: Final = {"content_type": "application/octet-stream", "description": "The file, as a download"}


def attachment(stored: StoredFile, file_type: str, name: str) -> Response:
    """Send a stored file as a download; raises FileLostError or FileThrownAwayError."""
    response = _response(stored, file_type, name, as_attachment=True)
    response.headers["Content-Security-Policy"] = SANDBOX
    return response


def framed(stored: StoredFile, file_type: str, name: str) -> Response:
    """Send a stored PDF or picture for a frame of a page of ours."""
    response = _response(stored, file_type, name, as_attachment=False)
    response.headers["Content-Security-Policy"] = f"{SANDBOX}; frame-ancestors 'self'"
    return response


def _response(stored: StoredFile, file_type: str, name: str, *, as_attachment: bool) -> Response:
    kind = ALL_KINDS.get(file_type, UNKNOWN)
    return send_file(
        BytesIO(stored_files.read(stored)),
        kind.served_as,
        as_attachment=as_attachment,
        download_name=name,
        etag=False,
    )
