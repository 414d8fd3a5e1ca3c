"""The inbox over JSON: files that wait for a person, and what becomes of them."""

from typing import Any

from flask import Response, request

from webapp import queries, services
from webapp.api.documents.documents import AnswerSchema, answer
from webapp.schemas.files import FileSchema
from webapp.schemas.inbox_files import ArrivalsSchema, FileWaitingSchema, InboxFileSchema, SentFormSchema
from webapp.schemas.paging import OkSchema, PageSchema, changing, listing
from webapp.services.imports.uploads import Upload, unpacked
from webapp.web import downloads, inbox, paging, uploads
from webapp.web.access.auth import acting, requires
from webapp.web.access.blueprints import Blueprint, file_or_json
from webapp.web.access.strictness import ArgumentsParser

bp = Blueprint("api_inbox", __name__, url_prefix="/api/inbox", description="Inbox")


@bp.get("")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("files", InboxFileSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List the files that wait, newest first: each with its question."""
    return paging.listed("files", "i", query, queries.documents.inbox_files.listed)


@bp.post("")
@requires("draft", begins=False, body_limit=uploads.BODY_LIMIT, is_heavy=True)
@bp.arguments(SentFormSchema, location="form", content_type="multipart/form-data")
@bp.doc(requestBody=file_or_json(SentFormSchema, FileSchema))
@bp.response(200, changing(ArrivalsSchema))
def take(_form: dict[str, Any]) -> dict[str, Any]:
    """Take a file of any kind: a bank's file is imported, everything else is filed, and doubt waits with its question.

    The files of a zip archive are taken as if each came by itself. A file of at most 1 MiB may come as JSON, with its
    bytes as base64; so it can be a step of a plan.
    """
    if request.mimetype == "application/json":
        sent = ArgumentsParser().parse(FileSchema(), request, location="json")
        upload = Upload(sent["file_name"], sent["content"])
    else:
        upload = uploads.received({})
    return {"files": inbox.take_each(unpacked([upload]))}


@bp.get("/<id:inbox_file_id>/file")
@requires("read")
@bp.response(200, **downloads.FILE)
def file(inbox_file_id: int) -> Response:
    """Download a file that waits."""
    return inbox.sent(inbox_file_id)


@bp.post("/<id:inbox_file_id>/document")
@requires("draft")
@bp.arguments(FileWaitingSchema)
@bp.response(201, AnswerSchema)
def file_as_document(body: dict[str, Any], inbox_file_id: int) -> dict[str, Any]:
    """File a document with a file that waits; a bank's file is imported instead, with its account."""
    return answer(services.inbox.inbox_files.file_as_document(inbox.get(inbox_file_id), **body, **acting()))


@bp.delete("/<id:inbox_file_id>")
@requires("draft")
@bp.response(200, changing(OkSchema))
def delete(inbox_file_id: int) -> dict[str, bool]:
    """Delete a file that waits, permanently."""
    services.inbox.inbox_files.delete(inbox.get(inbox_file_id), **acting())
    return {"ok": True}
