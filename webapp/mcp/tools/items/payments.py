"""Open items that are paid by a bank line, or settled with each other."""

from collections.abc import Mapping, Sequence
from typing import Any

import marshmallow as ma

from webapp.ledger.open_items.payable_items import ShortAs
from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool, ToolError
from webapp.mcp.tools import outcomes
from webapp.mcp.tools.names import Directory, NameOrId, WrittenAmount
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields
from webapp.schemas.base import Schema


class SettledPartSchema(Schema):
    """An item; without an amount all that is open."""

    item = fields.Id(required=True)
    amount = WrittenAmount()


class SettledItemsSchema(WriteSchema):
    """Which items, and the line that pays them."""

    items = ma.fields.List(
        ma.fields.Nested(SettledPartSchema), required=True, validate=ma.validate.Length(min=1, max=100)
    )
    line = fields.Id()
    short = WrittenAmount()
    short_as = fields.OneOf(*ShortAs)
    category = NameOrId(metadata={"description": "Of what is short."})


def settling(paid: Sequence[Mapping[str, Any]], short: Mapping[str, Any], directory: Directory) -> Json:
    """Write the fields of a line that pays items; `short` may have `amount`, `as` and `category` of what is short."""
    body: Json = {"settles": _parts(paid)}
    if short.get("amount") is not None:
        body["short"] = {
            "amount": short["amount"],
            "as": short.get("as") or ShortAs.LEAVE_OPEN.value,
            "accountId": directory.account_id(short.get("category")),
        }
    return body


def _parts(paid: Sequence[Mapping[str, Any]]) -> list[Json]:
    return [
        {"itemId": each["item"], **({"amount": each["amount"]} if "amount" in each else {})} for each in paid
    ]


def run(arguments: Mapping[str, Any]) -> Json:
    """Let a line pay items, or settle them with each other."""
    if "line" not in arguments:
        if {"short", "short_as", "category"} & arguments.keys():
            raise ToolError("short: Only a line that pays is short of items; name the line.")
        parts = _parts(arguments["items"])
        return outcomes.outcome(outcomes.write("POST", "/settlements", {"parts": parts}, arguments))
    short = {
        "amount": arguments.get("short"),
        "as": arguments.get("short_as"),
        "category": arguments.get("category"),
    }
    body = settling(arguments["items"], short, Directory())
    answer = outcomes.write("PATCH", f"/transactions/{arguments['line']}", body, arguments)
    return outcomes.outcome(answer, done="confirm_lines posts the line, which settles them.")


TOOL = Tool(
    name="settle_items",
    title="Settle",
    description="Let a line pay open items once confirmed; without one, a party's items that add up to zero settle.",
    takes=SettledItemsSchema,
    gives=OutcomeSchema,
    run=run,
    scope="draft",
)
