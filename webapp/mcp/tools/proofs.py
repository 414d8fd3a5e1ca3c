"""Proofs by name, and the open repairs of a broken proof with their steps and effects."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from webapp.mcp.calls import api_calls
from webapp.mcp.calls.api_calls import ApiAnswer, RefusedCallError
from webapp.mcp.shapes.tool import Json, ToolError
from webapp.mcp.tools import names, outcomes
from webapp.mcp.tools.names import Directory

UNDO, REOPEN, ACCEPT = "undo", "reopen", "accept"
REPAIRS: Final = (UNDO, REOPEN, ACCEPT)
BY_MONTH: Final = re.compile(r"(?P<account>.+)/(?P<month>[0-9]{4}-[0-9]{2})")
DOES: Final[Mapping[str, str]] = {
    UNDO: "Put back what broke it",
    REOPEN: "Open the statement again as a draft, with all later ones",
    ACCEPT: "Complete the statement again with the items as they are now",
}
GONE: Final = ("REMOVED", "DELETED")

Step = tuple[str, str, Json]


def named(name: str) -> Json:
    """Find a standing proof by its id or by account and month, like `Current account/2026-07`; raises ToolError."""
    if name.isascii() and name.isdigit():
        proofs = api_calls.every("/reconciliations", "reconciliations", status="COMPLETED")
        found = [each for each in proofs if each["id"] == int(name)]
    else:
        match = BY_MONTH.fullmatch(name)
        if match is None:
            raise ToolError(
                f"There is no proof {name[:80]!r}. Write its id, or account and month: Main/2026-07."
            )
        fa_id = Directory().fa_id(match["account"])
        asked = {"faId": fa_id, "month": match["month"], "status": "COMPLETED"}
        found = list(api_calls.every("/reconciliations", "reconciliations", **asked))
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(f"{each['id']} of {each['statementDate']}" for each in found)
        raise ToolError(f"There are {len(found)} proofs of that month: {ids}. Send the id.")
    raise ToolError(f"There is no proof {name[:80]!r}. get_context shows how far each account is proved.")


def open_repairs(proof: Json) -> list[Json]:
    """Try each repair of a broken proof, and describe those that the books allow."""
    found = []
    for repair in REPAIRS:
        steps = steps_of(proof, repair, "Preview")
        if steps is None:
            continue
        try:
            answer = do(repair, proof, steps, {}, is_preview=True)
        except RefusedCallError:
            continue
        outcome = outcomes.outcome(answer)
        if not outcome["blockers"]:
            changes = [f"{each['what']} {each['change']}" for each in outcome["changes"]]
            does = DOES[repair] if repair != UNDO else f"{DOES[repair]}: {outcome['summary']}"
            found.append({"repair": repair, "does": does, "changes": "; ".join(changes) or "no balances"})
    return found


def do(
    repair: str,
    proof: Json,
    steps: Sequence[Step],
    arguments: Mapping[str, object],
    *,
    is_preview: bool = False,
    sent_as: str | None = None,
) -> ApiAnswer:
    """Make the steps of a repair, as one plan if there are several."""
    query: Json = {"dryRun": True} if is_preview else {"sent_as": sent_as}
    if len(steps) > 1:
        title = (
            f"Repair the proof of {proof['accountName']} of {names.day_of(proof['statementDate'])}: {repair}"
        )
        return outcomes.plan(title, steps, arguments, **query)
    method, path, body = steps[0]
    return outcomes.write(method, path, body, arguments, **query)


def steps_of(proof: Json, repair: str, why: str) -> list[Step] | None:
    """Return the writes of a repair, or None if no act can undo the break."""
    desk = f"/reconciliations/accounts/{proof['faId']}"
    if repair == REOPEN:
        return [("POST", f"{desk}/reopen", {"reason": why, "reconciliationId": proof["id"]})]
    if repair == ACCEPT:
        return [("POST", f"{desk}/accept", {"reason": why, "reconciliationId": proof["id"]})]
    return _undoing(proof["brokenBy"], why)


def _undoing(cause: Json | None, why: str) -> list[Step] | None:
    if cause is None:
        return None
    if cause["transactionId"] is not None:
        return _undoing_line(cause, why)
    entry_id = cause["journalEntryId"]
    if entry_id is None or cause["field"] != "arrival":
        return None
    return [("POST", f"/journal-entries/{entry_id}/void", {"reason": why})]


def _undoing_line(cause: Json, why: str) -> list[Step] | None:
    """Restore a line that left the books, or set aside a line that came too late."""
    path = f"/transactions/{cause['transactionId']}"
    line = api_calls.get(path)["transaction"]
    is_draft, entry_id = line["entryStatus"] == "DRAFT", line["journalEntryId"]
    if line["status"] in GONE:
        return [("POST", f"{path}/restore", {}), ("POST", f"{path}/confirm", {})]
    if cause["field"] == "entryStatus" and is_draft:
        return [("POST", f"{path}/confirm", {})]
    if cause["field"] == "arrival" and is_draft:
        return [("DELETE", path, {})]
    if cause["field"] == "arrival" and entry_id is not None:
        return [("POST", f"/journal-entries/{entry_id}/void", {"reason": why}), ("DELETE", path, {})]
    return None
