"""Play the tasks of the interface's audit over HTTP, and by the protocol's official client for models in both eras.

    python -m benchmarks.agents

Each task has books of its own, served on a port of this machine. Printed are calls, tokens (a fourth of the bytes that
the agent reads of answers; of a tool's a model reads the text) and approvals by a person. What a model reads once,
before, the list of tools and the instructions, is printed by `pytest tests/mcp/test_budget.py`.
"""

from __future__ import annotations

import asyncio
import logging
import sys

from benchmarks.agents import doors
from benchmarks.agents.books import staged
from benchmarks.agents.doors import Count, Http
from benchmarks.agents.tasks import TASKS, Task
from webapp.mcp.messages import MODERN

ERAS = {"MCP, modern": MODERN, "MCP, legacy": "legacy"}


def played_over_http(task: Task) -> Count:
    """Play a task over HTTP."""
    with staged() as stage:
        task.prepare(stage)
        http = Http(stage.address, stage.owner.with_scopes(*task.scopes_of_http).token)
        task.over_http(http, stage)
        return http.count


def played_by_tools(task: Task, mode: str) -> Count:
    """Play a task in one era of the protocol."""

    async def played() -> Count:
        token = stage.owner.with_scopes(*task.scopes_of_tools).token
        async with doors.tools(stage.address, token, mode) as tools:
            await task.over_tools(tools, stage)
        return tools.count

    with staged() as stage:
        task.prepare(stage)
        return asyncio.run(played())


def main() -> None:
    """Play all, and print a line each."""
    logging.disable(logging.INFO)
    for task in TASKS:
        sys.stdout.write(f"{task.name} ({task.goal})\n")
        counts = {"HTTP": (task.scopes_of_http, played_over_http(task))}
        counts |= {name: (task.scopes_of_tools, played_by_tools(task, mode)) for name, mode in ERAS.items()}
        for name, (scopes, count) in counts.items():
            figures = f"{count.calls:3} calls {count.tokens:7,} tokens {count.approvals:3} approvals"
            sys.stdout.write(f"  {name:<12} {figures}   {' '.join(scopes)}\n")


if __name__ == "__main__":
    main()
