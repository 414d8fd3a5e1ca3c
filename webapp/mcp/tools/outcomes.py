"""The answers to writes: the result or the proposal in a few figures, and what to do next."""

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import marshmallow as ma

from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.mcp.calls import api_calls
from webapp.mcp.calls.api_calls import ApiAnswer
from webapp.mcp.shapes.tool import Json, ToolError
from webapp.mcp.tools.names import ActId
from webapp.schemas.base import Schema

PENDING, PREVIEW, EXECUTED, UNCHANGED = "PENDING", "PREVIEW", "EXECUTED", "UNCHANGED"
WAITS: Final = "A person decides; check_proposals says how it goes. Do not send it again."
HOLDS: Final = "holds again"
INSTEAD: Final = (
    "If it is meant in place of one of those that wait, send it again with replaces, that one's id."
)
LEFT_OUT: Final = "The blockers say what it leaves out. These can be sent again"
SOME_REFUSED: Final = "The blockers say what the books refuse."
NOTHING_WRITTEN: Final = "Nothing was written."
LONGEST_NOTE: Final = 2000
# What posts entries, and may say that they are late for their tax return.
POSTS: Final = re.compile(r"/journal-entries(?:/\d+/(?:void|post))?|/transactions(?:/\d+)?/confirm")


class WriteSchema(Schema):
    """What every write takes: why, and a key under which it is done once however often it is sent.

    `late` takes what it posts into the next tax return, where that of its tax point is filed.
    """

    why = ma.fields.String()
    idempotency_key = ma.fields.String()
    replaces = ActId()
    late = ma.fields.Boolean()


def write(
    method: str,
    path: str,
    body: Json,
    arguments: Mapping[str, Any],
    *,
    view: str | None = "summary",
    sent_as: str | None = None,
    **query: Any,
) -> ApiAnswer:
    """Make a tool's write with its reason and key, answered in figures unless `view` is None."""
    reason = {"note": arguments["why"]} if arguments.get("why") else {}
    body = _timed(path, body, arguments)
    # What is only tried uses no key up.
    key = None if query.get("dryRun") else arguments.get("idempotency_key")
    query["replaces"] = arguments.get("replaces")
    return api_calls.write(method, path, {**body, **reason}, key=key, sent_as=sent_as, view=view, **query)


def content_of(arguments: Mapping[str, Any]) -> str:
    """Return the bytes of a file, sent as text or as base64, as base64."""
    if "text" not in arguments:
        return str(arguments["content"])
    return base64.b64encode(arguments["text"].encode(errors="replace")).decode()


def reasons(arguments: Mapping[str, Any], name: str) -> str:
    """Return the reason of the whole and the reasons of its lines under a name, as one note."""
    own = [f"{each['id']}: {each['why']}" for each in arguments.get(name, ()) if each.get("why")]
    note = "\n".join([*([arguments["why"]] if arguments.get("why") else []), *own])
    return note if len(note) <= LONGEST_NOTE else note[: LONGEST_NOTE - 1] + "…"


def fingerprint(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the fingerprint of a tool's call by its input, since its writes may also depend on the books."""
    return sha256_hex(canonical_json([tool, {**arguments}]))


def done_before(tool: str, arguments: Mapping[str, Any]) -> ApiAnswer | None:
    """Return the earlier answer to the same call under its key, even if the books have changed since."""
    key = arguments.get("idempotency_key")
    return None if key is None else api_calls.earlier(key, fingerprint(tool, arguments))


def plan(
    title: str, steps: Sequence[tuple[str, str, Json]], arguments: Mapping[str, Any], **query: Any
) -> ApiAnswer:
    """Make several writes as one plan, done or proposed as a whole."""
    sent = [
        {"method": method, "path": api_calls.API + path, "body": _timed(path, body, arguments)}
        for method, path, body in steps
    ]
    return write("POST", "/plans", {"title": title, "steps": sent}, arguments, **query)


def _timed(path: str, body: Json, arguments: Mapping[str, Any]) -> Json:
    return {**body, "late": True} if arguments.get("late") and POSTS.fullmatch(path) else body


def outcome(answer: ApiAnswer, *, done: str = "Done.") -> Json:
    """Write a write's summary; `done` is the next step after its execution."""
    waiting = answer.body.get("actionRequest")
    if waiting is not None:
        return proposed(waiting, answer.body.get("refused", ()), answer.body.get("waiting", ()))
    is_preview = bool(answer.body.get("dryRun"))
    found: Json | None = answer.body.get("summary")
    if found is None or (found["status"] is None and not is_preview):
        return _unchanged(found)
    following = NOTHING_WRITTEN if is_preview else done
    return {
        "proposal": None,
        "status": PREVIEW if is_preview else found["status"],
        "summary": found["title"],
        "changes": changes_of(found),
        **_sentences(found),
        "waiting": [],
        "next": f"{following} {SOME_REFUSED}" if found["blockers"] else following,
    }


def _unchanged(found: Json | None) -> Json:
    """Write that there was nothing to do; raises ToolError where the books refuse all of it."""
    refused = [] if found is None else [_blocker(each) for each in found["blockers"]]
    if refused:
        raise ToolError(" ".join(refused))
    warnings = [] if found is None else found["warnings"]
    return plain(UNCHANGED, "Nothing changed", "It was so already; go on.", warnings=warnings)


def plain(
    status: str, summary: str, following: str, *, blockers: Sequence[str] = (), warnings: Sequence[str] = ()
) -> Json:
    """Write an outcome without a proposal and without balances; `following` is the next step."""
    return {
        "proposal": None,
        "status": status,
        "summary": summary,
        "changes": [],
        "blockers": list(blockers),
        "warnings": list(warnings),
        "waiting": [],
        "next": following,
    }


def proposed(waiting: Json, refused: Sequence[Json] = (), others: Sequence[Json] = ()) -> Json:
    """Write the summary of a proposal; `refused` are the items that it leaves out, `others` wait for the same."""
    following = [WAITS, *([INSTEAD] if others else [])]
    again = ", ".join(str(each["id"]) for each in refused)
    return {
        "proposal": waiting["id"],
        "status": waiting["status"],
        "summary": waiting["title"],
        "changes": changes_of(waiting),
        **_sentences(waiting, refused),
        "waiting": [f"{each['id']} {each['title']}" for each in others],
        "next": " ".join([*following, *([f"{LEFT_OUT}: {again}."] if again else [])]),
    }


def changes_of(summary: Json) -> list[Json]:
    """List the changes of accounts, and the proofs that break or hold again."""
    moved = [
        {"what": each["accountName"], "change": f"{each['change']} {each['currency']}"}
        for each in summary["balances"]
    ]
    broken = [
        {"what": _proof(each), "change": f"breaks, off by {each['offBy']}"} for each in summary["broken"]
    ]
    mended = [{"what": _proof(each), "change": HOLDS} for each in summary["mended"]]
    shown = {"balances": moved, "broken": broken, "mended": mended}
    more = [
        {"what": f"{counted - len(shown[name])} more {noun}", "change": "not listed"}
        for name, noun in (
            ("balances", "balances"),
            ("broken", "proofs that break"),
            ("mended", "proofs that hold"),
        )
        if (counted := summary["counts"][name]) > len(shown[name])
    ]
    return [*moved, *broken, *mended, *more]


def _sentences(summary: Json, refused: Sequence[Json] = ()) -> Json:
    """Write what stands against a write and what to look at once more, with how many are left out of a long list."""
    lists = {
        "blockers": [_blocker(each) for each in (*refused, *summary["blockers"])],
        "warnings": list(summary["warnings"]),
    }
    for name, written in lists.items():
        left = summary["counts"][name] - len(summary[name])
        if left > 0:
            written.append(f"And {left} more.")
    return lists


def _proof(proof: Json) -> str:
    return f"proof of {proof['accountName']} {proof['statementDate']}"


def _blocker(blocker: Json) -> str:
    of = f"{blocker['id']}: " if blocker.get("id") is not None else ""
    return f"{of}{blocker['message']}"
