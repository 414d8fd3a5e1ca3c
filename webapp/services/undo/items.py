"""The inverses of acts on items of accounts that keep them."""

from __future__ import annotations

from datetime import date
from typing import Any

from webapp.models import ActionRequest
from webapp.queries.items import items
from webapp.services.audit.field_changes import facts
from webapp.services.items import due_days
from webapp.services.undo.reasons import Undoing, require_same

NAMES = {"dueOn": "due_on", "reference": "reference"}


def unedit(undoing: Undoing, request: ActionRequest) -> str:
    """Give an item the due day and the reference back that it had."""
    item = items.get(undoing.by["actor"].organization_id, undoing.target_id(request))
    before = {NAMES[name]: value for name, value in (request.before or {}).items() if name in NAMES}
    after = {name: value for name, value in (request.after or {}).items() if name in NAMES}
    require_same(facts(item, before), after)
    due_days.edit(item, _changes(before), **undoing.by)
    return f"Put back {' and '.join(sorted(before)).replace('due_on', 'the due day')} of item {item.id}."


def _changes(before: dict[str, Any]) -> due_days.ItemChanges:
    changes: due_days.ItemChanges = {}
    if "due_on" in before:
        changes["due_on"] = date.fromisoformat(before["due_on"]) if before["due_on"] else None
    if "reference" in before:
        changes["reference"] = before["reference"]
    return changes
