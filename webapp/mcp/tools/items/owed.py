"""Open items of customers and suppliers, and the items that a bank line may pay."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import marshmallow as ma

from webapp.ledger.open_items.ageing import OwedSide
from webapp.ledger.open_items.payable_items import ShortAs
from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tool import Json, Tool
from webapp.mcp.tools.names import Directory, NameOrId
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted, UntrustedPaths, untrusted_paths

MOST_ROWS: Final = 25
NOT_DUE: Final = "notDue"
SIDES: Final[Mapping[str, tuple[OwedSide, str]]] = {
    "customers": (OwedSide.RECEIVABLES, "agedReceivables"),
    "suppliers": (OwedSide.PAYABLES, "agedPayables"),
}


class OwedFilterSchema(Schema):
    """Which open items."""

    side = fields.OneOf(*SIDES, load_default="customers")
    party = NameOrId()
    overdue = ma.fields.Boolean()
    line = fields.Id()
    cursor = ma.fields.String()


class FoundItemSchema(Schema):
    """An open item, and what a choice pays of it."""

    item_id = ma.fields.Integer()
    party = Untrusted(allow_none=True)
    reference = Untrusted(allow_none=True)
    due = ma.fields.String(allow_none=True)
    overdue_days = ma.fields.Integer(allow_none=True)
    open = ma.fields.String()
    choice = ma.fields.Integer(allow_none=True)
    pays = ma.fields.String(allow_none=True)
    why = Untrusted(allow_none=True)


class AgeSchema(Schema):
    """What is owed of an age, in base currency."""

    age = ma.fields.String()
    amount = ma.fields.String()


class FoundItemsSchema(Schema):
    """Items, newest first, and by age what they add up to; overdue days count to `asOf`."""

    items = ma.fields.List(ma.fields.Nested(FoundItemSchema))
    ages = ma.fields.List(ma.fields.Nested(AgeSchema))
    as_of = ma.fields.String(allow_none=True)
    calls = ma.fields.List(ma.fields.Dict())
    cursor = ma.fields.String(allow_none=True)
    untrusted = UntrustedPaths(untrusted_paths(FoundItemSchema(), "items[]."))


def run(arguments: Mapping[str, Any]) -> Json:
    """List open items, or the items that a line may pay."""
    if "line" in arguments:
        found = api_calls.get(f"/transactions/{arguments['line']}/payments")["payments"]
        calls = [_call(arguments["line"], each) for each in found["choices"]]
        return {"items": _choices(found), "ages": [], "as_of": None, "calls": calls, "cursor": None}
    side, key = SIDES[arguments["side"]]
    merchant_id = Directory().merchant_id(arguments.get("party"))
    found = api_calls.get(
        "/items",
        side=side,
        merchantId=merchant_id,
        overdue=arguments.get("overdue"),
        limit=MOST_ROWS,
        cursor=arguments.get("cursor"),
    )
    aged = api_calls.get(f"/reports/aged-{side.lower()}")[key]
    ages = _ages(aged, merchant_id, is_overdue=bool(arguments.get("overdue")))
    return {
        "items": [_row(each) for each in found["items"]],
        "ages": ages,
        "as_of": aged["asOf"],
        "calls": [],
        "cursor": found["nextCursor"],
    }


def _ages(aged: Json, merchant_id: int | None, *, is_overdue: bool) -> list[Json]:
    """Add up by age what the items are: of all, of one party, or of what is overdue."""
    of = aged if merchant_id is None else _of_party(aged, merchant_id)
    amounts, total = dict(of["amountsBase"]), Decimal(of["totalBase"])
    if is_overdue:
        total -= Decimal(amounts.pop(NOT_DUE, "0"))
    ages = [{"age": age, "amount": amount} for age, amount in amounts.items()]
    return [*ages, {"age": "total", "amount": f"{total} {aged['baseCurrency']}"}]


def _of_party(aged: Json, merchant_id: int) -> Json:
    none = {age: str(0 * Decimal(amount)) for age, amount in aged["amountsBase"].items()}
    nothing = {"amountsBase": none, "totalBase": str(0 * Decimal(aged["totalBase"]))}
    return next((each for each in aged["parties"] if each["orgMerchantId"] == merchant_id), nothing)


def _call(line_id: int, choice: Json) -> Json:
    """Write the call of settle_items for a choice; what is short of its items is left open."""
    parts = [{"item": each["itemId"], "amount": each["amount"]} for each in choice["parts"]]
    left = choice["leftOpen"]
    if choice["unused"] is None or not left.strip("-0."):
        return {"line": line_id, "items": parts}
    whole = [{"item": each["itemId"]} for each in choice["parts"]]
    return {
        "line": line_id,
        "items": whole,
        "short": left.removeprefix("-"),
        "shortAs": ShortAs.LEAVE_OPEN.value,
    }


def _choices(found: Json) -> list[Json]:
    by_id = {each["id"]: each for each in found["items"]}
    others = {each["itemId"]: each["transactionIds"] for each in found["wanted"]}
    return [
        {
            **_row(by_id[part["itemId"]]),
            "choice": number,
            "pays": part["amount"],
            "why": choice["reason"] + _wanted(others.get(part["itemId"], [])),
        }
        for number, choice in enumerate(found["choices"], start=1)
        for part in choice["parts"]
    ]


def _wanted(line_ids: list[int]) -> str:
    return f" Line {', '.join(map(str, line_ids))} is to pay it, too." if line_ids else ""


def _row(item: Json) -> Json:
    return {
        "item_id": item["id"],
        "party": item["orgMerchantName"],
        "reference": item["reference"] or item["description"],
        "due": item["dueOn"],
        "overdue_days": item["overdueDays"],
        "open": f"{item['open']} {item['currency']}",
    }


TOOL = Tool(
    name="find_owed",
    title="Owed",
    description="Open items by age; or what a line may pay, best first, with its "
    "call. Owed to us is positive.",
    takes=OwedFilterSchema,
    gives=FoundItemsSchema,
    run=run,
)
