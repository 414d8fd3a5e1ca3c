"""Rule previews and rule runs over JSON."""

from typing import Any

import marshmallow as ma

from webapp import queries, services
from webapp.queries.rules.candidates import CandidateFilters
from webapp.schemas.base import WARNINGS
from webapp.schemas.paging import changing, listing, wrapped
from webapp.schemas.rules.rules import RuleInputSchema
from webapp.schemas.rules.runs import (
    ApplySchema,
    LineSelectionSchema,
    PreviewAnswerSchema,
    PreviewQuerySchema,
    RunQuerySchema,
    RunSchema,
    RunUndoResultSchema,
    UnsavedPreviewQuerySchema,
)
from webapp.schemas.untrusted import Untrusted
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

AppliedSchema = wrapped(
    "run", RunSchema, title="AppliedRun", warnings=ma.fields.List(Untrusted(), metadata=WARNINGS)
)
bp = Blueprint("api_rule_runs", __name__, url_prefix="/api/automations", description="Rule previews and runs")


@bp.post("/rules/preview")
@requires("read", begins=False, is_heavy=True)
@bp.arguments(RuleInputSchema)
@bp.arguments(UnsavedPreviewQuerySchema, location="query")
@bp.response(200, PreviewAnswerSchema)
def preview_unsaved(body: dict[str, Any], query: dict[str, Any]) -> dict[str, Any]:
    """Preview a rule on past lines before it is stored; nothing is written."""
    requests.begin_reading(organization_id())
    replaced = query.pop("rule_id")
    stored = None if replaced is None else queries.rules.rules.get(organization_id(), replaced)
    return _preview(queries.rules.previews.unsaved(organization_id(), body, stored), query)


@bp.post("/rules/<id:rule_id>/preview")
@requires("read", begins=False, is_heavy=True)
@bp.arguments(PreviewQuerySchema, location="query")
@bp.response(200, PreviewAnswerSchema)
def preview(query: dict[str, Any], rule_id: int) -> dict[str, Any]:
    """Preview a stored rule on past lines; nothing is written."""
    requests.begin_reading(organization_id())
    return _preview(queries.rules.rules.get(organization_id(), rule_id), query)


@bp.post("/rules/<id:rule_id>/apply")
@requires("draft", is_heavy=True)
@bp.arguments(ApplySchema)
@bp.arguments(LineSelectionSchema, location="query")
@bp.response(200, changing(AppliedSchema))
def apply(body: dict[str, Any], selection: dict[str, Any], rule_id: int) -> dict[str, Any]:
    """Apply a rule to past lines exactly as previewed."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    run = services.rules.runs.apply(rule, body["digest"], CandidateFilters(**selection), **acting())
    put_elsewhere = queries.transactions.doubts.of_runs(organization_id(), [run.id])
    warnings = [sentence for _, sentence in put_elsewhere]
    return {"run": run, **({"warnings": warnings} if warnings else {})}


@bp.get("/runs")
@requires("read")
@bp.arguments(RunQuerySchema, location="query")
@bp.response(200, listing("runs", RunSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List rule runs, newest first."""
    return paging.listed("runs", "i", query, queries.rules.runs.listed)


@bp.post("/runs/<id:run_id>/undo")
@requires("draft", is_heavy=True)
@bp.response(200, changing(RunUndoResultSchema))
def undo(run_id: int) -> Any:
    """Undo a rule run: restore its fields, unless somebody has changed them since."""
    return services.rules.run_undos.undo(queries.rules.runs.get(organization_id(), run_id), **acting())


def _preview(rule: Any, query: dict[str, Any]) -> dict[str, Any]:
    limit, after = query.pop("limit"), paging.decode(query.pop("cursor"), "i")
    found = queries.rules.previews.preview(
        organization_id(), rule, CandidateFilters(**query), after=after, limit=limit
    )
    return {"preview": found, "next_cursor": paging.encode(found.next_key)}
