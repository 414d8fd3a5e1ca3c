"""The inbox: several files of any kind at once, each with what became of it, and those that wait for a person."""

from collections.abc import Sequence

import marshmallow as ma
from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.addresses import InboxPageQuerySchema
from webapp.schemas.imports import ImportFormSchema
from webapp.schemas.inbox_files import FileWaitingFormSchema
from webapp.services.inbox.arrivals import Arrival
from webapp.web import inbox, paging, uploads
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import filled_fields
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("inbox", __name__, url_prefix="/inbox")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the files that wait, and the form for new ones."""
    return show_inbox()


@bp.post("")
@requires("draft", begins=False, body_limit=uploads.BODY_LIMIT, is_heavy=True)
def take() -> Response:
    """Take files of any kind, each by itself, and show what became of each."""
    try:
        received = uploads.received_together({})
    except REFUSALS as error:
        return show_inbox(problem=problem_of(error))
    return show_inbox(inbox.take_each(received))


@bp.get("/<id:inbox_file_id>/file")
@requires("read")
def file(inbox_file_id: int) -> Response:
    """Download a file that waits."""
    return inbox.sent(inbox_file_id)


@bp.post("/<id:inbox_file_id>/import")
@requires("draft", begins=False, is_heavy=True)
def preview(inbox_file_id: int) -> Response:
    """Preview a waiting file as a bank's, where its account and its columns are chosen."""
    form = ImportFormSchema(unknown=ma.EXCLUDE).load(
        {key: value for key, value in request.form.items() if value}
    )
    imported = inbox.preview(inbox_file_id, form.get("fa_id"))
    asks = imported.asks is not None and imported.is_kept
    return redirect_to(url_for("import_columns.show" if asks else "imports.show", import_id=imported.id))


@bp.post("/<id:inbox_file_id>/document")
@requires("draft")
def file_as_document(inbox_file_id: int) -> Response:
    """File a document with a waiting file, or show why that is not possible."""
    try:
        body = FileWaitingFormSchema().load(filled_fields())
        document = services.inbox.inbox_files.file_as_document(inbox.get(inbox_file_id), **body, **acting())
    except REFUSALS as error:
        return show_inbox(problem=problem_of(error))
    return redirect_to(url_for("documents.show", document_id=document.id))


@bp.post("/<id:inbox_file_id>/delete")
@requires("draft")
def delete(inbox_file_id: int) -> Response:
    """Delete a file that waits."""
    services.inbox.inbox_files.delete(inbox.get(inbox_file_id), **acting())
    return redirect_to(url_for("inbox.index"))


def show_inbox(arrivals: Sequence[Arrival] = (), *, problem: Problem | None = None) -> Response:
    """Render the inbox, below what became of the files that were just sent."""
    query = InboxPageQuerySchema().load(request.args)
    after, before, limit = (
        paging.decode(query["cursor"], "i"),
        paging.decode(query["before"], "iiii"),
        query["limit"],
    )
    page = queries.documents.inbox_files.listed(organization_id(), after=after, limit=limit)
    history = queries.documents.file_history.listed(organization_id(), after=before, limit=limit)
    return render(
        "inbox/index.html",
        arrivals=arrivals,
        files=page.items,
        next_cursor=paging.encode(page.next_key),
        cursor=query["cursor"],
        history=history.items,
        next_older=paging.encode(history.next_key),
        before=query["before"],
        feed_accounts=queries.accounts.choices.feed_accounts(organization_id()),
        drop_folder=queries.access.organizations.get(organization_id()).drop_folder,
        form=request.form,
        problem=problem,
    )
