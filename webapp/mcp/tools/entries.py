"""Entries by hand, at once or in the parts of a schedule, and the voiding of entries."""

from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.ledger.closing.schedules import ScheduleKind
from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool, ToolError
from webapp.mcp.tools import outcomes
from webapp.mcp.tools.names import Directory, NameOrId, WrittenAmount
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields
from webapp.schemas.base import Schema

NEEDED: Final = ("date", "legs")
NEEDED_IN_PARTS: Final = ("description", *NEEDED)
# What only a schedule takes, as the API names it, and what it does not take.
OF_SCHEDULES: Final = ("kind", "every", "residual", "rate", "payment")
ONE_ENTRY: Final = ("draft", "reverses_on")
PLAIN: Final = {"accountId", "amount", "currency"}


class LegSchema(Schema):
    """A leg: positive debits the account, negative credits it."""

    account = NameOrId(required=True)
    amount = WrittenAmount(required=True)
    currency = ma.fields.String()
    merchant = NameOrId()
    project = NameOrId()
    tax_code = NameOrId()


class EntryOrVoidSchema(WriteSchema):
    """A new entry, one in parts where `periods` says how many, or the id of one to void."""

    date = ma.fields.String()
    description = ma.fields.String()
    legs = ma.fields.List(
        ma.fields.Nested(LegSchema),
        metadata={"description": "They sum to 0."},
    )
    draft = ma.fields.Boolean(load_default=False)
    reverses_on = ma.fields.String()
    periods = ma.fields.Integer()
    every = ma.fields.String()
    kind = fields.OneOf(*(each for each in ScheduleKind if each is not ScheduleKind.REVERSING))
    residual = WrittenAmount()
    rate = ma.fields.String()
    payment = WrittenAmount()
    void = fields.Id()


def run(arguments: Mapping[str, Any]) -> Json:
    """Write an entry or a schedule, or void an entry."""
    if "void" in arguments:
        return _void(arguments)
    in_parts = "periods" in arguments
    missing = [name for name in (NEEDED_IN_PARTS if in_parts else NEEDED) if name not in arguments]
    if missing:
        raise ToolError(f"Send {' and '.join(missing)} for a new entry, or void with the id of one.")
    directory = Directory()
    legs = [_leg(each, directory) for each in arguments["legs"]]
    step = ("POST", *(_schedule(arguments, legs) if in_parts else _entry(arguments, legs)))
    if directory.makes:
        title = "Write a schedule" if in_parts else "Write an entry"
        return outcomes.outcome(outcomes.plan(title, [*directory.makes, step], arguments))
    return outcomes.outcome(outcomes.write(*step, arguments))


def _entry(arguments: Mapping[str, Any], legs: list[Json]) -> tuple[str, Json]:
    mixed = [name for name in OF_SCHEDULES if name in arguments]
    if mixed:
        raise ToolError(f"Send periods with {' and '.join(mixed)}: how many parts the schedule has.")
    body = {
        "effectiveAt": arguments["date"],
        "description": arguments.get("description", ""),
        "postings": legs,
        "post": not arguments["draft"],
        **({"reversesOn": arguments["reverses_on"]} if "reverses_on" in arguments else {}),
    }
    return "/journal-entries", body


def _schedule(arguments: Mapping[str, Any], legs: list[Json]) -> tuple[str, Json]:
    """Write a schedule: its legs recur, or the amount of two of them comes in parts."""
    if any(arguments.get(name) for name in ONE_ENTRY):
        raise ToolError(
            "A schedule has parts that are posted as they fall due: leave draft and reversesOn out."
        )
    kind = arguments.get("kind", ScheduleKind.RECURRING)
    body = {
        "kind": kind,
        "name": arguments["description"],
        "startsOn": arguments["date"],
        **{name: arguments[name] for name in ("periods", *OF_SCHEDULES) if name in arguments},
    }
    if kind == ScheduleKind.RECURRING:
        return "/schedules", body | {"postings": legs}
    away = [each for each in legs if each["amount"].startswith("-")]
    to = [each for each in legs if each not in away]
    if len(away) != 1 or len(to) != 1 or any(each.keys() - PLAIN for each in legs):
        raise ToolError(
            f"{kind} takes two legs with an amount and no more: the account that its parts debit, and the one that"
            " they credit."
        )
    if kind == ScheduleKind.DEPRECIATION and "rate" in arguments:
        body["method"] = "REDUCING"
    accounts = {"accountId": away[0]["accountId"], "counterAccountId": to[0]["accountId"]}
    amount = {name: to[0][name] for name in ("amount", "currency") if name in to[0]}
    return "/schedules", body | accounts | amount


def _void(arguments: Mapping[str, Any]) -> Json:
    if not arguments.get("why"):
        raise ToolError("why: Say why the entry is voided; it stands in the books.")
    others = ("date", "description", "legs", "reverses_on", "periods", *OF_SCHEDULES)
    mixed = [name for name in others if name in arguments]
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
    title="Entry",
    description="Post an entry by hand, or void one by its id; periods makes it a schedule. Legs with a taxCode include"
    " their tax.",
    takes=EntryOrVoidSchema,
    gives=OutcomeSchema,
    run=run,
    scope="draft",
    is_destructive=True,
)
