"""Exports of the whole book in the formats of other systems."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO

from flask import Response

from webapp import queries
from webapp.web.access.auth import organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.access.requests import MEBIBYTE

bp = Blueprint("api_exports", __name__, url_prefix="/api/exports", description="Exports")
MOST_IN_MEMORY, PIECE_SIZE = 4 * MEBIBYTE, MEBIBYTE // 4
FILE = {"content_type": "text/plain", "description": "A file"}


@bp.get("/beancount")
@requires("read")
@bp.response(200, **FILE)
def beancount() -> Response:
    """Export the whole book as a Beancount file."""
    return attached("beancount")


@bp.get("/hledger")
@requires("read")
@bp.response(200, **FILE)
def hledger() -> Response:
    """Export the whole book as an hledger journal."""
    return attached("hledger")


@bp.get("/csv")
@requires("read")
@bp.response(200, content_type="text/csv", description="A file")
def csv() -> Response:
    """Export every posting of the book as a row of a CSV file."""
    return attached("csv")


def attached(format_: str) -> Response:
    """Write the book while the request still has its snapshot, to disk where it is long, and send it."""
    export = queries.reports.exports.of(organization_id(), format_)
    file = tempfile.SpooledTemporaryFile(MOST_IN_MEMORY)  # noqa: SIM115  (whoever sends it closes it)
    for piece in export.pieces:
        file.write(piece.encode())
    length = file.tell()
    pieces = sent(file)
    body = b"".join(pieces) if length <= MOST_IN_MEMORY else pieces
    response = Response(body, content_type=f"{export.media_type}; charset=utf-8")
    response.headers.set("Content-Disposition", "attachment", filename=export.file_name)
    response.content_length = length
    return response


def sent(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file from its beginning, and close it at the end."""
    with file:
        file.seek(0)
        yield from iter(lambda: file.read(PIECE_SIZE), b"")
