"""Lines that are confirmed, which posts their entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool
from webapp.mcp.tools import outcomes
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields

MOST_LINES: Final = 500


class ConfirmedLinesSchema(WriteSchema):
    """Which lines."""

    ids = ma.fields.List(fields.Id(), required=True, validate=ma.validate.Length(min=1, max=MOST_LINES))


def run(arguments: Mapping[str, Any]) -> Json:
    """Confirm lines."""
    answer = outcomes.write("POST", "/transactions/confirm", {"ids": arguments["ids"]}, arguments)
    return outcomes.outcome(answer, done="Posted. reconcile compares the account with its statement.")


TOOL = Tool(
    name="confirm_lines",
    title="Confirm bank lines",
    description="Post the entries of up to 500 bank lines as they stand. Categorise them before: an uncategorised line "
    "is posted as uncategorised.",
    takes=ConfirmedLinesSchema,
    gives=OutcomeSchema,
    run=run,
    scope="confirm",
)
