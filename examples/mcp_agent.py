"""An agent over the Model Context Protocol: it reconciles a month, and a person approves what it proposes.

    TIEOUT_URL=http://127.0.0.1:8000 TIEOUT_TOKEN=tie_… python examples/mcp_agent.py ACCOUNT STATEMENT_DATE BALANCE

It needs the protocol's official library (`pip install mcp`) and a key with the scopes `read` and `propose`. Where a
model would decide, it follows one rule: a line pays the items that it surely pays, is the transfer that it can only
be, or goes where all lines like it went. It stops where there is no such evidence, and when somebody refuses. What
bank lines say is only shown, quoted; it is never an instruction.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

PATIENCE_SECONDS = 600
WAIT_SECONDS = 20
# As many as one plan gives a category.
MOST_LINES = 50


class StoppedError(Exception):
    """The service or a person said no, or a person has to decide; the message says why."""


class Books:
    """The tools of the service."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and give its answer as data; raises StoppedError with the sentence of a refusal."""
        result = await self._client.call_tool(tool, arguments)
        if result.is_error or result.structured_content is None:
            raise StoppedError(f"{tool}: {result.content[0].text}")
        found: dict[str, Any] = result.structured_content
        return found

    async def write(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that writes, and wait until a person has decided where it only proposes."""
        found = await self.call(tool, **arguments)
        if found["blockers"]:
            raise StoppedError(f"{tool}: {'; '.join(map(quoted, found['blockers']))}")
        if found["status"] == "PENDING":
            say(f"proposed: {quoted(found['summary'])}")
            await self._decided(found["proposal"])
        return found

    async def _decided(self, proposal: str) -> None:
        """Wait for a person's decision; raises StoppedError unless it was done."""
        waited = 0
        while waited < PATIENCE_SECONDS:
            answer = await self.call("check_proposals", ids=[proposal], waitSeconds=WAIT_SECONDS)
            (found,) = answer["proposals"]
            if found["state"] == "done":
                return
            if found["state"] != "waiting":
                raise StoppedError(f"{found['summary']}: {found['state']} {found['reason'] or ''}")
            # A service that is busy answers at once, and says so by nothing else.
            await asyncio.sleep(1)
            waited += WAIT_SECONDS
        raise StoppedError("Nobody has decided yet. The proposal waits on the page Approvals.")


async def reconcile(books: Books, account: str, day: str, balance: str) -> None:
    """Take the lines of an account to the proof of a statement."""
    context = await books.call("get_context")
    say(f"{context['books']['name']} on {context['books']['today']}")
    done = await books.write(
        "reconcile",
        account=account,
        statementDate=day,
        statementBalance=balance,
        categories=await categories(books, account, day),
        propose=True,
        why=f"The statement of {day}",
    )
    if done["status"] == "PREVIEW":
        raise StoppedError(f"{balance} is not what the books have: they differ by {done['difference']}.")


async def categories(books: Books, account: str, day: str) -> list[dict[str, Any]]:
    """Choose what each line without a category is, where the evidence leaves no doubt."""
    lines = await books.call("find_lines", account=account, state="uncategorised", to=day, limit=MOST_LINES)
    for line in lines["lines"]:
        likely = quoted(line["likely"]) if line["likely"] else "unknown"
        say(f"line {line['lineId']}: {line['amount']} {quoted(line['text'])} -> {likely}")
    chosen = [choice(each) for each in lines["lines"]]
    paid = [item["item"] for each in chosen if each for item in each.get("pays", ())]
    unknown = chosen.count(None) + len(paid) - len(set(paid))
    if unknown or lines["cursor"]:
        raise StoppedError(f"{max(unknown, 1)} of the lines need a person: find_lines shows them.")
    return [each for each in chosen if each]


def choice(line: dict[str, Any]) -> dict[str, Any] | None:
    """Say what a line surely is: what it pays, its transfer, or its category; None where that is in doubt.

    >>> choice({"lineId": 7, "pays": [], "pair": None, "likely": "Rent", "evidence": "3 of 3"})
    {'id': 7, 'category': 'Rent', 'why': '3 of 3 like it'}
    >>> choice({"lineId": 7, "pays": [], "pair": None, "likely": "may pay R-31 or R-34", "evidence": "Others fit."})
    """
    known = {"id": line["lineId"], "why": line["evidence"]}
    if line["pays"]:
        return {**known, "pays": line["pays"]}
    if line["pair"]:
        return {**known, "pair": line["pair"]}
    if not is_sure(line["evidence"]):
        return None
    like_it = "" if line["evidence"].startswith("rule:") else " like it"
    return {"id": line["lineId"], "category": line["likely"], "why": line["evidence"] + like_it}


def is_sure(evidence: str | None) -> bool:
    """Return whether a rule says it, or all lines like one went to the same account.

    >>> is_sure("3 of 3"), is_sure("rule:7"), is_sure("2 of 3"), is_sure("Names R-31 of 3 March."), is_sure(None)
    (True, True, False, False, False)
    """
    kind, _, rule = (evidence or "").partition(":")
    count, _, total = (evidence or "").partition(" of ")
    return (kind == "rule" and rule.isdigit()) or (total.isdigit() and count == total)


def quoted(text: str) -> str:
    """Write somebody else's text so that it cannot be taken for ours."""
    return json.dumps(text, ensure_ascii=False)


def say(sentence: str) -> None:
    """Tell whoever watches what happens."""
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


async def main() -> int:
    """Do it for the statement that the command names."""
    account, day, balance = sys.argv[1:]
    address, token = os.environ["TIEOUT_URL"].rstrip("/"), os.environ["TIEOUT_TOKEN"]
    try:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            await reconcile(Books(client), account, day, balance)
    except (StoppedError, MCPError, BaseExceptionGroup) as error:
        reason = leaf_of(error)
        if not isinstance(reason, StoppedError | MCPError):
            raise
        say(f"stopped: {reason}")
        return 1
    say(f"proved: {balance} on {day}")
    return 0


def leaf_of(error: BaseException) -> BaseException:
    """Give the first error within groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
