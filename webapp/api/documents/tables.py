"""Tables of invoices over JSON and a multipart form."""

from typing import Any

from flask import request

from webapp.schemas.documents.tables import TableFileSchema, TableFormSchema, TableSchema, TableUploadSchema
from webapp.schemas.paging import changing, wrapped
from webapp.web import document_files, document_tables
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.access.blueprints import Blueprint, file_or_json
from webapp.web.access.strictness import ArgumentsParser

bp = Blueprint(
    "api_document_tables", __name__, url_prefix="/api/documents/tables", description="Tables of invoices"
)
AnswerSchema = changing(wrapped("table", TableSchema))
JSON = "application/json"


@bp.post("")
@requires("draft", begins=False, body_limit=document_files.BODY_LIMIT, is_heavy=True)
@bp.arguments(TableFormSchema, location="form", content_type="multipart/form-data")
@bp.doc(requestBody=file_or_json(TableUploadSchema, TableFileSchema))
@bp.response(201, AnswerSchema)
@bp.alt_response(200, schema=AnswerSchema, description="A dry run, or no row is new: nothing is written")
def create(form: dict[str, Any]) -> Any:
    """File a document for each row of a CSV or XLSX table of invoices, all or none; with `dryRun` only read it.

    Rows that are there already are left out, and so are those whose number the sender has used before, without
    `force`. With `entries` each new document gets its entry, as a draft or posted, which needs the scope confirm. A
    file of at most 1 MiB may come as JSON, with its bytes as base64.
    """
    if request.mimetype == JSON:
        form = ArgumentsParser().parse(TableFileSchema(), request, location="json")
    chosen, table = document_tables.choices(form), document_tables.sent(form)
    if form["dry_run"]:
        requests.begin_reading(organization_id())
        return {"table": document_tables.tried(table)}, 200
    requests.begin(organization_id())
    filed = document_tables.filed(table, chosen)
    return {"table": filed}, 201 if any(row.is_filed for row in filed.rows) else 200
