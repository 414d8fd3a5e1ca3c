"""What a stored rule would do to the past, and applying it exactly so."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.pages.rules.effects import shown_preview
from webapp.pages.rules.rules import sentence
from webapp.queries.rule_decisions.candidates import Chosen
from webapp.schemas.addresses import RuleLinesPageSchema
from webapp.schemas.rules.runs import ApplyFormSchema
from webapp.web import progress
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import rule_wording
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("rule_previews", __name__, url_prefix="/rules")


@bp.get("/<id:rule_id>/preview")
@requires("read")
def show(rule_id: int) -> Response:
    """Show what a rule would do to the lines that are asked for."""
    return show_preview(rule_id, RuleLinesPageSchema.read_leniently(request.query_string.decode()))


@bp.post("/<id:rule_id>/apply")
@requires("draft")
def apply(rule_id: int) -> Response:
    """Apply a rule as its preview said, or show what it would do by now."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    lines = RuleLinesPageSchema.read_leniently_of(request.form)
    try:
        said = ApplyFormSchema().load(form_body())
        with progress.reporting_rule(rule_id) as report:
            run = services.rules.runs.apply(
                rule,
                said["digest"],
                Chosen(said["from_"], said["to"], said["fa_id"]),
                progress=report,
                **acting(),
            )
    except REFUSALS as error:
        return show_preview(rule_id, lines, problem_of(error))
    return redirect_to(url_for("rule_runs.show", run_id=run.id))


@bp.get("/<id:rule_id>/progress")
@requires("read")
def show_progress(rule_id: int) -> Response:
    """Show how far the applying of a rule is."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    return render("rules/progress.html", rule=rule, progress=progress.of_rule(rule_id))


def show_preview(rule_id: int, asked: dict[str, Any], problem: Problem | None = None) -> Response:
    """Render what a rule would do."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    return render(
        "rules/preview.html",
        status=problem.status if problem else 200,
        rule=rule,
        sentence=sentence(rule, queries.rules.names.of_rules(organization_id(), [rule])),
        words=rule_wording,
        lines=asked,
        keep=kept(asked),
        feeds=queries.accounts.choices.feed_accounts(organization_id()),
        found=shown_preview(rule, asked),
        problem=problem,
    )


def kept(asked: dict[str, Any]) -> dict[str, str]:
    """Give which lines are asked for, as they stand in the address."""
    named = {"from": asked["from_"], "to": asked["to"], "faId": asked["fa_id"]}
    return {name: str(value) for name, value in named.items() if value}
