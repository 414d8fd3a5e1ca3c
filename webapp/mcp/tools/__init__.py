"""The tools, in the order in which they are listed."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from webapp.mcp.shapes.tool import Tool
from webapp.mcp.tools import (
    accounts,
    categories,
    closes,
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
from webapp.mcp.tools.items import owed, payments

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
        owed,
        payments,
        reconciliations,
        repairs,
        entries,
        rules,
        documents,
        reports,
        closes,
        proposals,
    )
)


# What does here what a call of the API does that its refusals name.
INSTEAD: Final[Mapping[str, str]] = {
    "GET /api/feeds/accounts": "get_context",
    "GET /api/reconciliations/accounts": "get_context",
    "GET /api/action-requests": "get_context",
    "GET /api/reconciliations": "get_context",
    "GET /api/transactions": "find_lines",
    "GET /api/accounts": "list_accounts",
    "GET /api/items": "find_owed",
    "POST /api/settlements": "settle_items",
}


def in_words_of_tools(sentence: str) -> str:
    """Rewrite a refusal of the API with tools in place of addresses.

    >>> in_words_of_tools("There is nothing under this id; GET /api/accounts lists those there are.")
    'There is nothing under this id; list_accounts lists those there are.'
    """
    sentence = sentence.replace("Idempotency-Key", "idempotencyKey")
    for address, tool in INSTEAD.items():
        sentence = re.sub(rf"{address}(?![\w/-])", tool, sentence)
    return sentence


def open_to(scopes: frozenset[str]) -> list[Tool]:
    """List the tools that a key with these scopes may use, always in the same order."""
    return [each for each in TOOLS if each.is_open_to(scopes)]
