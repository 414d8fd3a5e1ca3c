"""Suggested rules, each with its lines: turned into a rule, or dismissed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.schemas.rules.suggestions import SuggestionKeySchema, SuggestionsPageSchema
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import rule_wording
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back, redirect_to, render
from webapp.web.rendering.problems import Problem, problem_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from webapp.queries.suggestions.rule_suggestions import RuleSuggestion

bp = Blueprint("rule_suggestions", __name__, url_prefix="/rules/suggestions")

# A page that loads them as a part has the rules above them.
SHOWN, SHOWN_AS_PART, DISMISSED_SHOWN = 20, 5, 50


@bp.get("")
@requires("read", is_heavy=True)
def index() -> Response:
    """Show suggested and dismissed rules."""
    return show()


@bp.get("/best")
@requires("read")
def best() -> Response:
    """Show the best suggestion as a row of a page, which loads it afterwards; nothing where there is none."""
    if not is_htmx():
        return redirect_to(url_for("rule_suggestions.index"))
    suggestion = queries.suggestions.rule_suggestions.best(organization_id())
    if suggestion is None:
        return Response(status=204)
    return render("rules/suggestions/best.html", suggestion=suggestion)


@bp.post("/dismiss")
@requires("draft", begins=False, is_heavy=True)
def dismiss() -> Response:
    """Dismiss a suggestion."""
    key = SuggestionKeySchema().load(form_body())["key"]

    def act() -> None:
        suggestion = requests.query_first(
            organization_id(), lambda: queries.suggestions.rule_suggestions.get(organization_id(), key)
        )
        services.rules.rules.dismiss(suggestion, **acting())

    return decide(act)


@bp.post("/undismiss")
@requires("draft")
def undismiss() -> Response:
    """Restore a dismissed suggestion."""
    key = SuggestionKeySchema().load(form_body())["key"]
    return decide(
        lambda: services.rules.rules.undismiss(
            queries.suggestions.rule_suggestions.dismissal(organization_id(), key), **acting()
        )
    )


def decide(act: Callable[[], object]) -> Response:
    """Act on a suggestion, and go back to the list, or show the error above it."""
    try:
        act()
    except LedgerError as error:
        return show(problem=problem_of(error))
    return redirect_back(url_for("rule_suggestions.index"))


def sentence(suggestion: RuleSuggestion) -> str:
    """The suggested rule as a sentence."""
    names = {
        ("accountId", suggestion.account_id): suggestion.account_name,
        ("orgMerchantId", suggestion.org_merchant_id): suggestion.merchant_name,
        ("projectId", suggestion.project_id): suggestion.project_name,
    }
    present = {(key, row_id): name for (key, row_id), name in names.items() if row_id and name}
    conditions = suggestion.rule["conditions"]
    return rule_wording.sentence(
        conditions["match"], conditions["conditions"], suggestion.rule["effects"], present
    )


def show(*, problem: Problem | None = None) -> Response:
    """Render the list."""
    query: dict[str, Any] = SuggestionsPageSchema().load(request.args if request.method == "GET" else {})
    limit = SHOWN_AS_PART if is_htmx() else SHOWN
    page = queries.suggestions.rule_suggestions.listed(
        organization_id(), after=paging.decode(query["cursor"], "is"), limit=limit
    )
    return render(
        "rules/suggestions/index.html",
        suggestions=page.items,
        sentences={each.key: sentence(each) for each in page.items},
        next_cursor=paging.encode(page.next_key),
        dismissals=queries.suggestions.rule_suggestions.dismissals(
            organization_id(), limit=DISMISSED_SHOWN
        ).items,
        problem=problem,
    )
