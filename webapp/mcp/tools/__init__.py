"""The tools, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from webapp.mcp.tools import context, lines
from webapp.mcp.tools.tool import Tool

TOOLS: Final[Sequence[Tool]] = (context.TOOL, lines.TOOL)


def open_to(scopes: frozenset[str]) -> list[Tool]:
    """List the tools that a key with these scopes may use, always in the same order."""
    return [each for each in TOOLS if each.is_open_to(scopes)]
