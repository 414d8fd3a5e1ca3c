"""Entries by hand, and the voiding of entries."""

from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool, ToolError
from webapp.mcp.tools import outcomes
from webapp.mcp.tools.names import Directory, NameOrId, WrittenAmount
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields
from webapp.schemas.base import Schema

NEEDED: Final = ("date", "legs")


class LegSchema(Schema):
    """A leg: positive debits the account, negative credits it."""

    account = NameOrId(required=True)
    amount = WrittenAmount(required=True)
    currency = ma.fields.String()
    merchant = NameOrId()
    project = NameOrId()
    tax_code = NameOrId()


class EntryOrVoidSchema(WriteSchema):
    """A new entry, or the id of one to void."""

    date = ma.fields.String()
    description = ma.fields.String()
    legs = ma.fields.List(
        ma.fields.Nested(LegSchema),
        metadata={"description": "They sum to 0."},
    )
    draft = ma.fields.Boolean(load_default=False)
    reverses_on = ma.fields.String()
    void = fields.Id()


def run(arguments: Mapping[str, Any]) -> Json:
    """Write an entry, or void one."""
    if "void" in arguments:
        return _void(arguments)
    missing = [name for name in NEEDED if name not in arguments]
    if missing:
        raise ToolError(f"Send {' and '.join(missing)} for a new entry, or void with the id of one.")
    directory = Directory()
    body = {
        "effectiveAt": arguments["date"],
        "description": arguments.get("description", ""),
        "postings": [_leg(each, directory) for each in arguments["legs"]],
        "post": not arguments["draft"],
        **({"reversesOn": arguments["reverses_on"]} if "reverses_on" in arguments else {}),
    }
    step = ("POST", "/journal-entries", body)
    if directory.makes:
        return outcomes.outcome(outcomes.plan("Write an entry", [*directory.makes, step], arguments))
    return outcomes.outcome(outcomes.write(*step, arguments))


def _void(arguments: Mapping[str, Any]) -> Json:
    if not arguments.get("why"):
        raise ToolError("why: Say why the entry is voided; it stands in the books.")
    mixed = [name for name in ("date", "description", "legs", "reverses_on") if name in arguments]
    if mixed:
        raise ToolError(f"void takes no {' and '.join(mixed)}. Void the entry, then write a new one.")
    path = f"/journal-entries/{arguments['void']}/void"
    return outcomes.outcome(outcomes.write("POST", path, {"reason": arguments["why"]}, arguments))


def _leg(leg: Mapping[str, Any], directory: Directory) -> Json:
    found: Json = {"accountId": directory.account_id(leg["account"]), "amount": leg["amount"]}
    found |= directory.taxed(leg)
    found |= {"currency": leg["currency"]} if "currency" in leg else {}
    found |= {"orgMerchantId": directory.merchant_for(leg["merchant"])} if "merchant" in leg else {}
    return found | ({"projectId": directory.project_id(leg["project"])} if "project" in leg else {})


TOOL = Tool(
    name="write_entry",
    title="Write an entry",
    description="Post an entry by hand, or void one by its id. Legs with a taxCode include their tax.",
    takes=EntryOrVoidSchema,
    gives=OutcomeSchema,
    run=run,
    scope="draft",
    is_destructive=True,
)
