"""Bank lines over JSON."""

from dataclasses import replace
from typing import Any

import marshmallow as ma
from flask import Response

from webapp import queries, services
from webapp.queries.suggestions.document_bookings import ChosenAccounts
from webapp.queries.transactions.line_lists import TransactionFilters
from webapp.schemas.audit.action_requests import ActionResultSchema, BulkResultsSchema
from webapp.schemas.base import WARNINGS
from webapp.schemas.documents.bookings import SplitByDocumentSchema
from webapp.schemas.documents.documents import LineDocumentsSchema
from webapp.schemas.items import LinePaymentsSchema
from webapp.schemas.paging import OkSchema, changing, wrapped
from webapp.schemas.transactions.transactions import (
    BulkEditResultsSchema,
    ConfirmManySchema,
    ConfirmSchema,
    TransactionChangesManySchema,
    TransactionChangesSchema,
    TransactionListSchema,
    TransactionQuerySchema,
    TransactionStorySchema,
)
from webapp.schemas.untrusted import Untrusted
from webapp.services.audit.results import ActionResult, WarnedResult
from webapp.services.transactions.changed_legs import LineChanges
from webapp.web import downloads, paging
from webapp.web.access import selections
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_transactions", __name__, url_prefix="/api/transactions", description="Bank lines")
AnswerSchema = wrapped("transaction", TransactionStorySchema)
EditedSchema = wrapped(
    "transaction",
    TransactionStorySchema,
    title="EditedTransaction",
    warnings=ma.fields.List(Untrusted(), metadata=WARNINGS),
)


@bp.get("")
@requires("read")
@bp.arguments(TransactionQuerySchema, location="query")
@bp.response(200, TransactionListSchema)
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List bank lines, newest first."""
    limit, after = query.pop("limit"), paging.decode(query.pop("cursor"), "di")
    with_sums, line_lists = query.pop("sums"), queries.transactions.line_lists
    filters, since = TransactionFilters(**query), selections.changed_since()
    page = line_lists.listed(organization_id(), filters, changed_since=since, after=after, limit=limit)
    records = queries.transactions.pending_corrections.with_changes(organization_id(), page.items)
    answered = paging.answer("transactions", page.of(records))
    names, likely = selections.includes("names"), selections.includes("likely")
    if names or likely:
        extended = queries.transactions.named_lines.extended
        answered["transactions"] = extended(organization_id(), records, names=names, likely=likely)
    if with_sums:
        answered["sums"] = line_lists.sums(organization_id(), filters, changed_since=since)
    return answered


@bp.get("/<id:transaction_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(transaction_id: int) -> dict[str, Any]:
    """Read one bank line."""
    return answer(transaction_id)


@bp.get("/<id:transaction_id>/payments")
@requires("read")
@bp.response(200, wrapped("payments", LinePaymentsSchema))
def payments(transaction_id: int) -> dict[str, Any]:
    """Get the open items that a bank line may pay, with the evidence, and whether anything else fits."""
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    return {"payments": queries.items.payment_choices.of_line(line)}


@bp.get("/<id:transaction_id>/documents")
@requires("read")
@bp.response(200, wrapped("documents", LineDocumentsSchema))
def documents(transaction_id: int) -> dict[str, Any]:
    """List the documents that may belong to a bank line and are attached to nothing, the best evidence first."""
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    return {"documents": {"choices": queries.documents.candidates.documents_of_line(line)}}


@bp.get("/<id:transaction_id>/file")
@requires("read")
@bp.response(200, **downloads.FILE)
def file(transaction_id: int) -> Response:
    """Download what brought a line: the bank's file, or the pushed batch as its provider sent it."""
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    bank_files = queries.imports.bank_files
    return downloads.attachment(*bank_files.require(bank_files.of_line(line)))


@bp.patch("/<id:transaction_id>")
@requires("draft")
@bp.arguments(TransactionChangesSchema)
@bp.response(200, changing(EditedSchema))
def edit(changes: LineChanges, transaction_id: int) -> dict[str, Any]:
    """Change a line's entry; of a posted one, prepare a correction: `pendingChange`, which confirming writes."""
    transaction = queries.transactions.transactions.get(organization_id(), transaction_id)
    done = services.transactions.edits.edit(transaction, changes, **acting())
    return edited(transaction_id, done)


@bp.post("/<id:transaction_id>/splits")
@requires("draft")
@bp.arguments(SplitByDocumentSchema)
@bp.response(200, changing(EditedSchema))
def split_by_document(body: dict[str, Any], transaction_id: int) -> dict[str, Any]:
    """Split a bank line by the VAT breakdown of the document that it pays; of a posted one, prepare a correction."""
    transaction = queries.transactions.transactions.get(organization_id(), transaction_id)
    document_id, force = body.pop("document_id"), body.pop("force")
    split = services.bookkeeping.document_bookings.split
    done = split(transaction, document_id, ChosenAccounts(**body), force=force, **acting())
    return edited(transaction_id, done)


@bp.patch("")
@requires("draft", is_heavy=True)
@bp.arguments(TransactionChangesManySchema)
@bp.response(200, changing(BulkEditResultsSchema))
def edit_many(body: dict[str, Any]) -> dict[str, Any]:
    """Change several lines' entries, one result for each; of posted ones, prepare corrections."""
    results = services.transactions.bulk_edits.bulk_edit(organization_id(), body["changes"], **acting())
    done = [each.id for each in results if each.status == "EXECUTED"]
    pending = queries.transactions.pending_corrections.of_lines(organization_id(), done)
    return {"results": [replace(each, pending_change=pending.get(each.id)) for each in results]}


@bp.delete("/<id:transaction_id>")
@requires("draft")
@bp.response(200, changing(OkSchema))
def delete(transaction_id: int) -> dict[str, bool]:
    """Delete a line and its draft; it can be restored."""
    services.transactions.lifecycle.delete(
        queries.transactions.transactions.get(organization_id(), transaction_id), **acting()
    )
    return {"ok": True}


@bp.post("/<id:transaction_id>/restore")
@requires("draft")
@bp.response(200, changing(AnswerSchema))
def restore(transaction_id: int) -> dict[str, Any]:
    """Restore a line that somebody deleted or the bank removed."""
    services.transactions.lifecycle.restore(
        queries.transactions.transactions.get(organization_id(), transaction_id), **acting()
    )
    return answer(transaction_id)


@bp.post("/<id:transaction_id>/confirm")
@requires("confirm", is_documented=True)
@bp.arguments(ConfirmSchema)
@bp.response(200, ActionResultSchema)
def confirm(body: dict[str, Any], transaction_id: int) -> ActionResult:
    """Finalize a transaction."""
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    # The interface document has no word on uncategorised lines, and its answer stays as it is.
    return services.transactions.lifecycle.confirm(line, anyway={"uncategorised"}, **body, **acting())


@bp.post("/confirm")
@requires("confirm", is_heavy=True)
@bp.arguments(ConfirmManySchema)
@bp.response(200, changing(BulkResultsSchema))
def confirm_many(body: dict[str, Any]) -> dict[str, Any]:
    """Finalize several transactions, one result for each; a call that would pass the key's cap is proposed whole."""
    return {"results": services.transactions.lifecycle.bulk_confirm(organization_id(), **body, **acting())}


def edited(transaction_id: int, done: ActionResult) -> dict[str, Any]:
    """The line as it is now, with what to look at once more, if anything."""
    if not isinstance(done, WarnedResult):
        return answer(transaction_id)
    return {**answer(transaction_id), "warnings": done.warnings, "warning_codes": done.warning_codes}


def answer(transaction_id: int) -> dict[str, Any]:
    """The line as it is now."""
    return {
        "transaction": queries.transactions.pending_corrections.detailed(
            queries.transactions.transactions.get(organization_id(), transaction_id)
        )
    }
