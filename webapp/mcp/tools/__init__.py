"""The tools, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from webapp.mcp.shapes.tool import Tool
from webapp.mcp.tools import (
    accounts,
    categories,
    confirmations,
    context,
    documents,
    entries,
    lines,
    pairs,
    proposals,
    reconciliations,
    repairs,
    reports,
    rules,
    statements,
    stories,
)

TOOLS: Final[Sequence[Tool]] = tuple(
    each.TOOL
    for each in (
        context,
        lines,
        stories,
        accounts,
        statements,
        categories,
        confirmations,
        pairs,
        reconciliations,
        repairs,
        entries,
        rules,
        documents,
        reports,
        proposals,
    )
)


def open_to(scopes: frozenset[str]) -> list[Tool]:
    """List the tools that a key with these scopes may use, always in the same order."""
    return [each for each in TOOLS if each.is_open_to(scopes)]
