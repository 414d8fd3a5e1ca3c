"""The preview of a stored rule on past lines, and applying it as previewed."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.pages.rules.effects import shown_preview
from webapp.pages.rules.rules import sentence
from webapp.queries.rules.candidates import CandidateFilters
from webapp.schemas.addresses import RuleLinesPageSchema
from webapp.schemas.rules.runs import ApplyFormSchema
from webapp.web import progress
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import rule_wording
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

# The digits of an id, and one more.
LONGEST_ID = 19

bp = Blueprint("rule_previews", __name__, url_prefix="/rules")


@bp.get("/<id:rule_id>/preview")
@requires("read", is_heavy=True)
def show(rule_id: int) -> Response:
    """Show the preview of a rule."""
    return show_preview(rule_id, RuleLinesPageSchema.read_leniently(request.query_string.decode()))


@bp.post("/<id:rule_id>/apply")
@requires("draft", is_heavy=True)
def apply(rule_id: int) -> Response:
    """Apply a rule as previewed, or show the error with a new preview."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    lines = RuleLinesPageSchema.read_leniently_of(request.form)
    try:
        body = ApplyFormSchema().load(form_body())
        with progress.reporting_rule(rule_id) as report:
            run = services.rules.runs.apply(
                rule,
                body["digest"],
                CandidateFilters(body["from_"], body["to"], body["fa_id"]),
                progress=report,
                **acting(),
            )
    except REFUSALS as error:
        return show_preview(rule_id, lines, problem_of(error))
    address = url_for("rule_runs.show", run_id=run.id)
    return redirect_to(f"{address}?{urlencode({'back': lines['back']})}" if lines["back"] else address)


@bp.get("/<id:rule_id>/progress")
@requires("read")
def show_progress(rule_id: int) -> Response:
    """Show the progress of applying a rule."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    return render("rules/progress.html", rule=rule, progress=progress.of_rule(rule_id))


def show_preview(rule_id: int, query: dict[str, Any], problem: Problem | None = None) -> Response:
    """Render the preview of a rule."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    return render(
        "rules/preview.html",
        rule=rule,
        sentence=sentence(rule, queries.rules.names.of_rules(organization_id(), [rule])),
        words=rule_wording,
        lines=query,
        keep=query_of(query),
        is_narrowed=any(query[name] for name in ("from_", "to", "fa_id")),
        lines_address=lines_address(query["back"]),
        feeds=queries.accounts.choices.feed_accounts(organization_id()),
        found=shown_preview(rule, query),
        problem=problem,
    )


def query_of(query: dict[str, Any]) -> dict[str, str]:
    """The selection of lines as parameters of the URL."""
    parameters = {"from": query["from_"], "to": query["to"], "faId": query["fa_id"], "back": query["back"]}
    return {name: str(value) for name, value in parameters.items() if value}


def lines_address(back: str | None) -> str | None:
    """The page of the lines that somebody came from, with its filters and selection; None from elsewhere.

    Only the query is the sender's, so that it never leads to another page.
    """
    fa_id, _, query = (back or "").partition("?")
    if not (fa_id.isascii() and fa_id.isdigit() and len(fa_id) < LONGEST_ID):
        return None
    return f"{url_for('feed_accounts.show', fa_id=int(fa_id))}?{urlencode(parse_qsl(query))}"
