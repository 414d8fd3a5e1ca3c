"""Rules that people's confirmations suggest, over JSON."""

from __future__ import annotations

from typing import Any

from webapp import queries, services
from webapp.schemas.paging import OkSchema, PageSchema, listing, wrapped
from webapp.schemas.rules.suggestions import DismissalSchema, RuleSuggestionSchema, SuggestionKeySchema
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint(
    "api_rule_suggestions",
    __name__,
    url_prefix="/api/automations/suggestions",
    description="Rules that confirmations suggest",
)


@bp.get("")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("suggestions", RuleSuggestionSchema))
def listed(asked: dict[str, Any]) -> dict[str, Any]:
    """List rules that would do what people always did with lines of the same text, that with most lines first."""
    after = paging.decode(asked.pop("cursor"), "is")
    return paging.answer(
        "suggestions", queries.suggestions.rule_suggestions.listed(organization_id(), after=after, **asked)
    )


@bp.get("/dismissals")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("dismissals", DismissalSchema))
def dismissals(asked: dict[str, Any]) -> dict[str, Any]:
    """List the suggestions that somebody did not want, newest first."""
    after = paging.decode(asked.pop("cursor"), "i")
    return paging.answer(
        "dismissals", queries.suggestions.rule_suggestions.dismissals(organization_id(), after=after, **asked)
    )


@bp.post("/dismiss")
@requires("draft", begins=False)
@bp.arguments(SuggestionKeySchema)
@bp.response(200, wrapped("dismissal", DismissalSchema))
def dismiss(body: dict[str, str]) -> dict[str, Any]:
    """Suggest a rule no more, until twice as many lines speak for it."""
    suggestion = requests.ask_first(
        organization_id(), lambda: queries.suggestions.rule_suggestions.get(organization_id(), body["key"])
    )
    return {"dismissal": services.rules.suggestions.dismiss(suggestion, **acting())}


@bp.post("/undismiss")
@requires("draft")
@bp.arguments(SuggestionKeySchema)
@bp.response(200, OkSchema)
def undismiss(body: dict[str, str]) -> dict[str, bool]:
    """Suggest a dismissed rule again."""
    services.rules.suggestions.undismiss(
        queries.suggestions.rule_suggestions.dismissal(organization_id(), body["key"]), **acting()
    )
    return {"ok": True}
