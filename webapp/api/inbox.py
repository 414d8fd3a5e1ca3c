"""The inbox over JSON: files that wait for a person, and what becomes of them."""

from typing import Any

from flask import Response

from webapp import queries, services
from webapp.api.documents.documents import AnswerSchema, answer
from webapp.schemas.inbox_files import FileWaitingSchema, InboxFileSchema
from webapp.schemas.paging import OkSchema, PageSchema, changing, listing
from webapp.web import downloads, inbox, paging
from webapp.web.access.auth import acting, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_inbox", __name__, url_prefix="/api/inbox", description="Inbox")


@bp.get("")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("files", InboxFileSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List the files that wait, newest first: each with its question."""
    return paging.listed("files", "i", query, queries.documents.inbox_files.listed)


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
