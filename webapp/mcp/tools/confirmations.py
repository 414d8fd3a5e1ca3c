"""The confirmation of lines, which posts their entries."""

from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool
from webapp.mcp.tools import outcomes
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields

# Nobody else writes meanwhile; the API takes no more at once.
MOST_LINES: Final = 120


class ConfirmedLinesSchema(WriteSchema):
    """Which lines."""

    ids = ma.fields.List(
        fields.Id(),
        required=True,
        validate=ma.validate.Length(
            min=1, max=MOST_LINES, error="Send 1 to 120 ids; others in the next call."
        ),
    )


def run(arguments: Mapping[str, Any]) -> Json:
    """Confirm lines."""
    answer = outcomes.write("POST", "/transactions/confirm", {"ids": arguments["ids"]}, arguments)
    return outcomes.outcome(answer, done="Posted. reconcile compares the account with its statement.")


TOOL = Tool(
    name="confirm_lines",
    title="Confirm",
    description="Post up to 120 lines as they stand; without category as uncategorised.",
    takes=ConfirmedLinesSchema,
    gives=OutcomeSchema,
    run=run,
    scope="confirm",
)
