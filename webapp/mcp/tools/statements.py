"""The import of a bank's file or lines, or its preview."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.ledger.canonical import canonical_json
from webapp.mcp.calls import api_calls
from webapp.mcp.calls.api_calls import ApiAnswer
from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool, ToolError
from webapp.mcp.tools import lines, outcomes
from webapp.mcp.tools.lines import FoundLineSchema
from webapp.mcp.tools.names import Directory, NameOrId, WrittenAmount
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted

MOST_ROWS: Final = 25
MOST_LINES: Final = 500
UNCATEGORISED: Final = "find_lines with state uncategorised shows what needs a category."
COMMIT: Final = f"{outcomes.NOTHING_WRITTEN} Call again with commit to bring them in."


class PushedLineInputSchema(Schema):
    """A line of the bank; `id` is the bank's own, or one that stays the same."""

    id = ma.fields.String(required=True)
    day = ma.fields.String(required=True)
    amount = WrittenAmount(required=True)
    text = ma.fields.String(required=True)
    counterparty = ma.fields.String()


class StatementFileSchema(WriteSchema):
    """A file, or lines."""

    text = ma.fields.String(metadata={"description": "If it is text."})
    content = ma.fields.String(metadata={"description": "Else base64."})
    file_name = ma.fields.String()
    lines = ma.fields.List(
        ma.fields.Nested(PushedLineInputSchema), validate=ma.validate.Length(min=1, max=MOST_LINES)
    )
    account = NameOrId(metadata={"description": "If the file names none."})
    mapping = fields.JsonObject(metadata={"type": "object"})
    commit = ma.fields.Boolean(load_default=False)


class ImportedAccountSchema(Schema):
    """What the file has for an account; `known` lines were there already."""

    account = Untrusted()
    new = ma.fields.Integer()
    known = ma.fields.Integer()
    pending = ma.fields.Integer()
    sum = ma.fields.String()
    closing_date = ma.fields.String(allow_none=True)
    closing_balance = ma.fields.String(allow_none=True)


class ImportedSchema(OutcomeSchema):
    """What came in or would, with the first new lines."""

    accounts = ma.fields.List(ma.fields.Nested(ImportedAccountSchema))
    lines = ma.fields.List(ma.fields.Nested(FoundLineSchema))


def run(arguments: Mapping[str, Any]) -> Json:
    """Import a file, or push lines."""
    if sum(name in arguments for name in ("text", "content", "lines")) != 1:
        raise ToolError("Send one of text, a bank file as it is, content, a file as base64, and lines.")
    return _lines(arguments) if "lines" in arguments else _file(arguments)


def _file(arguments: Mapping[str, Any]) -> Json:
    body: Json = {
        "content": outcomes.content_of(arguments),
        "fileName": arguments.get("file_name", "statement"),
        "mapping": arguments.get("mapping"),
        "faId": Directory().fa_id(arguments.get("account")),
    }
    answer = _sent("/feeds/imports", body, arguments)
    imported = _answered(answer).get("import", {})
    made = [each for each in imported.get("transactionIds", []) if each is not None]
    return {
        **_outcome(answer, arguments),
        "accounts": [_account(each) for each in imported.get("accounts", [])],
        "lines": _rows(answer, made),
    }


def _lines(arguments: Mapping[str, Any]) -> Json:
    if "account" not in arguments:
        raise ToolError("account: Name the bank account of the lines.")
    added = [_pushed(each) for each in arguments["lines"]]
    batch = hashlib.sha256(canonical_json(added).encode()).hexdigest()[:32]
    path = f"/feeds/accounts/{Directory().fa_id(arguments['account'])}/transactions"
    answer = _sent(path, {"batchId": batch, "added": added}, arguments)
    results = _answered(answer).get("results", [])
    made = [each["transactionId"] for each in results if each.get("transactionId")]
    return {**_outcome(answer, arguments), "accounts": [], "lines": _rows(answer, made)}


def _pushed(line: Mapping[str, Any]) -> Json:
    pushed = {"providerTransactionId": line["id"], "bookedOn": line["day"], "amount": line["amount"]}
    return pushed | {"description": line["text"], "counterparty": line.get("counterparty")}


def _sent(path: str, body: Json, arguments: Mapping[str, Any]) -> ApiAnswer:
    """Send the bank's data in full; the answer names the lines."""
    body = {name: value for name, value in body.items() if value is not None}
    query: Json = {} if arguments["commit"] else {"dryRun": True}
    return outcomes.write("POST", path, body, arguments, view=None, **query)


def _answered(answer: ApiAnswer) -> Json:
    """Return the call's answer, real or tried; nothing for a proposal."""
    found: Json = answer.body.get("answer") or answer.body if answer.body.get("dryRun") else answer.body
    return found


def _outcome(answer: ApiAnswer, arguments: Mapping[str, Any]) -> Json:
    waiting = answer.body.get("actionRequest")
    if waiting is not None:
        summary = api_calls.get(f"/action-requests/{waiting['id']}", view="summary")
        return outcomes.proposed(summary["actionRequest"])
    blockers = [each["message"] for each in answer.body.get("blockers", [])]
    answered = _answered(answer)
    of_file = answered.get("import", {}).get("warnings", ())
    warnings = list(dict.fromkeys([*of_file, *answered.get("warnings", ())]))
    if arguments["commit"]:
        return outcomes.plain(
            outcomes.EXECUTED, "Imported", UNCATEGORISED, blockers=blockers, warnings=warnings
        )
    acts = answer.body["effect"]["acts"]
    title = acts[0]["title"] if acts else "Nothing new to import"
    return outcomes.plain(outcomes.PREVIEW, title, COMMIT, blockers=blockers, warnings=warnings)


def _rows(answer: ApiAnswer, made: list[int]) -> list[Json]:
    """Write the new lines from the books, or as their drafts would be."""
    if answer.body.get("dryRun"):
        entries = [each["after"] for each in answer.body["effect"]["entries"] if each["before"] is None]
        return [_drafted(each) for each in entries[:MOST_ROWS]]
    if not made:
        return []
    found = api_calls.get("/transactions", ids=made[:MOST_ROWS], include="names,likely", limit=MOST_ROWS)
    return [lines.line_row(each) for each in found["transactions"]]


def _drafted(entry: Json) -> Json:
    bank = next(each for each in entry["postings"] if each["isBankLeg"])
    other = next((each for each in entry["postings"] if not each["isBankLeg"]), None)
    return {
        "day": entry["effectiveAt"][:10],
        "amount": bank["amount"],
        "currency": bank["currency"],
        "text": entry["description"],
        "state": "new",
        "category": other and other["accountName"],
    }


def _account(account: Json) -> Json:
    return {
        "account": account["name"],
        "new": account["added"],
        "known": account["alreadyThere"],
        "pending": account["pending"],
        "sum": f"{account['sum']} {account['currency']}",
        "closing_date": account["closingDate"],
        "closing_balance": account["closingBalance"],
    }


TOOL = Tool(
    name="import_statement",
    title="Import",
    description="A bank file (CAMT, MT940, OFX, QIF, CSV, XLSX; 1 MiB) or up to 500 lines: what is new "
    "or known; commit brings it in.",
    takes=StatementFileSchema,
    gives=ImportedSchema,
    run=run,
    scope="draft",
)
