"""The inverses of imports and of pushes."""

from __future__ import annotations

import json
import zlib
from typing import Any

from webapp.models import ActionRequest, FeedAccount, Import
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.queries.transactions import transactions
from webapp.services.imports.removal import removals
from webapp.services.transactions import lifecycle
from webapp.services.undo.reasons import ChangedSinceError, Undoing, stay


def take_back(undoing: Undoing, request: ActionRequest) -> str:
    """Take an import back, as if it had never been."""
    imported = lookups.get(Import, undoing.actor.organization_id, int(request.target_id))
    removals.take_back(imported, undoing.folder, **undoing.by)
    return "Remove the import, with its lines and drafts."


def delete_pushed_lines(undoing: Undoing, request: ActionRequest) -> str:
    """Delete the lines that a push brought, where it brought nothing else."""
    payload = request.payload
    if payload["modified"] or payload["removed"]:
        stay("The push changed or removed lines of the bank; each line shows what changed.")
    feed = lookups.get(FeedAccount, undoing.actor.organization_id, int(request.target_id))
    push = feed_lines.push(feed, payload["batchId"])
    results: list[dict[str, Any]] = json.loads(zlib.decompress(push.answer))["results"] if push else []
    ids = [each["transactionId"] for each in results if each["verdict"] == "NEW"]
    if not ids:
        stay("The push brought no new line.")
    for line_id in ids:
        line = transactions.get(feed.organization_id, line_id)
        if line.status == "DELETED":
            raise ChangedSinceError
        lifecycle.delete(line, **undoing.by)
    return f"Delete the {len(ids)} line{'' if len(ids) == 1 else 's'} that it brought."
