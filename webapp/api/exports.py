"""Exports of the whole book in the formats of other systems, and of reports as tables."""

from typing import Any

from flask import Response

from webapp import queries
from webapp.schemas.reports.reports import ReportFileQuerySchema
from webapp.web.access.auth import organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.rendering import periods
from webapp.web.written_files import downloaded, spooled

bp = Blueprint("api_exports", __name__, url_prefix="/api/exports", description="Exports")
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
