"""The context of a model: the books, the day, its key's rights, and the state of each bank account."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.mcp.calls import api_calls
from webapp.mcp.calls.api_calls import RefusedCallError
from webapp.mcp.shapes.tool import Json, Tool
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted, UntrustedPaths, untrusted_paths

MOST_PROPOSALS = 10


class NothingSchema(Schema):
    """No arguments."""


class BooksSchema(Schema):
    """Whose books these are."""

    name = ma.fields.String()
    base_currency = ma.fields.String()
    today = ma.fields.String()
    lock_date = ma.fields.String(allow_none=True)


class BankAccountStateSchema(Schema):
    """A bank account: `status` is never, needs or reconciled; `difference` that of its open draft."""

    fa_id = ma.fields.Integer()
    account = Untrusted()
    currency = ma.fields.String()
    status = ma.fields.String()
    proved_to = ma.fields.String(allow_none=True)
    difference = ma.fields.String(allow_none=True)
    unconfirmed = ma.fields.Integer()
    broken_proof = ma.fields.String(allow_none=True)


class OwnProposalSchema(Schema):
    """A proposal of this key that waits for a person."""

    proposal = ma.fields.String()
    summary = Untrusted()


class ContextSchema(Schema):
    """Whose books, which day, what the key may, and how each bank account stands."""

    books = ma.fields.Nested(BooksSchema)
    scopes = ma.fields.List(ma.fields.String())
    entries_left_today = ma.fields.Integer(allow_none=True)
    amount_left_today = ma.fields.String(allow_none=True)
    accounts = ma.fields.List(ma.fields.Nested(BankAccountStateSchema))
    suggested_transfers = ma.fields.Integer(allow_none=True)
    waiting = ma.fields.List(ma.fields.Nested(OwnProposalSchema))
    next = ma.fields.String()
    untrusted = UntrustedPaths(untrusted_paths(OwnProposalSchema(), "waiting[]."))


def run(_arguments: Mapping[str, Any]) -> Json:
    """Read it."""
    me = api_calls.get("/me")["me"]
    accounts = [_account(each) for each in api_calls.get("/reconciliations/accounts")["accounts"]]
    waiting = api_calls.get(
        "/action-requests", status="PENDING", actor="me", view="summary", limit=MOST_PROPOSALS
    )
    books, transfers = me["organization"], _suggested_transfers()
    return {
        "books": {
            "name": books["name"],
            "base_currency": books["baseCurrency"],
            "today": books["today"],
            "lock_date": books["lockDate"],
        },
        "scopes": me["scopes"],
        "entries_left_today": me["caps"]["entriesADay"]["left"],
        "amount_left_today": me["caps"]["amountADay"]["left"],
        "accounts": accounts,
        "suggested_transfers": transfers,
        "waiting": [{"proposal": each["id"], "summary": each["title"]} for each in waiting["actionRequests"]],
        "next": _next(accounts, transfers),
    }


def _suggested_transfers() -> int | None:
    """Count the pairs of lines that may be transfers, also of posted ones; None while that cannot be asked."""
    try:
        return len(api_calls.get("/transfers")["transfers"])
    except RefusedCallError:
        return None


def _account(record: Json) -> Json:
    anchor, draft, broken = record["anchor"], record["draft"], record["brokenProof"]
    return {
        "fa_id": record["faId"],
        "account": record["accountName"],
        "currency": record["currency"],
        "status": record["status"],
        "proved_to": anchor and anchor["statementDate"],
        "difference": draft and draft["difference"],
        "unconfirmed": record["unconfirmedCount"],
        "broken_proof": broken
        and f"proof:{broken['id']} of {broken['statementDate']}, off by {broken['offBy']}",
    }


def _next(accounts: list[Json], transfers: int | None) -> str:
    broken = next((each for each in accounts if each["broken_proof"]), None)
    if broken is not None:
        return f"Ask explain about {broken['broken_proof'].split()[0]}: it holds no longer."
    if any(each["unconfirmed"] for each in accounts):
        return "find_lines with state uncategorised shows what needs a category, and draft what needs confirming."
    if transfers:
        return "Everything is confirmed. find_lines shows lines that may be a transfer; settle_pair decides."
    return "Everything is confirmed. reconcile compares an account with its next statement."


TOOL = Tool(
    name="get_context",
    title="Context",
    description="The books, today, what this key may do, bank accounts, broken proofs, waiting proposals.",
    takes=NothingSchema,
    gives=ContextSchema,
    run=run,
)
