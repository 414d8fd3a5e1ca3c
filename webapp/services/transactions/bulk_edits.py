"""Different changes of many lines in one call, with one act and one result for each."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final, cast

from webapp.queries.transactions import doubts, lines_ahead, transactions
from webapp.services.audit import limits
from webapp.services.audit.act import Actor
from webapp.services.audit.results import ActionResult, ItemResult, attempt, warned
from webapp.services.transactions import edits
from webapp.services.transactions.changed_legs import BulkLineChanges, LineChanges

# A line takes some 8 ms, and nobody else writes meanwhile.
MOST_AT_ONCE: Final = 50
OTHERWISE: Final = "Narrow the list, or write a rule, which changes up to 2,500."


def bulk_edit(
    organization_id: str, changes: Sequence[BulkLineChanges], *, actor: Actor, now: datetime
) -> list[ItemResult]:
    """Change lines one by one, each by the fields beside its `id`; a refused one stops no other.

    More than fit raise ActTooLargeError.
    """
    limits.refuse_above(MOST_AT_ONCE, len(changes), "lines", "changed", OTHERWISE)

    def edit_one(line_id: int, fields: LineChanges) -> ActionResult:
        line = transactions.get(organization_id, line_id)
        return edits.edit(line, fields, actor=actor, now=now, warns=False)

    ids = [each["id"] for each in changes]
    lines_ahead.load(organization_id, ids, {each.get("account_id") for each in changes})
    results = [attempt(each["id"], partial(edit_one, each["id"], _fields(each))) for each in changes]
    put = {each["id"] for each in changes if edits.puts_elsewhere(_fields(each))}
    done = [each.id for each in results if each.changed and each.id in put]
    found = doubts.elsewhere(lines_ahead.load(organization_id, done)) if done else {}
    return [cast("ItemResult", warned(each, found.get(each.id, ()))) for each in results]


def _fields(change: BulkLineChanges) -> LineChanges:
    return cast("LineChanges", {key: value for key, value in change.items() if key != "id"})
