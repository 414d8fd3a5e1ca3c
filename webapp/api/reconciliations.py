"""Reconciliation over JSON: the hub, drafts and proofs."""

from typing import Any

import marshmallow as ma
from flask import Response

from webapp import queries, services
from webapp.ledger.canonical import canonical_json
from webapp.queries.reconciliation.proof_lists import ProofFilters
from webapp.schemas.paging import OkSchema, changing, listing, wrapped
from webapp.schemas.reconciliation.hub import HubAccountAnswerSchema, HubQuerySchema, HubSchema
from webapp.schemas.reconciliation.reconciliations import (
    AcceptSchema,
    AccountLinesQuerySchema,
    AccountLinesSchema,
    ClearedAnswerSchema,
    CompleteSchema,
    CompletionWarningSchema,
    DraftAnswerSchema,
    DraftInputSchema,
    LinesInputSchema,
    ProofQuerySchema,
    ProofSchema,
    ReconciliationSchema,
    ReopenSchema,
)
from webapp.services.reconciliation.cleared_items import ClearingChoice
from webapp.services.reconciliation.drafts import StatementInput
from webapp.web import paging
from webapp.web.access import selections, versions
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint(
    "api_reconciliations", __name__, url_prefix="/api/reconciliations", description="Reconciliation"
)
AnswerSchema = wrapped("reconciliation", ReconciliationSchema)
CompletedSchema = wrapped(
    "reconciliation",
    ReconciliationSchema,
    title="CompletedReconciliation",
    warnings=ma.fields.List(ma.fields.Nested(CompletionWarningSchema)),
)
ANSWER = AnswerSchema()


@bp.get("")
@requires("read")
@bp.arguments(ProofQuerySchema, location="query")
@bp.response(200, listing("reconciliations", ProofSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List proofs with whether they hold and what broke them, the latest statement first."""
    proofs = queries.reconciliation.proof_lists.listed
    return paging.listed("reconciliations", "di", query, proofs, filters=ProofFilters)


@bp.get("/accounts")
@requires("read", is_documented=True)
@bp.arguments(HubQuerySchema, location="query")
@bp.response(200, HubSchema)
def hub(query: dict[str, Any]) -> dict[str, Any]:
    """List every active feed account with its last proof, its open draft and its status."""
    return {
        "accounts": queries.reconciliation.hub.accounts(
            organization_id(), as_of=query["provider_balance_as_of"]
        ),
        "watched": queries.transfers.watched.watched(organization_id()),
    }


@bp.get("/accounts/<id:fa_id>")
@requires("read")
@bp.arguments(AccountLinesQuerySchema, location="query")
@bp.response(200, AccountLinesSchema)
def read_account(query: dict[str, Any], fa_id: int) -> dict[str, Any]:
    """Read an account and the lines of its draft, or else of its last proof, newest first."""
    after = paging.decode(query["cursor"], "dii")
    account = queries.reconciliation.hub.account(
        organization_id(), fa_id, as_of=query["provider_balance_as_of"]
    )
    lines = queries.reconciliation.reconciliations.lines(
        organization_id(), fa_id, after=after, limit=query["limit"]
    )
    return {"account": account, **paging.answer("lines", lines)}


@bp.put("/accounts/<id:fa_id>/draft")
@requires("reconcile")
@bp.arguments(DraftInputSchema)
@bp.response(200, changing(DraftAnswerSchema))
def put_draft(body: dict[str, Any], fa_id: int) -> dict[str, Any]:
    """Open the account's draft, or change its inputs; answers with what it uncleared, and what is odd about it."""
    account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    version = body.pop("version")
    body["keeps_document"] = "document_id" not in body
    change = services.reconciliation.drafts.put_draft(
        account, StatementInput(**body), version=version, **acting()
    )
    return {
        **answer(fa_id),
        "uncleared": change.uncleared,
        "uncleared_entries": change.uncleared_entries,
        "warnings": queries.reconciliation.next_statements.warnings(account, change.draft),
    }


@bp.put("/accounts/<id:fa_id>/draft/lines")
@requires("reconcile")
@bp.arguments(LinesInputSchema)
@bp.response(200, changing(ClearedAnswerSchema))
def put_lines(body: dict[str, Any], fa_id: int) -> dict[str, Any]:
    """Clear and unclear items in the account's draft, all or nothing; with `oneByOne` one result for each."""
    account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    version, is_one_by_one = body.pop("version"), body.pop("one_by_one")
    choice, by = ClearingChoice(**body), {"version": version, **acting()}
    if is_one_by_one:
        results = services.reconciliation.cleared_items.bulk_put_items(account, choice, **by)
        return {**answer(fa_id), "results": results}
    services.reconciliation.cleared_items.put_items(account, choice, **by)
    return answer(fa_id)


@bp.post("/accounts/<id:fa_id>/complete")
@requires("reconcile")
@bp.arguments(CompleteSchema)
@bp.response(200, changing(CompletedSchema))
def complete(body: dict[str, Any], fa_id: int) -> dict[str, Any]:
    """Complete the account's draft as a proof; warns about outstanding items that are old or equal the opening."""
    account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    proof = services.reconciliation.proofs.complete(account, **body, **acting())
    return {
        "reconciliation": queries.reconciliation.records.record(proof),
        "warnings": queries.reconciliation.panels.of_proof(proof),
    }


@bp.post("/accounts/<id:fa_id>/reopen")
@requires("reconcile")
@bp.arguments(ReopenSchema)
@bp.response(200, changing(HubAccountAnswerSchema))
def reopen(body: dict[str, Any], fa_id: int) -> dict[str, Any]:
    """Reopen the account's newest proof, or all down to the named one, as a draft with its figures."""
    services.reconciliation.reopenings.reopen(
        queries.accounts.feed_accounts.get(organization_id(), fa_id), **body, **acting()
    )
    return answer(fa_id)


@bp.post("/accounts/<id:fa_id>/accept")
@requires("reconcile")
@bp.arguments(AcceptSchema)
@bp.response(200, changing(AnswerSchema))
def accept(body: dict[str, Any], fa_id: int) -> dict[str, Any]:
    """Accept a broken proof: complete its statement again with the items as they are now."""
    account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    proof = services.reconciliation.reopenings.accept(account, **body, **acting())
    return {"reconciliation": queries.reconciliation.records.record(proof)}


@bp.post("/accounts/<id:fa_id>/abandon")
@requires("reconcile", is_documented=True)
@bp.response(200, OkSchema)
def abandon(fa_id: int) -> dict[str, bool]:
    """Discard the account's open draft; proofs are not changed."""
    services.reconciliation.drafts.abandon(
        queries.accounts.feed_accounts.get(organization_id(), fa_id), **acting()
    )
    return {"ok": True}


@bp.get("/<id:reconciliation_id>")
@requires("read")
@bp.response(200, ANSWER)
def read(reconciliation_id: int) -> Response:
    """Read a draft or proof in full, as canonical JSON: sorted keys, no spaces, UTF-8."""
    found = queries.reconciliation.reconciliations.get(organization_id(), reconciliation_id)
    whole = {"reconciliation": queries.reconciliation.records.record(found)}
    versions.note_of_part(read, whole)
    written = selections.selected(ANSWER).dump(whole)
    return Response(canonical_json(written), mimetype="application/json")


def answer(fa_id: int) -> dict[str, Any]:
    """The account as it is now."""
    return {"account": queries.reconciliation.hub.account(organization_id(), fa_id)}
