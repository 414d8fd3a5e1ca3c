"""Categories, merchants, projects and parts of lines, each with its reason; confirmed in the same act if wanted."""

from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool
from webapp.mcp.tools import lines, outcomes
from webapp.mcp.tools.lines import FoundLineSchema
from webapp.mcp.tools.names import Directory, NameOrId, WrittenAmount
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields
from webapp.schemas.base import Schema

# Nobody else writes meanwhile; the API takes no more at once.
MOST_LINES: Final = 50
MOST_ROWS: Final = 25


class LinePartSchema(Schema):
    """A part of a line, with the line's sign."""

    category = NameOrId(required=True)
    amount = WrittenAmount(required=True)


class LineCategorySchema(Schema):
    """A line, and what it gets."""

    id = fields.Id(required=True)
    category = NameOrId()
    merchant = NameOrId()
    project = NameOrId()
    splits = ma.fields.List(ma.fields.Nested(LinePartSchema))
    why = ma.fields.String()


class CategoriesSchema(WriteSchema):
    """Which lines get what."""

    lines = ma.fields.List(
        ma.fields.Nested(LineCategorySchema),
        required=True,
        validate=ma.validate.Length(
            min=1, max=MOST_LINES, error="Send 1 to 50 lines; others in the next call."
        ),
    )
    confirm = ma.fields.Boolean(load_default=False, metadata={"description": "Post them as well."})


class CategorisedSchema(OutcomeSchema):
    """What was done or is proposed, and the first lines as they are now."""

    lines = ma.fields.List(ma.fields.Nested(FoundLineSchema))


def run(arguments: Mapping[str, Any]) -> Json:
    """Set the accounts of lines; with `confirm` as a plan, done or proposed as a whole."""
    directory = Directory()
    changes = [_change(each, directory) for each in arguments["lines"]]
    ids = [each["id"] for each in changes]
    asked = {**arguments, "why": outcomes.reasons(arguments, "lines")}
    if arguments["confirm"]:
        steps = [
            ("PATCH", "/transactions", {"changes": changes}),
            ("POST", "/transactions/confirm", {"ids": ids}),
        ]
        answer = outcomes.plan(f"Categorise and confirm {lines.counted(len(ids))}", steps, asked)
    else:
        answer = outcomes.write("PATCH", "/transactions", {"changes": changes}, asked)
    found = api_calls.get("/transactions", ids=ids[:MOST_ROWS], include="names", limit=MOST_ROWS)
    done = (
        "Posted." if arguments["confirm"] else "confirm_lines posts them; reconcile can do it with its plan."
    )
    return {
        **outcomes.outcome(answer, done=done),
        "lines": [lines.line_row(each) for each in found["transactions"]],
    }


def _change(line: Mapping[str, Any], directory: Directory) -> Json:
    change: Json = {"id": line["id"]}
    if "category" in line:
        change["accountId"] = directory.account_id(line["category"])
    if "merchant" in line:
        change["orgMerchantId"] = directory.merchant_id(line["merchant"])
    if "project" in line:
        change["projectId"] = directory.project_id(line["project"])
    if "splits" in line:
        change["splits"] = [
            {"accountId": directory.account_id(each["category"]), "amount": each["amount"]}
            for each in line["splits"]
        ]
    return change


TOOL = Tool(
    name="categorise_lines",
    title="Categorise lines",
    description="Set category, merchant, project or splits of up to 50 lines; confirm posts them too, and "
    "corrections of posted ones.",
    takes=CategoriesSchema,
    gives=CategorisedSchema,
    run=run,
    scope="draft",
)
