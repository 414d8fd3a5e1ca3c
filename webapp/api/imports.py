"""Imports of bank files over JSON and a multipart form."""

from typing import Any

from flask import Response, jsonify, request

from webapp import queries, services
from webapp.queries.imports.imports import ImportRecord
from webapp.schemas.imports import (
    CommitSchema,
    ImportDetailSchema,
    ImportFileSchema,
    ImportFormSchema,
    ImportLineQuerySchema,
    ImportLineSchema,
    ImportSchema,
    ImportUploadSchema,
)
from webapp.schemas.paging import OkSchema, PageSchema, changing, listing, warned_members, wrapped
from webapp.schemas.untrusted import HEADER as UNTRUSTED_FIELDS
from webapp.schemas.untrusted import untrusted_paths
from webapp.web import downloads, paging, uploads
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint, file_or_json
from webapp.web.access.strictness import ArgumentsParser

bp = Blueprint("api_imports", __name__, url_prefix="/api/feeds/imports", description="Imports of bank files")
AnswerSchema = wrapped("import", ImportDetailSchema, title=None, **warned_members())
JSON = "application/json"
COLUMNS = (
    'Send them as the form field mapping, like {"date": "Day", "amount": "Amount"}: a column is its name, or its number'
    " from 0."
)


@bp.get("")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("imports", ImportSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List imports, newest first."""
    return paging.listed("imports", "i", query, queries.imports.imports.listed)


@bp.post("")
@requires("draft", begins=False, body_limit=uploads.BODY_LIMIT, is_heavy=True)
@bp.arguments(ImportFormSchema, location="form", content_type="multipart/form-data")
@bp.doc(requestBody=file_or_json(ImportUploadSchema, ImportFileSchema))
@bp.response(201, AnswerSchema)
@bp.alt_response(200, schema=AnswerSchema, description="PREVIEWED: a dry run, nothing is written")
def create(form: dict[str, Any]) -> Response:
    """Import a bank file, all or nothing; with `dryRun` only preview it.

    A file of at most 1 MiB may come as JSON, with its bytes as base64; so it can be a step of a plan. A zip archive
    with one file is taken as that file; the files of a larger one are sent by themselves.
    """
    if request.mimetype == JSON:
        form = ArgumentsParser().parse(ImportFileSchema(), request, location="json")
        upload = uploads.in_json(form)
    else:
        upload = uploads.received(form)
    upload = services.imports.uploads.only(upload)
    imported = uploads.preview(upload) if form["dry_run"] else uploads.import_file(upload)
    return answer(imported, status=200 if form["dry_run"] else 201)


@bp.get("/<id:import_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(import_id: int) -> dict[str, Any]:
    """Read one import."""
    imported = queries.imports.imports.get(organization_id(), import_id)
    return {
        "import": queries.imports.imports.detailed(
            organization_id(), queries.imports.imports.record(imported)
        )
    }


@bp.get("/<id:import_id>/file")
@requires("read")
@bp.response(200, **downloads.FILE)
def file(import_id: int) -> Response:
    """Download the file of an import, byte for byte as it was sent."""
    imported = queries.imports.imports.get(organization_id(), import_id)
    bank_files = queries.imports.bank_files
    return downloads.attachment(*bank_files.require(bank_files.of_import(imported)))


@bp.get("/<id:import_id>/lines")
@requires("read", is_heavy=True)
@bp.arguments(ImportLineQuerySchema, location="query")
@bp.response(200, listing("lines", ImportLineSchema))
def lines(query: dict[str, Any], import_id: int) -> dict[str, Any]:
    """List the rows of a file with their verdicts, in its order."""
    after = paging.decode(query.pop("cursor"), "i")
    imported = queries.imports.imports.get(organization_id(), import_id)
    return paging.answer("lines", uploads.rows(imported, after=after, **query).page)


@bp.post("/<id:import_id>/commit")
@requires("draft", begins=False, is_heavy=True)
@bp.arguments(CommitSchema)
@bp.response(200, changing(AnswerSchema))
def commit(body: dict[str, Any], import_id: int) -> Any:
    """Import a file that was previewed within the last hour, with decisions on possible duplicates and accounts."""
    imported = uploads.import_previewed(import_id, uploads.choices(body))
    if imported.status == "REFUSED":
        return answer(imported, status=422)
    return {"import": queries.imports.imports.detailed(organization_id(), imported)}


@bp.delete("/<id:import_id>")
@requires("draft", is_heavy=True)
@bp.response(200, changing(OkSchema))
def delete(import_id: int) -> dict[str, bool]:
    """Remove an import and its lines, of which none may be confirmed or cleared."""
    imported = queries.imports.imports.get(organization_id(), import_id)
    services.imports.removal.removals.take_back(imported, uploads.folder(), **acting())
    return {"ok": True}


def answer(imported: ImportRecord, *, status: int) -> Response:
    """Answer with an import; a refused one as an error that includes it."""
    shown = {
        "import": ImportDetailSchema().dump(queries.imports.imports.detailed(organization_id(), imported))
    }
    if imported.status == "REFUSED":
        details = {"details": dict(imported.refused)} if imported.refused else {}
        error = f"{imported.error} {COLUMNS}" if imported.refused.get("key") == "header" else imported.error
        shown = {"error": error, "code": "file_refused", **details, **shown}
        status = 422
    response = jsonify(shown)
    response.status_code = status
    if imported.status == "REFUSED":
        response.headers[UNTRUSTED_FIELDS] = ", ".join(("error", *untrusted_paths(AnswerSchema())))
    return response
