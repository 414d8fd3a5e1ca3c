"""Automation rules: stored whole and checked against the books; their engine reads them from there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict, Unpack

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.references import Kind, Ref
from webapp.ledger.rules.effects import VALUE_KEY, EffectKind
from webapp.ledger.rules.engine import Place, moved
from webapp.ledger.rules.fields import ID_FIELDS, ids_in
from webapp.ledger.rules.triggers import is_narrowed, never_runs, unread_names
from webapp.models import Account, Rule, RuleContent, RuleVersion, SuggestionDismissal
from webapp.models.base import Numbered
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.common.lookups import UnknownReferenceError
from webapp.queries.rules import rules
from webapp.queries.rules.names import MODELS
from webapp.queries.suggestions import rule_suggestions
from webapp.queries.suggestions.rule_suggestions import RuleSuggestion
from webapp.services.audit import titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import change, facts, payload

NARROWED = (
    "Parts of the conditions are unknown, so the rule would match more than intended. "
    "It is stored inactive; check it, then activate it."
)
UNCONDITIONAL = "This rule has no conditions, so it matches every line or document."
UNREAD = (
    "This rule has no conditions, and nothing is called {} here; were they meant? It would match everything, "
    "so it is stored inactive; send its conditions as `conditions`, or activate it."
)
FACTS = ("key", "account_id", "conditions", "evidence_count", "sentence")


class StaleRuleError(LedgerError):
    """Somebody changed this rule in the meantime; read it again and repeat your change."""

    code = "stale_version"


class EffectAccountError(UnprocessableError):
    """A rule cannot move lines to this account; choose another one."""

    code = "effect_account"


class RuleInput(TypedDict):
    """The content of a rule, with its conditions and effects as JSON."""

    name: str
    description: str | None
    target: str
    trigger: str
    conditions: dict[str, Any]
    effects: list[dict[str, Any]]
    priority: int
    stop_processing: bool


@dataclass(frozen=True, slots=True)
class CreatedRule:
    """A created rule, the ignored paths of its input, and warnings about it."""

    rule: Rule
    ignored: list[str]
    warnings: list[str]


def create(
    *,
    ignored: list[str] | None = None,
    is_active: bool | None = None,
    actor: Actor,
    now: datetime,
    **content: Unpack[RuleInput],
) -> CreatedRule:
    """Store a rule; where it would match more than was meant it is stored inactive, with a warning.

    So it is where a part of its conditions was ignored, or where it has none and something else was ignored.
    """
    is_wider, warnings = _reach(ignored or [], content["conditions"])
    title = f"Created the rule {content['name']}"
    with act(
        actor, now, "create_rule", ("rule", "new"), title=title, payload=payload(content, Rule)
    ) as doing:
        check_references(actor.organization_id, content["conditions"], content["effects"])
        rule = Rule(
            organization_id=actor.organization_id,
            **content,
            is_active=is_active is not False and not is_wider,
            created_at=now,
        )
        db.session.add(rule)
        db.session.flush()
        doing.target_id, doing.after = str(rule.id), facts(rule, RuleContent.FACTS)
        keep_version(rule, doing)
    idle = never_runs(content["target"], content["trigger"])
    return CreatedRule(rule, ignored or [], [*warnings, *([idle] if idle else [])])


def _reach(ignored: Sequence[str], conditions: Mapping[str, Any]) -> tuple[bool, list[str]]:
    """Return whether a rule matches more than was meant, and what to warn of."""
    if is_narrowed(ignored):
        return True, [NARROWED]
    if conditions["conditions"]:
        return False, []
    names = unread_names(ignored)
    if not names:
        return False, [UNCONDITIONAL]
    return True, [UNREAD.format(", ".join(names))]


def replace(
    rule: Rule,
    *,
    is_active: bool | None = None,
    version: int | None = None,
    actor: Actor,
    now: datetime,
    **content: Unpack[RuleInput],
) -> Rule:
    """Replace all of a rule; it gets the next version."""
    differing = {name: value for name, value in content.items() if getattr(rule, name) != value}
    if is_active is not None:
        differing["is_active"] = is_active
    title = titles.of_change("the rule", rule, differing)
    with act(
        actor, now, "update_rule", ("rule", rule.id), title=title, payload=payload(content, Rule)
    ) as doing:
        if version is not None and version != rule.version:
            raise StaleRuleError(details={"version": rule.version})
        check_references(actor.organization_id, content["conditions"], content["effects"])
        active = rule.is_active if is_active is None else is_active
        change(rule, {**content, "is_active": active}, doing)
        if not doing.is_void:
            next_version(rule, doing)
    return rule


def switch(rule: Rule, *, is_active: bool, actor: Actor, now: datetime) -> Rule:
    """Activate or deactivate a rule; it gets the next version."""
    title = f"Switched the rule {rule.name} {'on' if is_active else 'off'}"
    with act(actor, now, "update_rule", ("rule", rule.id), title=title) as doing:
        change(rule, {"is_active": is_active}, doing)
        if not doing.is_void:
            next_version(rule, doing)
    return rule


def move(rule: Rule, *, before_id: int | None, actor: Actor, now: datetime) -> Rule:
    """Move a rule directly before another one, or to the end; all priorities that this needs change in one act."""
    title = f"Moved the rule {rule.name} to the end"
    fields = {"beforeId": Ref.optional(Kind.RULE, before_id)}
    with act(actor, now, "move_rule", ("rule", rule.id), title=title, payload=fields) as doing:
        if before_id is not None:
            other = lookups.refer(Rule, actor.organization_id, before_id, "beforeId")
            doing.title = f"Moved the rule {rule.name} before {other.name}"
        ordered = rules.in_order(actor.organization_id)
        places = [Place(each.priority, each.id) for each in ordered]
        priorities = moved(places, rule.id, before_id)
        if not priorities:
            doing.nothing_to_do()
            return rule
        renumbered = [each for each in ordered if each.id in priorities]
        doing.before = _priorities(renumbered)
        for each in renumbered:
            each.priority = priorities[each.id]
            next_version(each, doing)
        doing.after = _priorities(renumbered)
    return rule


def _priorities(renumbered: list[Rule]) -> dict[str, object]:
    return {
        "priorities": [
            {"id": Ref(Kind.RULE, each.id), "name": each.name, "priority": each.priority}
            for each in renumbered
        ]
    }


def next_version(rule: Rule, doing: Act) -> None:
    """Store a changed rule as its next version."""
    rule.version += 1
    db.session.flush()
    keep_version(rule, doing)


def keep_version(rule: Rule, doing: Act) -> None:
    """Store the present content of a rule as a version, for good."""
    content = {name: getattr(rule, name) for name in (*RuleContent.FACTS, "version")}
    db.session.add(
        RuleVersion(
            organization_id=rule.organization_id,
            rule_id=rule.id,
            action_request_id=doing.id,
            created_at=doing.now,
            **content,
        )
    )
    db.session.flush()


def delete(rule: Rule, *, actor: Actor, now: datetime) -> None:
    """Delete a rule; what it did stays."""
    title = f"Deleted the rule {rule.name}"
    with act(actor, now, "delete_rule", ("rule", rule.id), title=title) as doing:
        doing.before = facts(rule, RuleContent.FACTS)
        db.session.delete(rule)
        db.session.flush()


def check_references(
    organization_id: str, conditions: Mapping[str, Any], effects: list[dict[str, Any]]
) -> None:
    """Refuse unknown ids, each at its path, and accounts that no line may be booked on."""
    named = [*_effect_ids(effects), *_condition_ids(conditions["conditions"])]
    problems: dict[str, list[str]] = {}
    for model in {model for _, model, _ in named}:
        unknown = rules.unknown_ids(
            model, organization_id, [row_id for _, its, row_id in named if its is model]
        )
        problems |= {
            path: ["There is nothing under this id."]
            for path, its, row_id in named
            if its is model and row_id in unknown
        }
    if problems:
        path = min(problems)
        raise UnknownReferenceError(f"{path}: {problems[path][0]}", fields=problems)
    closed = accounts.closed_to_counter_legs(organization_id)
    refused = {
        path: [closed[row_id]] for path, model, row_id in named if model is Account and row_id in closed
    }
    if refused:
        raise EffectAccountError(next(iter(refused.values()))[0], fields=refused)


def _effect_ids(effects: list[dict[str, Any]]) -> list[tuple[str, type[Numbered], int]]:
    return [
        (f"effects.{index}.{VALUE_KEY[kind]}", MODELS[VALUE_KEY[kind]], effect[VALUE_KEY[kind]])
        for index, effect in enumerate(effects)
        if VALUE_KEY.get(kind := EffectKind(effect["kind"])) in MODELS
    ]


def _condition_ids(conditions: list[dict[str, Any]]) -> list[tuple[str, type[Numbered], int]]:
    return [
        (f"conditions.conditions.{index}.value", MODELS[key], int(row_id))
        for index, condition in enumerate(conditions)
        if (key := ID_FIELDS.get(condition["field"]))
        for row_id in ids_in(condition["value"])
    ]


def dismiss(suggestion: RuleSuggestion, *, actor: Actor, now: datetime) -> SuggestionDismissal:
    """Dismiss a suggested rule, until twice as many lines support it."""
    title = f"Dismissed the suggested rule: {suggestion.sentence.rstrip('.')}"
    with act(actor, now, "dismiss_suggestion", ("suggestion", suggestion.key), title=title) as doing:
        dismissal = rule_suggestions.find_dismissal(actor.organization_id, suggestion.key)
        if dismissal is None:
            dismissal = SuggestionDismissal(organization_id=actor.organization_id, key=suggestion.key)
            db.session.add(dismissal)
        elif dismissal.evidence_count == suggestion.count:
            doing.nothing_to_do()
            return dismissal
        else:
            doing.before = facts(dismissal, FACTS)
        dismissal.account_id = suggestion.account_id
        dismissal.conditions = suggestion.rule["conditions"]["conditions"]
        dismissal.evidence_count = suggestion.count
        dismissal.sentence = suggestion.sentence
        dismissal.dismissed_by = actor.as_json()
        dismissal.dismissed_at = now
        db.session.flush()
        doing.after = facts(dismissal, FACTS)
    return dismissal


def undismiss(dismissal: SuggestionDismissal, *, actor: Actor, now: datetime) -> None:
    """Suggest a dismissed rule again, as long as its lines still support it."""
    title = f"Withdrew the dismissal of the suggested rule: {dismissal.sentence.rstrip('.')}"
    with act(actor, now, "undismiss_suggestion", ("suggestion", dismissal.key), title=title) as doing:
        doing.before = facts(dismissal, FACTS)
        db.session.delete(dismissal)
        db.session.flush()
