"""Documents over JSON, and their files over a multipart form."""

from typing import Any

from flask import Response, request

from webapp import queries, services
from webapp.api.bookkeeping.journal_entries import written
from webapp.queries.documents.documents import DocumentFilters
from webapp.queries.suggestions.document_bookings import ChosenAccounts
from webapp.schemas.bookkeeping.journal_entries import WrittenEntryAnswerSchema
from webapp.schemas.documents.bookings import BookingQuerySchema, BookingSchema, EnterDocumentSchema
from webapp.schemas.documents.documents import (
    CandidatesSchema,
    CreatedDocumentSchema,
    DocumentFieldsSchema,
    DocumentFileSchema,
    DocumentFileUploadSchema,
    DocumentInputSchema,
    DocumentQuerySchema,
    DocumentSchema,
    DocumentStorySchema,
    DocumentUploadSchema,
    RelatedSchema,
    RelationSchema,
)
from webapp.schemas.paging import OkSchema, changing, listing, wrapped
from webapp.web import document_files, downloads, paging
from webapp.web.access import requests, selections, strictness
from webapp.web.access.auth import acting, demand, organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.document_files import insisted

bp = Blueprint("api_documents", __name__, url_prefix="/api/documents", description="Documents")
AnswerSchema = wrapped("document", DocumentStorySchema)
RelationAnswerSchema = changing(wrapped("relation", RelationSchema))


@bp.get("")
@requires("read")
@bp.arguments(DocumentQuerySchema, location="query")
@bp.response(200, listing("documents", DocumentSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List documents, newest first."""
    since, documents = selections.changed_since(), queries.documents.documents.listed
    return paging.listed("documents", "i", query, documents, filters=DocumentFilters, changed_since=since)


@bp.post("")
@requires("draft", begins=False, body_limit=document_files.BODY_LIMIT)
@bp.arguments(DocumentInputSchema)
@bp.doc(requestBody={"content": {"multipart/form-data": {"schema": DocumentUploadSchema}}})
@bp.response(201, CreatedDocumentSchema)
@bp.alt_response(
    200, schema=CreatedDocumentSchema, description="The file was added to the document of this invoice"
)
def create(body: dict[str, Any]) -> Any:
    """Create a document from a form with its file and any of its fields, or from JSON.

    JSON has its fields alone, or also a file of at most 1 MiB: its `fileName`, and its bytes as base64 in `content`.
    A file that states the same invoice as a document that is there is added to that one: 200.
    """
    file = document_files.in_json(body)
    if request.mimetype == "multipart/form-data":
        strictness.refuse_repeated(request.form, DocumentUploadSchema())
        body, file = DocumentUploadSchema().load(request.form.to_dict()), document_files.received()
    requests.begin(organization_id())
    content, insisting = insisted(body)
    document = services.documents.documents.create(content, file, **insisting, **acting())
    created = {**answer(document), "candidates": queries.documents.candidates.of_document(document)}
    return created, 201 if document.created_at == requests.now() else 200


@bp.get("/<id:document_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(document_id: int) -> dict[str, Any]:
    """Read one document, with its text and the rules that set its fields."""
    return answer(queries.documents.documents.get(organization_id(), document_id))


@bp.patch("/<id:document_id>")
@requires("draft")
@bp.arguments(DocumentFieldsSchema)
@bp.response(200, changing(AnswerSchema))
def update(body: dict[str, Any], document_id: int) -> dict[str, Any]:
    """Change a document; the rules on receipts run on its new fields."""
    document = queries.documents.documents.get(organization_id(), document_id)
    changes, insisting = insisted(body)
    return answer(services.documents.documents.update(document, changes, **insisting, **acting()))


@bp.delete("/<id:document_id>")
@requires("draft")
@bp.response(200, changing(OkSchema))
def delete(document_id: int) -> dict[str, bool]:
    """Delete a document and its file permanently, unless a posted entry, a proof or an entry of its own needs it."""
    services.documents.documents.delete(
        queries.documents.documents.get(organization_id(), document_id), **acting()
    )
    return {"ok": True}


@bp.get("/<id:document_id>/file")
@requires("read")
@bp.response(200, **downloads.FILE)
def file(document_id: int) -> Response:
    """Download a document's file as it was sent."""
    return document_files.sent(queries.documents.documents.get(organization_id(), document_id))


@bp.post("/<id:document_id>/files")
@requires("draft", begins=False, body_limit=document_files.BODY_LIMIT)
@bp.arguments(DocumentFileSchema)
@bp.doc(requestBody={"content": {"multipart/form-data": {"schema": DocumentFileUploadSchema}}})
@bp.response(201, AnswerSchema)
def add_file(body: dict[str, Any], document_id: int) -> dict[str, Any]:
    """Add a file to a document: the same invoice in other bytes. What nobody wrote yet is read from it."""
    file = document_files.in_json({"file_name": "", **body})
    if request.mimetype == "multipart/form-data":
        strictness.refuse_repeated(request.form, DocumentFileUploadSchema())
        file = document_files.received()
    requests.begin(organization_id())
    document = queries.documents.documents.get(organization_id(), document_id)
    services.documents.further_files.add(document, document_files.required(file), **acting())
    return answer(document)


@bp.get("/<id:document_id>/files/<string:digest>")
@requires("read")
@bp.response(200, **downloads.FILE)
def further_file(document_id: int, digest: str) -> Response:
    """Download a further file of a document by its SHA-256, as it was sent."""
    document = queries.documents.documents.get(organization_id(), document_id)
    return document_files.sent(queries.documents.documents.further_file(document, digest))


@bp.delete("/<id:document_id>/files/<string:digest>")
@requires("draft")
@bp.response(200, changing(OkSchema))
def remove_file(document_id: int, digest: str) -> dict[str, bool]:
    """Delete a further file of a document permanently, and what was only read of it."""
    document = queries.documents.documents.get(organization_id(), document_id)
    services.documents.further_files.remove(document, digest, **acting())
    return {"ok": True}


@bp.post("/<id:document_id>/relations")
@requires("draft")
@bp.arguments(RelatedSchema)
@bp.response(201, RelationAnswerSchema)
@bp.alt_response(200, schema=RelationAnswerSchema, description="It belonged to that already")
def relate(body: dict[str, int], document_id: int) -> Any:
    """Attach a document to a line or an entry, which is not changed."""
    ((name, other_id),) = body.items()
    document = queries.documents.documents.get(organization_id(), document_id)
    related = services.documents.relations.relate(document, name, other_id, **acting())
    return {"relation": related.relation}, 201 if related.is_new else 200


@bp.delete("/<id:document_id>/relations")
@requires("draft")
@bp.arguments(RelatedSchema)
@bp.response(200, changing(OkSchema))
def unrelate(body: dict[str, int], document_id: int) -> dict[str, bool]:
    """Detach a document from a line or an entry."""
    ((name, other_id),) = body.items()
    document = queries.documents.documents.get(organization_id(), document_id)
    services.documents.relations.unrelate(document, name, other_id, **acting())
    return {"ok": True}


@bp.get("/<id:document_id>/candidates")
@requires("read")
@bp.response(200, wrapped("candidates", CandidatesSchema))
def candidates(document_id: int) -> dict[str, Any]:
    """List the lines and entries that a document may belong to, the best evidence first, without what was declined."""
    document = queries.documents.documents.get(organization_id(), document_id)
    return {"candidates": {"choices": queries.documents.candidates.of_document(document)}}


@bp.get("/<id:document_id>/booking")
@requires("read")
@bp.arguments(BookingQuerySchema, location="query")
@bp.response(200, wrapped("booking", BookingSchema))
def booking(query: dict[str, Any], document_id: int) -> dict[str, Any]:
    """Get how a document would be booked by what it states: its entry, and the splits of a line that pays it."""
    document = queries.documents.documents.get(organization_id(), document_id)
    asked = query["transaction_id"]
    line = None if asked is None else queries.transactions.transactions.get(organization_id(), asked)
    return {"booking": queries.suggestions.document_bookings.booking(document, line)}


@bp.post("/<id:document_id>/entry")
@requires("draft")
@bp.arguments(EnterDocumentSchema)
@bp.response(201, WrittenEntryAnswerSchema)
def enter(body: dict[str, Any], document_id: int) -> dict[str, Any]:
    """Write a document's entry by its VAT breakdown, against what is owed; posting it needs the scope confirm."""
    how = {name: body.pop(name) for name in ("amount_base", "tax_codes", "tax_point", "post", "force")}
    if how["post"]:
        demand("confirm")
    document = queries.documents.documents.get(organization_id(), document_id)
    return written(
        services.bookkeeping.document_bookings.enter(document, ChosenAccounts(**body), **how, **acting())
    )


@bp.post("/<id:document_id>/declines")
@requires("draft")
@bp.arguments(RelatedSchema)
@bp.response(200, changing(OkSchema))
def decline(body: dict[str, int], document_id: int) -> dict[str, bool]:
    """Keep that a document does not belong to a line or an entry: it is not offered there again."""
    ((name, other_id),) = body.items()
    document = queries.documents.documents.get(organization_id(), document_id)
    services.documents.declines.decline(document, name, other_id, **acting())
    return {"ok": True}


@bp.delete("/<id:document_id>/declines")
@requires("draft")
@bp.arguments(RelatedSchema)
@bp.response(200, changing(OkSchema))
def offer_again(body: dict[str, int], document_id: int) -> dict[str, bool]:
    """Let a document be offered again to a line or an entry for which somebody declined it."""
    ((name, other_id),) = body.items()
    document = queries.documents.documents.get(organization_id(), document_id)
    services.documents.declines.withdraw(document, name, other_id, **acting())
    return {"ok": True}


def answer(document: Any) -> dict[str, Any]:
    """One document with its relations, its text and its provenance."""
    return {"document": queries.documents.documents.detailed(document)}
