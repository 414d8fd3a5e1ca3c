"""Measure the tools for models over books with a bank account of many lines.

    python -m benchmarks.mcp.tools [LINES] [sqlite|postgresql]

The lines are uncategorised drafts of one import. Times are CPU milliseconds of a whole call, the best of a few, beside
those with 226 lines; on PostgreSQL they are the clock's, for its server works too.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.workspaces import FEW, LINES, best, person_with_lines, store_of
from tests.fixtures.people import Person
from tests.fixtures.stores import SqliteFiles

NUMBERS = count(1)
VERSION = "2025-11-25"
STATEMENT = {"statementDate": "2024-01-31", "statementBalance": "1.00"}


def called(person: Person, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool, and give what it answers."""
    params = {"name": tool, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": next(NUMBERS), "method": "tools/call", "params": params}
    result: dict[str, Any] = person.post("/mcp", json=body, headers={"MCP-Protocol-Version": VERSION}).json[
        "result"
    ]
    if result["isError"]:
        raise SystemExit(f"{tool} was refused: {result['content'][0]['text']}")
    return result["structuredContent"]


def calls(person: Person) -> dict[str, Callable[[], Any]]:
    """The calls to measure, by what they do; none of them writes."""
    bank = called(person, "get_context", {})["accounts"][0]
    account = bank["account"]
    line = called(person, "find_lines", {"limit": 1})["lines"][0]["lineId"]
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        "context": ("get_context", {}),
        "uncategorised": ("find_lines", {"account": account, "state": "uncategorised"}),
        "by text": ("find_lines", {"account": account, "text": "7"}),
        "all lines": ("find_lines", {"state": "all"}),
        "uncleared": ("find_lines", {"account": account, "state": "uncleared"}),
        "a line": ("explain", {"ref": f"line:{line}"}),
        "accounts": ("list_accounts", {}),
        "trial balance": ("report", {"kind": "trial_balance"}),
        "profit": ("report", {"kind": "profit_and_loss", "from": "2023-01-01", "to": "2026-11-01"}),
        "ledger": ("report", {"kind": "general_ledger", "account": account}),
        "reconcile": ("reconcile", {"account": account, **STATEMENT}),
    }
    return {name: partial(called, person, *each) for name, each in asked.items()}


def measured(store: Any, lines: int) -> dict[str, float]:
    """Give the milliseconds of each call over books with so many lines."""
    clock = time.process_time if isinstance(store, SqliteFiles) else time.perf_counter
    with person_with_lines(store, lines) as ada:
        return {name: best(act, clock) for name, act in calls(ada).items()}


def main(lines: int, engine: str) -> None:
    """Measure and print."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        few, many = (measured(store_of(engine, Path(folder)), each) for each in (FEW, lines))
    for name, milliseconds in many.items():
        ratio = milliseconds / few[name]
        print(f"{name:<14} {few[name]:7.0f} ms   {lines:,} lines {milliseconds:7.0f} ms   {ratio:5.1f} x")


if __name__ == "__main__":
    wanted = sys.argv[1:]
    main(int(wanted[0]) if wanted else LINES, wanted[1] if wanted[1:] else "sqlite")
