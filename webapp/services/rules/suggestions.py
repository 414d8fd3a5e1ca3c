"""Dismissing suggested rules, and taking a dismissal back."""

from __future__ import annotations

from datetime import datetime

from webapp.database.sessions import db
from webapp.models import SuggestionDismissal
from webapp.queries.suggestions import rule_suggestions
from webapp.queries.suggestions.rule_suggestions import RuleSuggestion
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import facts

FACTS = ("key", "account_id", "conditions", "evidence_count", "sentence")


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
