"""Suggested rules over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.paging import OkSchema, PageSchema, changing, listing, wrapped
from webapp.schemas.rules.suggestions import DismissalSchema, RuleSuggestionSchema, SuggestionKeySchema
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint(
    "api_rule_suggestions",
    __name__,
    url_prefix="/api/automations/suggestions",
    description="Suggested rules",
)


@bp.get("")
@requires("read", is_heavy=True)
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("suggestions", RuleSuggestionSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List rules that confirmed lines of the same text suggest, the one with most lines first."""
    return paging.listed("suggestions", "is", query, queries.suggestions.rule_suggestions.listed)


@bp.get("/dismissals")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("dismissals", DismissalSchema))
def dismissals(query: dict[str, Any]) -> dict[str, Any]:
    """List dismissed suggestions, newest first."""
    return paging.listed("dismissals", "i", query, queries.suggestions.rule_suggestions.dismissals)


@bp.post("/dismiss")
@requires("draft", begins=False, is_heavy=True)
@bp.arguments(SuggestionKeySchema)
@bp.response(200, changing(wrapped("dismissal", DismissalSchema)))
def dismiss(body: dict[str, str]) -> dict[str, Any]:
    """Dismiss a suggestion until twice as many lines support it; a repeat changes nothing."""
    suggestion = requests.query_first(
        organization_id(), lambda: queries.suggestions.rule_suggestions.find(organization_id(), body["key"])
    )
    if suggestion is None:
        return {"dismissal": queries.suggestions.rule_suggestions.dismissal(organization_id(), body["key"])}
    return {"dismissal": services.rules.rules.dismiss(suggestion, **acting())}


@bp.post("/undismiss")
@requires("draft")
@bp.arguments(SuggestionKeySchema)
@bp.response(200, changing(OkSchema))
def undismiss(body: dict[str, str]) -> dict[str, bool]:
    """Restore a dismissed suggestion."""
    services.rules.rules.undismiss(
        queries.suggestions.rule_suggestions.dismissal(organization_id(), body["key"]), **acting()
    )
    return {"ok": True}
