"""Automation rules over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.paging import OkSchema, PageSchema, changing, listing, wrapped
from webapp.schemas.rules.rules import (
    CreatedRuleSchema,
    RuleInputSchema,
    RuleQuerySchema,
    RuleReplacementSchema,
    RuleSchema,
    RuleVersionSchema,
)
from webapp.services.rules.rules import CreatedRule
from webapp.web import paging
from webapp.web.access import selections
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_rules", __name__, url_prefix="/api/automations/rules", description="Automation rules")
AnswerSchema = wrapped("rule", RuleSchema)


@bp.get("")
@requires("read")
@bp.arguments(RuleQuerySchema, location="query")
@bp.response(200, listing("rules", RuleSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List rules in the order in which they run."""
    return paging.listed(
        "rules", "ii", query, queries.rules.rules.listed, changed_since=selections.changed_since()
    )


@bp.post("")
@requires("draft", is_documented=True)
@bp.arguments(RuleInputSchema)
@bp.response(201, CreatedRuleSchema)
def create(body: dict[str, Any]) -> CreatedRule:
    """Create an automation rule."""
    return services.rules.rules.create(**body, **acting())


@bp.get("/<id:rule_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(rule_id: int) -> dict[str, Any]:
    """Read one automation rule."""
    return {"rule": queries.rules.rules.get(organization_id(), rule_id)}


@bp.get("/<id:rule_id>/versions")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("versions", RuleVersionSchema))
def versions(query: dict[str, Any], rule_id: int) -> dict[str, Any]:
    """List the versions of a rule, newest first, also after it was deleted."""
    return paging.listed("versions", "i", query, queries.rules.rules.versions, rule_id=rule_id)


@bp.put("/<id:rule_id>")
@requires("draft")
@bp.arguments(RuleReplacementSchema)
@bp.response(200, changing(AnswerSchema))
def replace(body: dict[str, Any], rule_id: int) -> dict[str, Any]:
    """Replace an automation rule."""
    return {
        "rule": services.rules.rules.replace(
            queries.rules.rules.get(organization_id(), rule_id), **body, **acting()
        )
    }


@bp.delete("/<id:rule_id>")
@requires("draft")
@bp.response(200, changing(OkSchema))
def delete(rule_id: int) -> dict[str, bool]:
    """Delete an automation rule."""
    services.rules.rules.delete(queries.rules.rules.get(organization_id(), rule_id), **acting())
    return {"ok": True}
