"""Tables that move books in, over JSON and a multipart form."""

from typing import Any

from flask import request

from webapp import queries, services
from webapp.schemas.documents.book_tables import (
    BookTableFileSchema,
    BookTableFormSchema,
    BookTableUploadSchema,
    MovedTableSchema,
    TableRemovalSchema,
    TakenTableSchema,
    TakenTablesSchema,
)
from webapp.schemas.paging import changing, wrapped
from webapp.web import book_tables, document_files
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint, file_or_json
from webapp.web.access.strictness import ArgumentsParser

bp = Blueprint("api_tables", __name__, url_prefix="/api/tables", description="Moving in")
AnswerSchema = changing(wrapped("movedTable", MovedTableSchema))
JSON = "application/json"


@bp.get("")
@requires("read")
@bp.response(200, TakenTablesSchema)
def listed() -> dict[str, Any]:
    """List the tables that were moved in, the newest first."""
    return {"tables": queries.journal.moved_tables.standing(organization_id())}


@bp.post("")
@requires("admin", begins=False, body_limit=document_files.BODY_LIMIT, is_heavy=True, posts=True)
@bp.arguments(BookTableFormSchema, location="form", content_type="multipart/form-data")
@bp.doc(requestBody=file_or_json(BookTableUploadSchema, BookTableFileSchema))
@bp.response(201, AnswerSchema)
@bp.alt_response(200, schema=AnswerSchema, description="A dry run, or nothing is new: nothing is written")
def create(form: dict[str, Any]) -> Any:
    """Move a chart, opening balances, open items or a journal in from a CSV or XLSX table, all or nothing.

    A dry run tells of each row what it would become. Balances of bank accounts and of what is owed are only compared:
    their first statement and the open items bring them. A file of at most 1 MiB may come as JSON, with its bytes as
    base64.
    """
    if request.mimetype == JSON:
        form = ArgumentsParser().parse(BookTableFileSchema(), request, location="json")
    table = book_tables.sent(form)
    requests.begin(organization_id())
    if form["dry_run"]:
        return {"movedTable": services.moving.book_tables.preview(table, **acting())}, 200
    taken = services.moving.book_tables.take(table, **acting())
    return {"movedTable": taken}, 200 if taken.id is None else 201


@bp.post("/<string:table_id>/remove")
@requires("admin", is_heavy=True)
@bp.arguments(TableRemovalSchema)
@bp.response(200, changing(wrapped("takenTable", TakenTableSchema)))
def remove(body: dict[str, Any], table_id: str) -> dict[str, Any]:
    """Remove a table that was moved in: its entries are voided, and its accounts archived where nothing uses them."""
    return {"takenTable": services.moving.book_tables.remove(table_id, **body, **acting())}
