"""The accounts of the ledger, by name and type, with their balances."""

from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tool import Json, Tool, ToolError
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted, UntrustedPaths, untrusted_paths

TYPES: Final = ("ASSET", "LIABILITY", "EQUITY", "INCOME", "EXPENSE")
MOST_ROWS, LARGEST = 25, 200


class AccountFilterSchema(Schema):
    """Which accounts."""

    text = ma.fields.String()
    type = fields.OneOf(*TYPES)
    limit = fields.WholeNumber(least=1, most=LARGEST, load_default=MOST_ROWS)
    cursor = ma.fields.String()


class ListedAccountSchema(Schema):
    """An account; the balance is in its currency, debits positive."""

    account_id = ma.fields.Integer()
    code = ma.fields.String(allow_none=True)
    name = Untrusted()
    type = ma.fields.String()
    currency = ma.fields.String(allow_none=True)
    balance = ma.fields.String()


class ListedAccountsSchema(Schema):
    """Accounts by code; `total` counts all that fit."""

    total = ma.fields.Integer()
    accounts = ma.fields.List(ma.fields.Nested(ListedAccountSchema))
    cursor = ma.fields.String(allow_none=True)
    untrusted = UntrustedPaths(untrusted_paths(ListedAccountSchema(), "accounts[]."))


def run(arguments: Mapping[str, Any]) -> Json:
    """List accounts that are not archived."""
    text, type_ = arguments.get("text", "").casefold(), arguments.get("type")
    found = [
        each
        for each in api_calls.every("/accounts", "accounts")
        if not each["isArchived"]
        and type_ in (None, each["type"])
        and (text in each["name"].casefold() or text in (each["code"] or ""))
    ]
    mark = sha256_hex(canonical_json([text, type_]))[:8]
    first = _first(arguments.get("cursor", f"0.{mark}"), len(found), mark)
    after = first + arguments["limit"]
    return {
        "total": len(found),
        "accounts": [_row(each) for each in found[first:after]],
        "cursor": f"{after}.{mark}" if after < len(found) else None,
    }


def _first(cursor: str, total: int, mark: str) -> int:
    place, _, of = cursor.partition(".")
    if of != mark or not (place.isascii() and place.isdigit() and int(place) <= total):
        raise ToolError("cursor: Send the one that the last answer to the same text and type gave, or none.")
    return int(place)


def _row(record: Json) -> Json:
    return {
        "account_id": record["id"],
        "code": record["code"],
        "name": record["name"],
        "type": record["type"],
        "currency": record["currency"],
        "balance": record["balance"],
    }


TOOL = Tool(
    name="list_accounts",
    title="Accounts",
    description="Ledger accounts; debits positive.",
    takes=AccountFilterSchema,
    gives=ListedAccountsSchema,
    run=run,
)
