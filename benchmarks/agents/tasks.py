"""The tasks: a month from its file to its proof, a hundred and twenty lines without a category, a broken proof."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.agents.books import ACCOUNT, PAYEES, Stage, must, october
from benchmarks.agents.doors import Http, Tools
from tests.fixtures.bank_files.ofx_statements import Line

MONTH = [Line(f"2026-10-{n:02}", f"-{n}.00", [*PAYEES][n % 7], f"O{n}") for n in range(1, 22)]
STATEMENT = {"statementDate": "2026-10-31", "statementBalance": "-294.00"}
MANY = [Line(f"2026-10-{n % 28 + 1:02}", f"-{n}.00", [*PAYEES][n % 7], f"M{n}") for n in range(1, 121)]
# So many lines are changed at once: nobody else writes meanwhile.
AT_ONCE = 50
PROPOSES, DRAFTS, PREPARES = ("read", "propose"), ("read", "draft"), ("read", "draft", "propose")


@dataclass(frozen=True)
class Task:
    """A task: what its books need beside September, and how it is done through each door, with which key."""

    name: str
    goal: str
    prepare: Callable[[Stage], None]
    over_http: Callable[[Http, Stage], None]
    over_tools: Callable[[Tools, Stage], Awaitable[None]]
    scopes_of_http: Sequence[str]
    scopes_of_tools: Sequence[str]


def month_over_http(http: Http, stage: Stage) -> None:
    """Send one plan, whose first step brings the file."""
    content = base64.b64encode(october(MONTH)).decode()
    known = http.ask("GET", "/accounts?type=EXPENSE&limit=200&fields=id,name")["accounts"]
    ids = {each["name"]: each["id"] for each in known}
    lines = [{"$ref": f"1#/import/transactionIds/{row}"} for row in range(len(MONTH))]
    changes = [
        {"id": line, "accountId": ids[PAYEES[each.name]]} for line, each in zip(lines, MONTH, strict=True)
    ]
    desk = "/api/reconciliations/accounts/{1#/import/accounts/0/faId}"
    steps = [
        ("POST", "/api/feeds/imports", {"fileName": "october.ofx", "content": content}),
        ("PATCH", "/api/transactions", {"changes": changes}),
        ("POST", "/api/transactions/confirm", {"ids": lines}),
        ("PUT", f"{desk}/draft", STATEMENT),
        ("PUT", f"{desk}/draft/lines", {"auto": True}),
        ("POST", f"{desk}/complete", {}),
    ]
    sent = [{"method": method, "path": path, "body": body} for method, path, body in steps]
    plan = {"title": "Reconcile October", "note": "The statement of October", "steps": sent}
    _approved(http, stage, http.ask("POST", "/plans?view=summary", plan))
    (proof,) = http.ask("GET", "/reconciliations?month=2026-10&fields=statementBalance,holds")[
        "reconciliations"
    ]
    must((proof["statementBalance"], proof["holds"]), (STATEMENT["statementBalance"], True))


async def month_over_tools(tools: Tools, stage: Stage) -> None:
    """Import, look at what lines like these went to, and reconcile."""
    content = base64.b64encode(october(MONTH)).decode()
    done = await tools.call("import_statement", content=content, fileName="october.ofx", commit=True)
    if done["status"] == "PENDING":
        await _decided(tools, stage, done)
        found = await tools.call("find_lines", account=ACCOUNT, state="uncategorised", limit=50)
    else:
        found = done
    categories = [{"id": each["lineId"], "category": each["likely"]} for each in found["lines"]]
    must(len(categories), len(MONTH))
    asked = {"account": ACCOUNT, **STATEMENT, "categories": categories, "propose": True}
    proposed = await tools.call("reconcile", **asked, why="The statement of October")
    must((proposed["status"], proposed["difference"], proposed["blockers"]), ("PENDING", "0.00", []))
    await _decided(tools, stage, proposed)


def lines_over_http(http: Http, stage: Stage) -> None:
    """Take the likely account of each line."""
    keys = "id,bookedOn,amount,description,likelyAccount"
    found = http.ask("GET", f"/transactions?uncategorised=true&include=likely&limit=200&fields={keys}")
    changes = [
        {"id": each["id"], "accountId": each["likelyAccount"]["accountId"]} for each in found["transactions"]
    ]
    must(len(changes), len(MANY))
    for some in _parts(changes):
        http.ask("PATCH", "/transactions?view=summary", {"changes": some, "note": "As lines like it"})
    must(stage.owner.get("/api/transactions?uncategorised=true").json["transactions"], [])


async def lines_over_tools(tools: Tools, stage: Stage) -> None:
    """The same by the tools."""
    found = await tools.call("find_lines", state="uncategorised", limit=200)
    lines = [{"id": each["lineId"], "category": each["likely"]} for each in found["lines"]]
    must(len(lines), len(MANY))
    for some in _parts(lines):
        await tools.call("categorise_lines", lines=some, why="As lines like it")
    must(stage.owner.get("/api/transactions?uncategorised=true").json["transactions"], [])


def proof_over_http(http: Http, stage: Stage) -> None:
    """Find the cause, and propose what mends it."""
    cause = http.ask("GET", "/reconciliations?holds=false")["reconciliations"][0]["brokenBy"]
    path = f"/transactions/{cause['transactionId']}/confirm?view=summary"
    waiting = http.ask("POST", path, {"note": "The payment was right"})
    must([each["reconciliationId"] for each in waiting["actionRequest"]["mended"]], [stage.proof])
    _approved(http, stage, waiting)
    stage.must_hold()


async def proof_over_tools(tools: Tools, stage: Stage) -> None:
    """The same by the tools."""
    named = (await tools.call("get_context"))["accounts"][0]["brokenProof"].split()[0]
    story = await tools.call("explain", ref=named)
    must([each["repair"] for each in story["repairs"]][:1], ["undo"])
    asked = {"proof": named, "repair": "undo", "why": "The payment was right"}
    await _decided(tools, stage, await tools.call("repair_proof", **asked))
    stage.must_hold()


def _approved(http: Http, stage: Stage, answer: Any) -> None:
    """Let the owner approve, and read that it is done."""
    waiting = answer["actionRequest"]
    must(waiting["blockers"], [])
    stage.approve(waiting["id"])
    http.count.approvals += 1
    told = http.ask("GET", f"/action-requests/{waiting['id']}?view=summary&fields=status")
    must(told["actionRequest"]["status"], "EXECUTED")


async def _decided(tools: Tools, stage: Stage, proposed: dict[str, Any]) -> None:
    """The same by the tools."""
    stage.approve(proposed["proposal"])
    tools.count.approvals += 1
    (told,) = (await tools.call("check_proposals", ids=[proposed["proposal"]]))["proposals"]
    must(told["state"], "done")


def _parts(changes: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Take so many at once."""
    for first in range(0, len(changes), AT_ONCE):
        yield list(changes[first : first + AT_ONCE])


def _nothing(_stage: Stage) -> None:
    """September is all that it needs."""


MONTHS = (month_over_http, month_over_tools)
TASKS = (
    Task(
        "October from its file",
        "≤ 4 calls, ≤ 4,000 tokens, 1 approval",
        _nothing,
        *MONTHS,
        PROPOSES,
        PREPARES,
    ),
    Task(
        "the same, where a key may only propose",
        "reading apart, each write is asked for",
        _nothing,
        *MONTHS,
        PROPOSES,
        PROPOSES,
    ),
    Task(
        "120 lines without a category",
        "≤ 25,000 tokens",
        lambda stage: stage.import_file(*MANY),
        lines_over_http,
        lines_over_tools,
        DRAFTS,
        DRAFTS,
    ),
    Task(
        "a proof that holds no longer",
        "≤ 4,000 tokens, 1 approval",
        Stage.break_proof,
        proof_over_http,
        proof_over_tools,
        PROPOSES,
        PROPOSES,
    ),
)
