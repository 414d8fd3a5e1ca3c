"""What rules would do and what they did, over JSON."""

from __future__ import annotations

from typing import Any

from webapp import queries, services
from webapp.queries.rule_decisions.candidates import Chosen
from webapp.schemas.paging import listing, wrapped
from webapp.schemas.rules.rules import RuleInputSchema
from webapp.schemas.rules.runs import (
    ApplySchema,
    ChosenLinesSchema,
    PreviewAnswerSchema,
    PreviewQuerySchema,
    RunQuerySchema,
    RunSchema,
    UndoneSchema,
    UnsavedPreviewQuerySchema,
)
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_rule_runs", __name__, url_prefix="/api/automations", description="What rules do")


@bp.post("/rules/preview")
@requires("read", begins=False)
@bp.arguments(RuleInputSchema)
@bp.arguments(UnsavedPreviewQuerySchema, location="query")
@bp.response(200, PreviewAnswerSchema)
def preview_unsaved(body: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    """Tell what a rule would do to the past before it is stored; nothing is written."""
    requests.begin_reading(organization_id())
    replaced = asked.pop("rule_id")
    stored = None if replaced is None else queries.rules.rules.get(organization_id(), replaced)
    return _preview(queries.rule_decisions.previews.unsaved(organization_id(), body, stored), asked)


@bp.post("/rules/<id:rule_id>/preview")
@requires("read", begins=False)
@bp.arguments(PreviewQuerySchema, location="query")
@bp.response(200, PreviewAnswerSchema)
def preview(asked: dict[str, Any], rule_id: int) -> dict[str, Any]:
    """Tell what a stored rule would do to the past; nothing is written."""
    requests.begin_reading(organization_id())
    return _preview(queries.rules.rules.get(organization_id(), rule_id), asked)


@bp.post("/rules/<id:rule_id>/apply")
@requires("draft")
@bp.arguments(ApplySchema)
@bp.arguments(ChosenLinesSchema, location="query")
@bp.response(200, wrapped("run", RunSchema))
def apply(body: dict[str, Any], chosen: dict[str, Any], rule_id: int) -> dict[str, Any]:
    """Let a rule change the past exactly as its preview said."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    return {"run": services.rules.runs.apply(rule, body["digest"], Chosen(**chosen), **acting())}


@bp.get("/runs")
@requires("read")
@bp.arguments(RunQuerySchema, location="query")
@bp.response(200, listing("runs", RunSchema))
def listed(asked: dict[str, Any]) -> dict[str, Any]:
    """List what rules did, newest first."""
    after = paging.decode(asked.pop("cursor"), "i")
    return paging.answer("runs", queries.rules.runs.listed(organization_id(), after=after, **asked))


@bp.post("/runs/<id:run_id>/undo")
@requires("draft")
@bp.response(200, UndoneSchema)
def undo(run_id: int) -> Any:
    """Put back what a run set, field by field, unless somebody has changed it since."""
    return services.rules.run_undos.undo(queries.rules.runs.get(organization_id(), run_id), **acting())


def _preview(rule: Any, asked: dict[str, Any]) -> dict[str, Any]:
    limit, after = asked.pop("limit"), paging.decode(asked.pop("cursor"), "i")
    found = queries.rule_decisions.previews.preview(
        organization_id(), rule, Chosen(**asked), after=after, limit=limit
    )
    return {"preview": found, "next_cursor": paging.encode(found.next_key)}
