"""Documents: the list newest first, and the page of a document with its file, its fields and its relations."""

from typing import Any, cast
from urllib.parse import parse_qsl, urlencode, urlsplit

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.queries.common import merchants
from webapp.queries.documents.documents import DocumentFilters
from webapp.schemas.documents.documents import (
    AttachedUploadFormSchema,
    DocumentFormSchema,
    DocumentPageQuerySchema,
    RelatedFormSchema,
)
from webapp.services.documents.fields import DocumentInput
from webapp.web import document_files, paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.document_files import insisted
from webapp.web.headers import allow_frames
from webapp.web.rendering.forms import filled_fields, form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.languages import marked
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("documents", __name__, url_prefix="/documents")

TYPES = {
    "RECEIPT": marked("Receipt"),
    "INVOICE": marked("Invoice"),
    "BILL": marked("Bill"),
    "CREDIT_NOTE": "Credit note",
    "OTHER": marked("Other"),
}
SIDES = {"PURCHASE": "Of a supplier", "SALE": "Our own"}


@bp.get("")
@requires("read")
def index() -> Response:
    """Show documents."""
    query = DocumentPageQuerySchema.read_leniently(request.query_string.decode())
    limit, cursor = query.pop("limit"), query.pop("cursor")
    page = queries.documents.documents.listed(
        organization_id(), DocumentFilters(**query), after=paging.decode(cursor, "i"), limit=limit
    )
    return render(
        "documents/index.html",
        documents=page.items,
        next_cursor=paging.encode(page.next_key),
        cursor=cursor,
        filters={**query, "from_date": query["from_"], "to_date": query["to"]},
        keep={name: value for name, value in request.args.items() if value and name != "cursor"},
        types=TYPES,
    )


@bp.get("/new")
@requires("read")
def new() -> Response:
    """Show the form for a new document."""
    return show_new()


@bp.post("")
@requires("draft", begins=False, body_limit=document_files.BODY_LIMIT)
def create() -> Response:
    """Create a document and show it, or what it is attached to; or show the form with the error."""
    try:
        body = AttachedUploadFormSchema().load(request.form.to_dict())
        owners = {name: body.pop(name) for name in ("transaction_id", "journal_entry_id") if name in body}
        file = document_files.received()
        requests.begin(organization_id())
        content, insisting = insisted(body)
        if owners and file is not None:
            ((name, other_id),) = owners.items()
            services.documents.attached_files.attach(content, file, name, other_id, **acting())
            return back_to(name, other_id)
        document = services.documents.documents.create(content, file, **insisting, **acting())
    except REFUSALS as error:
        return show_new(problem_of(error))
    return redirect_to(url_for("documents.show", document_id=document.id))


def back_to(name: str, other_id: int) -> Response:
    """Go to the line or entry that a document was attached to, the line within the list from which it was done."""
    if name == "journal_entry_id":
        return redirect_to(url_for("journal_entries.show", entry_id=other_id, _anchor="documents"))
    line = queries.transactions.transactions.get(organization_id(), other_id)
    address, before = (
        url_for("feed_accounts.show", fa_id=line.feed_account_id),
        urlsplit(request.referrer or ""),
    )
    listed = dict(parse_qsl(before.query)) if before.path == address else {"show": "all"}
    query = urlencode(listed | {"line": str(other_id), "edit": "documents"})
    return redirect_to(f"{address}?{query}#line-{other_id}")


@bp.get("/<id:document_id>")
@requires("read")
def show(document_id: int) -> Response:
    """Show one document."""
    return show_document(document_id)


@bp.post("/<id:document_id>")
@requires("draft")
def update(document_id: int) -> Response:
    """Change the fields of a document that differ, or show it with the error."""
    document = queries.documents.documents.get(organization_id(), document_id)
    try:
        body, insisting = insisted(DocumentFormSchema().load(form_body()))
        changes = {name: value for name, value in body.items() if value != stored_value(document, name)}
        if changes:
            content = cast("DocumentInput", changes)
            services.documents.documents.update(document, content, **insisting, **acting())
    except REFUSALS as error:
        return show_document(document_id, problem_of(error))
    return redirect_to(url_for("documents.show", document_id=document_id))


@bp.post("/<id:document_id>/merchant")
@requires("draft")
def make_merchant(document_id: int) -> Response:
    """Make the merchant of a document and choose it, or show the document with the error."""
    document = queries.documents.documents.get(organization_id(), document_id)
    try:
        services.documents.documents.make_merchant(document, **acting())
    except REFUSALS as error:
        return show_document(document_id, problem_of(error))
    return redirect_to(url_for("documents.show", document_id=document_id))


@bp.post("/<id:document_id>/delete")
@requires("draft")
def delete(document_id: int) -> Response:
    """Delete a document and go back to the list, or show it with the reason why it cannot be deleted."""
    document = queries.documents.documents.get(organization_id(), document_id)
    try:
        services.documents.documents.delete(document, **acting())
    except REFUSALS as error:
        return show_document(document_id, problem_of(error, place="delete"))
    return redirect_to(url_for("documents.index"))


@bp.get("/<id:document_id>/file")
@requires("read")
def file(document_id: int) -> Response:
    """Download a document's file."""
    return document_files.sent(queries.documents.documents.get(organization_id(), document_id))


@bp.get("/<id:document_id>/view")
@requires("read")
def view(document_id: int) -> Response:
    """Show a document's PDF or picture in a frame."""
    return document_files.shown(queries.documents.documents.get(organization_id(), document_id))


@bp.post("/<id:document_id>/files")
@requires("draft", begins=False, body_limit=document_files.BODY_LIMIT)
def add_file(document_id: int) -> Response:
    """Add a file to a document, or show it with the error."""
    try:
        file = document_files.received()
        requests.begin(organization_id())
        document = queries.documents.documents.get(organization_id(), document_id)
        services.documents.further_files.add(document, document_files.required(file), **acting())
    except REFUSALS as error:
        return show_document(document_id, problem_of(error, place="file"))
    return redirect_to(url_for("documents.show", document_id=document_id))


@bp.get("/<id:document_id>/files/<string:digest>")
@requires("read")
def further_file(document_id: int, digest: str) -> Response:
    """Download a further file of a document."""
    document = queries.documents.documents.get(organization_id(), document_id)
    return document_files.sent(queries.documents.documents.further_file(document, digest))


@bp.post("/<id:document_id>/files/<string:digest>/delete")
@requires("draft")
def remove_file(document_id: int, digest: str) -> Response:
    """Delete a further file of a document, or show it with the error."""
    document = queries.documents.documents.get(organization_id(), document_id)
    try:
        services.documents.further_files.remove(document, digest, **acting())
    except REFUSALS as error:
        return show_document(document_id, problem_of(error, place="file"))
    return redirect_to(url_for("documents.show", document_id=document_id))


@bp.post("/<id:document_id>/relations")
@requires("draft")
def relate(document_id: int) -> Response:
    """Attach a document to a line or an entry."""
    return _change_relation(document_id, services.documents.relations.relate)


@bp.post("/<id:document_id>/relations/delete")
@requires("draft")
def unrelate(document_id: int) -> Response:
    """Detach a document from a line or an entry."""
    return _change_relation(document_id, services.documents.relations.unrelate)


@bp.post("/<id:document_id>/declines")
@requires("draft")
def decline(document_id: int) -> Response:
    """Decline a document for a line or an entry."""
    return _change_relation(document_id, services.documents.declines.decline)


@bp.post("/<id:document_id>/declines/delete")
@requires("draft")
def offer_again(document_id: int) -> Response:
    """Offer a document again where it was declined."""
    return _change_relation(document_id, services.documents.declines.withdraw)


def stored_value(document: Any, name: str) -> Any:
    """The stored value of a field, in the form's type."""
    value = getattr(document, name)
    return value.decimal if name in {"net", "tax", "total"} and value is not None else value


def show_new(problem: Problem | None = None) -> Response:
    """Render the form for a document, with a refused one as it was typed."""
    return render("documents/new.html", types=TYPES, form=request.form, problem=problem)


def show_document(document_id: int, problem: Problem | None = None) -> Response:
    """Render a document, with a refused form as it was typed."""
    document = queries.documents.documents.get(organization_id(), document_id)
    pages, files = queries.documents.pages, queries.documents.documents.all_files(document)
    deleted = queries.documents.retention.deleted(organization_id(), [each.sha256 for each in files])
    shown = document_files.shown_file(files, deleted)
    has_side = queries.documents.parties.has_side(document)
    response = render(
        "documents/show.html",
        document=document,
        findings=queries.documents.documents.all_findings(document),
        invoice=queries.documents.documents.invoice_of(document),
        owners=pages.related_items(document),
        candidates=queries.documents.candidates.of_document(document),
        declined=pages.declined_items(document),
        held=queries.documents.deletion_blockers.blocker(document),
        set_by_rules=pages.set_by_rules(document),
        accounts=queries.accounts.choices.accounts(organization_id(), chosen=[document.account_id]),
        likely=queries.suggestions.likely_accounts.of_document(document),
        merchants=queries.accounts.choices.merchants(organization_id()),
        merchant_id=merchants.counting_id(organization_id(), document.org_merchant_id),
        projects=queries.accounts.choices.projects(organization_id()),
        has_side=has_side,
        may_make=None
        if document.org_merchant_id or not has_side
        else queries.documents.parties.other_party(document),
        types=TYPES,
        sides=SIDES,
        suggestions=queries.documents.suggestions.of_document(document),
        files=files[1:],
        same_file=queries.documents.documents.of_same_file(document),
        deleted=deleted,
        is_picture=shown is not None and shown.file_type in document_files.PICTURES,
        is_shown=shown is not None,
        form=request.form,
        problem=problem,
    )
    return allow_frames(response)


def _change_relation(document_id: int, act: Any) -> Response:
    document = queries.documents.documents.get(organization_id(), document_id)
    try:
        ((name, other_id),) = RelatedFormSchema().load(filled_fields()).items()
        act(document, name, other_id, **acting())
    except REFUSALS as error:
        return show_document(document_id, problem_of(error, place="relations"))
    shown = url_for("documents.show", document_id=document_id)
    if urlsplit(request.referrer or shown).path.startswith(url_for("documents.index")):
        return redirect_to(shown)
    return back_to(name, other_id)
