"""Exports of the whole book in the formats of other systems, and of reports as tables."""

import tempfile
from collections.abc import Iterator
from io import SEEK_END
from typing import IO, Any

from flask import Response

from webapp import queries
from webapp.schemas.reports.reports import ReportFileQuerySchema
from webapp.web.access.auth import organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.access.requests import MEBIBYTE
from webapp.web.rendering import periods

bp = Blueprint("api_exports", __name__, url_prefix="/api/exports", description="Exports")
MOST_IN_MEMORY, PIECE_SIZE = 4 * MEBIBYTE, MEBIBYTE // 4
FILE = {"content_type": "text/plain", "description": "A file"}


@bp.get("/beancount")
@requires("read", is_heavy=True)
@bp.response(200, **FILE)
def beancount() -> Response:
    """Export the whole book as a Beancount file."""
    return attached("beancount")


@bp.get("/hledger")
@requires("read", is_heavy=True)
@bp.response(200, **FILE)
def hledger() -> Response:
    """Export the whole book as an hledger journal."""
    return attached("hledger")


@bp.get("/csv")
@requires("read", is_heavy=True)
@bp.response(200, content_type="text/csv", description="A file")
def csv() -> Response:
    """Export every posting of the book as a row of a CSV file."""
    return attached("csv")


@bp.get("/report")
@requires("read", is_heavy=True)
@bp.arguments(ReportFileQuerySchema, location="query")
@bp.response(200, content_type="application/octet-stream", description="A file of CSV or XLSX")
def report(query: dict[str, Any]) -> Response:
    """Export a report as CSV or XLSX, with real numbers and days in its cells."""
    columns = periods.report_columns(query)
    tables = queries.reports.report_tables
    names = ("account_id", "layout", "turnovers", "percent_of_sales")
    asked = tables.ReportChoice(**{name: query[name] for name in names})
    table = tables.of(organization_id(), query["report"], columns, asked)
    file = spooled()
    media_type = tables.write(table, query["format"], file)
    name = query["report"].replace("_", "-")
    return downloaded(file, f"{name}-{columns.period.last}.{query['format']}", media_type)


def attached(format_: str) -> Response:
    """Write the book while the request still has its snapshot, and send it."""
    export = queries.reports.exports.of(organization_id(), format_)
    file = spooled()
    for piece in export.pieces:
        file.write(piece.encode())
    return downloaded(file, export.file_name, f"{export.media_type}; charset=utf-8")


def spooled() -> IO[bytes]:
    """Open a file that is on disk where it is long; the sender closes it."""
    return tempfile.SpooledTemporaryFile(MOST_IN_MEMORY)


def downloaded(file: IO[bytes], name: str, content_type: str) -> Response:
    """Send what was written to a file as a download."""
    length = file.seek(0, SEEK_END)
    pieces = sent(file)
    body = b"".join(pieces) if length <= MOST_IN_MEMORY else pieces
    response = Response(body, content_type=content_type)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    response.content_length = length
    return response


def sent(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file from its beginning, and close it at the end."""
    with file:
        file.seek(0)
        yield from iter(lambda: file.read(PIECE_SIZE), b"")
