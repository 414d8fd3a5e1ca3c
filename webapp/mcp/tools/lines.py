"""Bank lines by their open work, with what they likely pay, move or mean."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import marshmallow as ma

from webapp.ledger import titles
from webapp.ledger.open_items.payments import NAMED
from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tool import Json, Tool
from webapp.mcp.tools.names import Directory, NameOrId
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted, UntrustedPaths, untrusted_paths

MOST_ROWS: Final = 25
LARGEST: Final = 200
# What each state asks the list of lines for.
STATES: Final[Mapping[str, Mapping[str, Any]]] = {
    "uncategorised": {"uncategorised": True},
    "draft": {"entryStatus": "DRAFT"},
    "posted": {"entryStatus": "POSTED"},
    "uncleared": {"reconciled": False},
    "all": {},
}


class LineFilterSchema(Schema):
    """Which lines."""

    account = NameOrId()
    category = NameOrId()
    from_ = ma.fields.String(data_key="from")
    to = ma.fields.String()
    state = fields.OneOf(*STATES, load_default="all")
    text = ma.fields.String(metadata={"description": "Of the bank, or an amount."})
    limit = fields.WholeNumber(least=1, most=LARGEST, load_default=MOST_ROWS)
    cursor = ma.fields.String()


class PaidItemSchema(Schema):
    """An item that a line pays, and how much of it."""

    item = ma.fields.Integer()
    amount = ma.fields.String()


class FoundLineSchema(Schema):
    """A line: `likely` is what it pays, its transfer, or the category that lines like it went to; `evidence` says why.

    `pays` is what to send where it surely pays.
    """

    line_id = ma.fields.Integer()
    day = ma.fields.String()
    amount = ma.fields.String()
    currency = ma.fields.String()
    text = Untrusted()
    state = ma.fields.String()
    category = Untrusted(allow_none=True)
    merchant = Untrusted(allow_none=True)
    project = ma.fields.String(allow_none=True)
    likely = Untrusted(allow_none=True)
    evidence = Untrusted(allow_none=True)
    pays = ma.fields.List(ma.fields.Nested(PaidItemSchema))
    pair = ma.fields.Integer(allow_none=True)


class FoundLinesSchema(Schema):
    """Lines, newest first; `total` counts all that fit."""

    total = ma.fields.Integer()
    lines = ma.fields.List(ma.fields.Nested(FoundLineSchema))
    cursor = ma.fields.String(allow_none=True)
    untrusted = UntrustedPaths(untrusted_paths(FoundLineSchema(), "lines[]."))


def run(arguments: Mapping[str, Any]) -> Json:
    """List lines."""
    directory = Directory()
    found = api_calls.get(
        "/transactions",
        faId=directory.fa_id(arguments.get("account")),
        accountId=directory.account_id(arguments.get("category")),
        q=arguments.get("text"),
        to=arguments.get("to"),
        limit=arguments["limit"],
        cursor=arguments.get("cursor"),
        count=True,
        include="names,likely",
        **STATES[arguments["state"]],
        **{"from": arguments.get("from_")},
    )
    return {
        "total": found["total"],
        "lines": [line_row(each) for each in found["transactions"]],
        "cursor": found["nextCursor"],
    }


def line_row(line: Json) -> Json:
    """Write a line of the API as a row."""
    splits = line["splits"]
    return {
        "line_id": line["id"],
        "day": line["bookedOn"],
        "amount": line["amount"],
        "currency": line["currency"],
        "text": text_of(line),
        "state": state_of(line),
        "category": " + ".join(_part(each) for each in splits) if splits else line.get("accountName"),
        "merchant": line.get("merchantName"),
        "project": line.get("projectName"),
        **likely_of(line),
    }


def likely_of(line: Json) -> Json:
    """Say what a line of the API likely pays, moves or means, and why; `pays` and `pair` are what to send then."""
    payment, transfer, account = (
        line.get(key) for key in ("likelyPayment", "likelyTransfer", "likelyAccount")
    )
    found: Json = {"likely": None, "evidence": None, "pays": [], "pair": None}
    if payment:
        found |= _paying(payment)
    elif transfer:
        other = f"with line {transfer['transactionId']} of {transfer['accountName']}"
        if transfer["difference"]:
            found |= {
                "likely": f"transfer {other}",
                "evidence": "settle_pair with difference FEE books its fee",
            }
        elif transfer["isOnly"]:
            found |= {"likely": f"transfer {other}", "pair": transfer["transactionId"]}
            found["evidence"] = "neither line fits another"
        else:
            found |= {"likely": f"maybe a transfer {other}", "evidence": "others fit as well"}
    elif account:
        rule, counted = account["ruleId"], f"{account['count']} of {account['total']}"
        evidence = counted if rule is None else f"rule:{rule}"
        found |= {"likely": account["accountName"], "evidence": evidence}
    return found


def _paying(payment: Json) -> Json:
    parts = payment["parts"]
    if not parts:
        some = titles.joined([_names(each) for each in payment["choices"]], "or")
        return {"likely": f"may pay {some}", "evidence": payment["reason"]}
    return {
        "likely": f"pays {_names(parts)}",
        "evidence": _evidence(payment),
        "pays": [{"item": each["itemId"], "amount": each["amount"]} for each in parts],
    }


def _names(parts: Sequence[Json]) -> str:
    return titles.joined([each["reference"] for each in parts])


def _evidence(payment: Json) -> str:
    """Say in few words why a line surely pays something."""
    (first, *others), basis = payment["parts"], payment["basis"]
    if basis in NAMED:
        return "names them" if others else "names it"
    if others or not first["partyName"]:
        return str(payment["reason"])
    is_ours = first["amount"].startswith("-")
    return f"exactly what {first['partyName']} {'is owed' if is_ours else 'owes'}"


def text_of(line: Json) -> str:
    """Return the bank's text of a line, without repetitions."""
    parts = dict.fromkeys(filter(None, (line["counterparty"], line["description"], line["reference"])))
    return " / ".join(each for each in parts if not any(each in other for other in parts if other != each))


def state_of(line: Json) -> str:
    """Name the state of a line in a word or two."""
    if line["status"] != "BOOKED":
        return str(line["status"]).lower()
    state = str(line["entryStatus"] or "no entry").lower()
    if line["pendingChange"]:
        return f"{state}, correction waits"
    return f"{state}, proved" if line["reconciliationId"] else state


def counted(number: int) -> str:
    """Write the number of lines.

    >>> counted(1), counted(12)
    ('1 line', '12 lines')
    """
    return "1 line" if number == 1 else f"{number} lines"


def _part(split: Json) -> str:
    return f"{split.get('accountName') or split['accountId']} {split['amount']}"


TOOL = Tool(
    name="find_lines",
    title="Lines",
    description="Bank lines, newest first, with what each likely pays or is, and why.",
    takes=LineFilterSchema,
    gives=FoundLinesSchema,
    run=run,
)
