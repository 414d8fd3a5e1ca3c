"""The inverses of acts on rules."""

from typing import Any

from webapp.ledger.canonical import camel
from webapp.models import ActionRequest, Rule, RuleContent
from webapp.queries.rules import rules as rule_queries
from webapp.queries.rules import runs
from webapp.services.audit.field_changes import facts
from webapp.services.rules import rules, run_undos
from webapp.services.undo.reasons import ChangedSinceError, Undoing, require_same

NAMES = {camel(name): name for name in RuleContent.FACTS}


def uncreate(undoing: Undoing, request: ActionRequest) -> str:
    """Delete a rule that was made."""
    rule = _rule(undoing, request)
    require_same(facts(rule, RuleContent.FACTS), request.after)
    rules.delete(rule, **undoing.by)
    return "Delete the rule; its changes stay until its runs are undone."


def unchange(undoing: Undoing, request: ActionRequest) -> str:
    """Restore a rule as it was before a change."""
    rule = _rule(undoing, request)
    require_same(facts(rule, RuleContent.FACTS), request.after)
    rules.replace(rule, **_fields(facts(rule, RuleContent.FACTS) | (request.before or {})), **undoing.by)
    return "Restore the rule as it was before."


def bring_back(undoing: Undoing, request: ActionRequest) -> str:
    """Make a deleted rule again."""
    rule = rules.create(**_fields(request.before or {}), **undoing.by).rule
    undoing.move("rule", int(request.target_id), rule.id)
    return "Create the rule again."


def unmove(undoing: Undoing, request: ActionRequest) -> str:
    """Restore the priorities of rules from before a move."""
    before, after = ((each or {})["priorities"] for each in (request.before, request.after))
    for was, became in zip(before, after, strict=True):
        rule_id = undoing.present_id("rule", became["id"])
        rule = rule_queries.get(undoing.actor.organization_id, rule_id)
        require_same({"priority": rule.priority}, {"priority": became["priority"]})
        content = facts(rule, RuleContent.FACTS) | {"priority": was["priority"]}
        rules.replace(rule, **_fields(content), **undoing.by)
    return "Restore the earlier order of the rules."


def unapply(undoing: Undoing, request: ActionRequest) -> str:
    """Put back what a run of a rule set, field by field."""
    run = runs.get(undoing.actor.organization_id, (request.after or {})["runId"])
    undone = run_undos.undo(run, **undoing.by)
    if undone.kept and not undone.restored:
        raise ChangedSinceError
    kept = f"; {len(undone.kept)} changed since and stay" if undone.kept else ""
    return f"Put back {undone.restored} fields of {undone.lines} lines{kept}."


def _rule(undoing: Undoing, request: ActionRequest) -> Rule:
    return rule_queries.get(undoing.actor.organization_id, undoing.target_id(request))


def _fields(stored: dict[str, Any]) -> dict[str, Any]:
    return {NAMES[key]: value for key, value in stored.items()}
