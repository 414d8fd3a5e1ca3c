"""The editor of a rule: a form with a live preview of the rule."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import Blueprint, Response, make_response, render_template, request, url_for

from webapp import queries, services
from webapp.ledger.rules.conditions import Operator
from webapp.ledger.rules.effects import VALUE_KEY, EffectKind
from webapp.ledger.rules.fields import Field
from webapp.pages.rules import forms
from webapp.pages.rules import rows as rule_rows
from webapp.pages.rules.effects import ShownPreview, shown_preview
from webapp.pages.rules.forms import RuleForm
from webapp.pages.rules.previews import lines_address, query_of
from webapp.pages.rules.rules import sentence
from webapp.schemas.addresses import NewRulePageSchema, RuleLinesPageSchema
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, principal, requires
from webapp.web.rendering import rule_wording
from webapp.web.rendering.htmx import is_htmx, redirect_to, render, render_parts
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

if TYPE_CHECKING:
    from webapp.models import Rule

TEMPLATE = "rules/form.html"

bp = Blueprint("rule_editor", __name__, url_prefix="/rules")


@bp.get("/new")
@requires("draft")
def new() -> Response:
    """Show an empty form, a copy of another rule, or a suggested rule."""
    query = NewRulePageSchema.read_leniently(request.query_string.decode())
    if query["suggestion"] is not None:
        return show_form(
            forms.of_input(
                queries.suggestions.rule_suggestions.filled(organization_id(), query["suggestion"])
            )
        )
    if query["copy"] is None:
        return show_form(prefilled(query))
    copied = forms.of_content(queries.rules.rules.get(organization_id(), query["copy"]), version=None)
    return show_form(replace(copied, name=f"{copied.name} (copy)"[:255]))


@bp.post("/new")
@requires("draft")
def create() -> Response:
    """Create a rule, or show the errors at their inputs."""
    form = forms.read()
    try:
        body = form.load()
        del body["version"]
        made = services.rules.rules.create(**body, **acting())
    except REFUSALS as error:
        return show_form(form, problem=problem_of(error))
    return redirect_to(after_saving(made.rule.id))


@bp.get("/<id:rule_id>")
@requires("read")
def show(rule_id: int) -> Response:
    """Show a rule in the editor, or its preview to members who may not change it."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    if "draft" not in principal().scopes:
        return redirect_to(url_for("rule_previews.show", rule_id=rule_id))
    return show_form(forms.of_content(rule, version=rule.version), rule=rule)


@bp.post("/<id:rule_id>")
@requires("draft")
def change(rule_id: int) -> Response:
    """Replace a rule, or show the errors at their inputs, or a conflicting change by somebody else."""
    rule = queries.rules.rules.get(organization_id(), rule_id)
    form = forms.read()
    try:
        services.rules.rules.replace(rule, **form.load(), **acting())
    except REFUSALS as error:
        problem = problem_of(error)
        return show_form(form, rule=queries.rules.rules.get(organization_id(), rule_id), problem=problem)
    return redirect_to(after_saving(rule_id))


@bp.post("/try", defaults={"rule_id": None})
@bp.post("/<id:rule_id>/try")
@requires("draft", begins=False, is_heavy=True)
def attempt(rule_id: int | None) -> Response:
    """Preview the form, with a row added or removed if requested; writes nothing."""
    _ = request.form  # read before the snapshot is opened, so that a slow sender holds none
    requests.begin_reading(organization_id())
    rule = None if rule_id is None else queries.rules.rules.get(organization_id(), rule_id)
    form = forms.read()
    rearrange(form)
    return show_form(form, rule=rule, is_unfinished=True)


def rearrange(form: RuleForm) -> None:
    """Add or remove the row of the pressed button."""
    if request.args.get("add") == "condition":
        form.conditions.append({"field": Field.ANY_TEXT.value, "operator": Operator.CONTAINS.value})
    elif request.args.get("add") == "effect":
        form.effects.append({"kind": EffectKind.SET_ACCOUNT.value})
    where, _, place = request.args.get("remove", "").rpartition(".")
    rows = {"conditions": form.conditions, "effects": form.effects}.get(where, [])
    if place.isascii() and place.isdigit() and int(place[:4]) < len(rows):
        del rows[int(place[:4])]


def prefilled(query: dict[str, Any]) -> RuleForm:
    """Fill a form with conditions and effects from the URL: a text, the direction, the bank account."""
    field = Field(query["field"]) if query["field"] in set(Field) else Field.ANY_TEXT
    operator = Operator(query["operator"]) if query["operator"] in set(Operator) else Operator.CONTAINS
    effects = [
        {"kind": kind.value, key: str(query[name])}
        for kind, name in (
            (EffectKind.SET_ACCOUNT, "account_id"),
            (EffectKind.SET_MERCHANT, "org_merchant_id"),
            (EffectKind.SET_PROJECT, "project_id"),
        )
        if query[name] is not None and (key := VALUE_KEY[kind])
    ]
    further = [
        {"field": each.value, "operator": Operator.EQUALS.value, "value": str(query[name])}
        for each, name in ((Field.DIRECTION, "direction"), (Field.FEED_ACCOUNT, "of_fa_id"))
        if query[name] is not None
    ]
    return RuleForm(
        name=query["name"] or "",
        conditions=[
            {"field": field.value, "operator": operator.value, "value": query["value"] or ""},
            *further,
        ],
        effects=effects or [{"kind": EffectKind.SET_ACCOUNT.value}],
    )


def after_saving(rule_id: int) -> str:
    """The URL after saving: the rule's preview if requested, the lines that somebody came from, or the list."""
    chosen = RuleLinesPageSchema.read_leniently_of(request.form)
    if request.form.get("applies"):
        lines = query_of(chosen)
        query = f"?{urlencode(lines)}" if lines else ""
        return url_for("rule_previews.show", rule_id=rule_id) + query
    return lines_address(chosen["back"]) or url_for("rules.index")


def show_form(
    form: RuleForm, *, rule: Rule | None = None, problem: Problem | None = None, is_unfinished: bool = False
) -> Response:
    """Render the form as it was typed, with its preview and its errors."""
    choices = rule_rows.choices(form.conditions, form.effects)
    query = RuleLinesPageSchema.read_leniently_of(request.values)
    wrong = dict(problem.fields) if problem else form.problems(is_unfinished=True) if is_unfinished else {}
    context: dict[str, Any] = {
        "form": form,
        "rule": rule,
        "rule_id": rule.id if rule else None,
        "conditions": [
            rule_rows.shown_condition(row, index, choices) for index, row in enumerate(form.conditions)
        ],
        "effects": [rule_rows.shown_effect(row, index, choices) for index, row in enumerate(form.effects)],
        "fields": rule_rows.fields_for(form.target),
        "triggers": rule_rows.triggers_of(form.target),
        "words": rule_wording,
        "feeds": choices["faId"],
        "has_codes": bool(choices["taxCodeId"]),
        "lines": query,
        "lines_address": lines_address(query["back"]),
        "found": preview_of(form, rule, query),
        "problem": problem,
        "wrong": wrong,
        "theirs": stored_rule(rule) if rule and problem and problem.code == "stale_version" else None,
    }
    if is_htmx() and is_unfinished:
        return make_response(parts_of(context))
    return render(TEMPLATE, **context)


def preview_of(form: RuleForm, rule: Rule | None, query: dict[str, Any]) -> ShownPreview:
    """Preview the form, unless none of its conditions is complete, which would match everything."""
    content = form.readable_content()
    if form.conditions and not content["conditions"]["conditions"]:
        return ShownPreview(problem="Enter a value to search for.")
    return shown_preview(queries.rules.previews.unsaved(organization_id(), content, rule), query)


def parts_of(context: dict[str, Any]) -> str:
    """The parts that are updated while somebody types; the rows only where one is added, removed or changed."""
    parts = {"found": "found", "saving": "saving"}
    if request.args:
        return render_parts(TEMPLATE, {"rows": "rows", **parts}, **context)
    notes: str = render_template("rules/_notes.html", **context)
    return render_parts(TEMPLATE, parts, **context) + notes


def stored_rule(rule: Rule) -> dict[str, Any]:
    """The rule as it is stored now, and its last change."""
    names = queries.rules.names.of_rules(organization_id(), [rule])
    page = queries.rules.rules.versions(organization_id(), rule.id, after=None, limit=1)
    made = queries.audit.action_requests.by_ids(
        organization_id(), [each.action_request_id for each in page.items]
    )
    return {"sentence": sentence(rule, names), "act": next(iter(made.values()), None)}
