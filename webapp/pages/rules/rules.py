"""The rules in the order in which they run: moved, switched on or off, deleted, and their versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.addresses import VersionsPageSchema
from webapp.schemas.rules.rules import MoveFormSchema, SwitchFormSchema
from webapp.web import paging
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import rule_wording
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back, redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

if TYPE_CHECKING:
    from webapp.models.rules import RuleContent
    from webapp.queries.rules.names import Names

TEMPLATE = "rules/index.html"

bp = Blueprint("rules", __name__, url_prefix="/rules")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the rules in the order in which they run."""
    return show_list()


@bp.post("/<id:rule_id>/move")
@requires("draft")
def move(rule_id: int) -> Response:
    """Move a rule before another one, or to the end."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    try:
        services.rules.rules.move(rule, **MoveFormSchema().load(form_body()), **acting())
    except REFUSALS as error:
        return show_list(problem_of(error, place="list"))
    return show_list() if is_htmx() else redirect_back(url_for("rules.index"))


@bp.post("/<id:rule_id>/switch")
@requires("draft")
def switch(rule_id: int) -> Response:
    """Switch a rule on or off."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    try:
        services.rules.rules.switch(rule, **SwitchFormSchema().load(form_body()), **acting())
    except REFUSALS as error:
        return show_list(problem_of(error, place="list"))
    return show_list() if is_htmx() else redirect_back(url_for("rules.index"))


@bp.post("/<id:rule_id>/delete")
@requires("draft")
def delete(rule_id: int) -> Response:
    """Delete a rule; its changes remain."""
    services.rules.rules.delete(queries.rules.rules.get(organization_id(), rule_id), **acting())
    return redirect_to(url_for("rules.index"))


@bp.get("/<id:rule_id>/versions")
@requires("read")
def versions(rule_id: int) -> Response:
    """Show the versions of a rule, also after it was deleted."""
    query = VersionsPageSchema.read_leniently(request.query_string.decode())
    after = paging.decode(query.pop("cursor"), "i")
    page = queries.rules.rules.versions(organization_id(), rule_id, after=after, **query)
    names = queries.rules.names.of_rules(organization_id(), page.items)
    acts = queries.audit.action_requests.by_ids(
        organization_id(), [each.action_request_id for each in page.items]
    )
    return render(
        "rules/versions.html",
        rule_id=rule_id,
        rule=queries.rules.rules.find(organization_id(), rule_id),
        versions=[{"version": each, "sentence": sentence(each, names)} for each in page.items],
        acts=acts,
        words=rule_wording,
        next_cursor=paging.encode(page.next_key),
    )


def show_list(problem: Problem | None = None) -> Response:
    """Render the rules, with an error if there is one."""
    return render(
        TEMPLATE,
        rules=shown(),
        words=rule_wording,
        problem=problem,
    )


def shown() -> list[dict[str, Any]]:
    """The rules in order, each with its sentence and the ids to move it before for a move up or down."""
    rules = queries.rules.rules.in_order(organization_id())
    names = queries.rules.names.of_rules(organization_id(), rules)
    return [
        {
            "rule": rule,
            "sentence": sentence(rule, names),
            "up": _id_at(rules, index - 1),
            "down": _id_at(rules, index + 2),
        }
        for index, rule in enumerate(rules)
    ]


def sentence(rule: RuleContent, names: Names) -> str:
    """A rule as a sentence."""
    conditions = rule.conditions
    effects = sorted(rule.effects, key=lambda effect: int(effect["sortOrder"]))
    return rule_wording.sentence(conditions["match"], conditions["conditions"], effects, names)


def _id_at(rules: Sequence[Any], index: int) -> int | None:
    return rules[index].id if 0 <= index < len(rules) else None
