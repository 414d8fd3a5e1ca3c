"""Two lines that may be one line, or the two sides of a transfer: joined, or kept apart for ever."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.codes import PAIR_DIFFERENCES
from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool
from webapp.mcp.tools import outcomes
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields


class PairSchema(WriteSchema):
    """Two lines, and whether they belong together."""

    line = fields.Id(required=True)
    other = fields.Id(required=True)
    same = ma.fields.Boolean(
        required=True,
        metadata={"description": "false: never ask again."},
    )
    difference = fields.OneOf(*PAIR_DIFFERENCES)


def run(arguments: Mapping[str, Any]) -> Json:
    """Join two lines, or separate them."""
    body = {"transactionId": arguments["other"]}
    if arguments["same"] and "difference" in arguments:
        body["difference"] = arguments["difference"]
    act = "join" if arguments["same"] else "unjoin"
    answer = outcomes.write("POST", f"/transactions/{arguments['line']}/{act}", body, arguments)
    return outcomes.outcome(answer)


TOOL = Tool(
    name="settle_pair",
    title="Pair",
    description="Two lines that are one, or both sides of a transfer between own accounts.",
    takes=PairSchema,
    gives=OutcomeSchema,
    run=run,
    scope="draft",
)
