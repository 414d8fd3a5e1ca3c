"""The story of a line, an entry, a proof, an act, an account or a rule: its facts, acts and reasons."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tool import Json, Tool, ToolError
from webapp.mcp.tools import lines, outcomes, proofs
from webapp.mcp.tools.names import Directory
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted, UntrustedPaths, untrusted_paths
from webapp.web.converters import ActIdConverter

REFERENCE: Final = re.compile(r"(line|entry|proof|act|account|rule|item|document|merchant):(.+)")
MOST_EVENTS: Final = 25
LONGEST: Final = 300
# The facts that are texts, by strangers or of what quotes them.
WRITTEN: Final = frozenset(
    {
        *("text", "description", "iban", "correction", "reason", "error", "when", "name", "account"),
        *("category", "merchant", "likely", "party", "reference", "sender", "number", "file"),
    }
)
EVENT_KEYS: Final = "id,title,note,actor,status,createdAt"


class ReferenceSchema(Schema):
    """What to explain."""

    ref = ma.fields.String(
        required=True,
        metadata={
            "description": "line:12, entry:7, proof:Main/2026-07, act:ar_…, account:Travel, rule:3, item:5, document:4,"
            " merchant:Acme"
        },
    )


class FactSchema(Schema):
    """A fact by name: a value of the books, or a text that somebody wrote."""

    name = ma.fields.String()
    value = ma.fields.String(allow_none=True)
    text = Untrusted(allow_none=True)


class HappeningSchema(Schema):
    """An act: when, who, what, why."""

    at = ma.fields.String()
    who = ma.fields.String()
    what = Untrusted()
    why = Untrusted(allow_none=True)
    act = ma.fields.String()


class OpenRepairSchema(Schema):
    """A repair of a broken proof that the books allow now."""

    repair = ma.fields.String()
    does = Untrusted()
    changes = ma.fields.String()


class StorySchema(Schema):
    """What it is, what happened to it in order, what hangs on it."""

    ref = ma.fields.String()
    facts = ma.fields.List(ma.fields.Nested(FactSchema))
    events = ma.fields.List(ma.fields.Nested(HappeningSchema))
    related = ma.fields.List(ma.fields.String())
    repairs = ma.fields.List(ma.fields.Nested(OpenRepairSchema))
    next = ma.fields.String()
    untrusted = UntrustedPaths(untrusted_paths(FactSchema(), "facts[]."))


def run(arguments: Mapping[str, Any]) -> Json:
    """Tell the story."""
    match = REFERENCE.fullmatch(arguments["ref"].strip())
    if match is None:
        raise ToolError(
            "ref: Write a kind and an id, like line:12, entry:7, proof:Current account/2026-07, account:Travel."
        )
    found = STORIES[match[1]](match[2].strip())
    return {"ref": arguments["ref"], "events": [], "related": [], "repairs": [], "next": "", **found}


def _line(name: str) -> Json:
    line = api_calls.get("/transactions", ids=_id(name), include="names,likely")["transactions"]
    if not line:
        raise ToolError(f"There is no line {name}. find_lines lists them.")
    record, row = line[0], lines.line_row(line[0])
    pairs = api_calls.get(f"/transactions/{name}/suggestions")
    related = [f"entry:{record['journalEntryId']}"] if record["journalEntryId"] else []
    related += [f"proof:{record['reconciliationId']}"] if record["reconciliationId"] else []
    joined = [_pair(each) for each in (*pairs["joins"], *pairs["suggestions"])]
    waiting = record["pendingChange"] and record["pendingChange"]["message"]
    return {
        "facts": _facts({**row, "correction": waiting, "iban": record["iban"]}) + joined,
        "events": _events(f"transaction:{name}"),
        "related": related,
        "next": "settle_pair answers a suggestion." if pairs["suggestions"] else "",
    }


def _pair(pair: Json) -> Json:
    is_twin = "the same line" if pair["kind"] == "JOIN" else "other side of a transfer"
    text = f"line:{pair['transactionId']} {pair['bookedOn']} {pair['amount']} {pair['description']}; {pair['reason']}"
    return {"name": f"{pair['status'].lower()}: {is_twin}", "text": text[:LONGEST]}


def _entry(name: str) -> Json:
    entry = api_calls.get(f"/journal-entries/{_id(name)}")["entry"]
    facts = {
        "day": entry["effectiveAt"][:10],
        "description": entry["description"],
        "status": entry["status"],
        "source": entry["source"],
    }
    legs = [
        {"name": "leg", "text": f"{each['accountName']} {each['amount']} {each['currency']}"}
        for each in entry["postings"]
    ]
    corrected = entry["correctsJournalEntryId"]
    return {
        "facts": _facts(facts) + legs,
        "events": _events(f"journal_entry:{name}"),
        "related": [f"entry:{corrected}"] if corrected else [],
    }


def _proof(name: str) -> Json:
    proof = proofs.named(name)
    cause = proof["brokenBy"]
    facts = {
        "account": proof["accountName"],
        "statement": f"{proof['statementBalance']} {proof['currency']} on {proof['statementDate']}",
        "holds": "yes" if proof["holds"] else f"no, off by {proof['offBy']}",
        "completed by": proof["completedBy"]["name"],
        "digest": proof["digest"],
    }
    found: Json = {
        "facts": _facts(facts),
        "events": _events(f"reconciliation:{proof['id']}"),
        "related": _broken(cause),
    }
    if proof["holds"]:
        return found
    if cause is not None:
        found["facts"] += _facts({"broken by": _cause(cause)})
        found["events"] += [_event(each) for each in _act_of(cause)]
    repairs = proofs.open_repairs(proof)
    following = (
        "repair_proof does one of the repairs; say why." if repairs else "A person has to repair this one."
    )
    return {**found, "repairs": repairs, "next": following}


def _cause(cause: Json) -> str:
    change = f"{cause['field']} {cause['before'] or 'none'} became {cause['after'] or 'none'}"
    return f"{cause['actor']['name']}, {cause['at'][:16]}: {change}"


def _broken(cause: Json | None) -> list[str]:
    if cause is None:
        return []
    named = {
        "line": cause["transactionId"],
        "entry": cause["journalEntryId"],
        "act": cause["actionRequestId"],
    }
    return [f"{kind}:{id_}" for kind, id_ in named.items() if id_ is not None]


def _act_of(cause: Json) -> list[Json]:
    if cause["actionRequestId"] is None:
        return []
    return [api_calls.get(f"/action-requests/{cause['actionRequestId']}", fields=EVENT_KEYS)["actionRequest"]]


def _act(name: str) -> Json:
    if re.fullmatch(ActIdConverter.regex, name) is None:
        raise ToolError(f"ref: {name[:80]!r} is no id of an act. Events of explain have them, like act:ar_….")
    act = api_calls.get(f"/action-requests/{name}", fields=EVENT_KEYS)["actionRequest"]
    summary = api_calls.get(f"/action-requests/{name}", view="summary")["actionRequest"]
    target = summary["target"]
    facts = {
        "status": act["status"],
        "kind": summary["kind"],
        "reason": summary["reason"],
        "error": summary["error"],
    }
    changes = [{"name": each["what"], "value": each["change"]} for each in outcomes.changes_of(summary)]
    of = {
        "transaction": "line",
        "journal_entry": "entry",
        "reconciliation": "proof",
        "account": "account",
        "rule": "rule",
    }
    kind = of.get(target["kind"]) if target else None
    return {
        "facts": _facts(facts) + changes,
        "events": [_event(act)],
        "related": [f"{kind}:{target['id']}"] if kind else [],
    }


def _account(name: str) -> Json:
    account = Directory().account(name)
    postings = api_calls.get(f"/accounts/{account['id']}/postings", limit=10)
    facts = {key: account[key] for key in ("code", "name", "type", "currency", "balance", "balanceBase")}
    recent = [
        {"name": f"entry:{each['journalEntryId']} {each['effectiveAt'][:10]}", "text": _posting(each)}
        for each in postings["postings"]
    ]
    return {
        "facts": _facts(facts) + recent,
        "events": _events(f"account:{account['id']}"),
        "next": "report general_ledger of the account shows all of it.",
    }


def _posting(posting: Json) -> str:
    return f"{posting['amount']} {posting.get('description') or ''}".strip()[:LONGEST]


def _rule(name: str) -> Json:
    rule = api_calls.get(f"/automations/rules/{_id(name)}")["rule"]
    facts = {
        "name": rule["name"],
        "is active": "yes" if rule["isActive"] else "no",
        "when": json.dumps(rule["conditions"], ensure_ascii=False),
        "sets": json.dumps(rule["effects"], ensure_ascii=False),
        "matched so far": str(rule["matchCount"]),
    }
    return {"facts": _facts(facts), "events": _events(f"rule:{name}")}


def _item(name: str) -> Json:
    item = api_calls.get(f"/items/{_id(name)}")["item"]
    keys = {
        "account": "accountName",
        "party": "orgMerchantName",
        "reference": "reference",
        "description": "description",
        "due": "dueOn",
        "amount": "amount",
        "open": "open",
        "currency": "currency",
    }
    return {
        "facts": _facts({word: item[key] for word, key in keys.items()}),
        "events": _events(f"posting:{name}"),
        "related": [f"entry:{item['journalEntryId']}"] if item["journalEntryId"] else [],
        "next": "settle_items settles it.",
    }


def _document(name: str) -> Json:
    document = api_calls.get(f"/documents/{_id(name)}")["document"]
    keys = {
        "kind": "documentType",
        "sender": "sender",
        "number": "number",
        "day": "issuedOn",
        "due": "dueOn",
        "total": "total",
        "currency": "currency",
        "file": "fileName",
    }
    lines_ = [f"line:{each['transactionId']}" for each in document["relations"] if each.get("transactionId")]
    return {
        "facts": _facts({word: document.get(key) for word, key in keys.items()}),
        "events": _events(f"document:{name}"),
        "related": lines_,
        "next": "" if lines_ else "attach_document attaches it to the line that paid it.",
    }


def _merchant(name: str) -> Json:
    merchant = api_calls.get(f"/merchants/{Directory().merchant_id(name)}")["merchant"]
    facts = {
        "name": merchant["name"],
        "website": merchant["website"],
        "terms in days": merchant["termsDays"],
        "merged into": merchant["mergedIntoId"] and f"merchant:{merchant['mergedIntoId']}",
    }
    return {"facts": _facts(facts), "events": _events(f"merchant:{merchant['id']}")}


def _id(name: str) -> str:
    if not (name.isascii() and name.isdigit()):
        raise ToolError(f"ref: {name[:80]!r} is no id; write a number after the colon.")
    return name


def _facts(values: Mapping[str, Any]) -> list[Json]:
    return [
        {"name": name, "text" if name in WRITTEN else "value": str(value)}
        for name, value in values.items()
        if value not in (None, "")
    ]


def _events(target: str) -> list[Json]:
    """List the newest acts about something, in chronological order."""
    found = api_calls.get("/action-requests", target=target, limit=MOST_EVENTS, fields=EVENT_KEYS)
    return [_event(each) for each in reversed(found["actionRequests"])]


def _event(act: Json) -> Json:
    status = "" if act["status"] == "EXECUTED" else f" ({act['status'].lower()})"
    return {
        "at": act["createdAt"][:16],
        "who": act["actor"]["name"],
        "what": f"{act['title']}{status}",
        "why": act["note"] or None,
        "act": act["id"],
    }


STORIES: Final[Mapping[str, Callable[[str], Json]]] = {
    "line": _line,
    "entry": _entry,
    "proof": _proof,
    "act": _act,
    "account": _account,
    "rule": _rule,
    "item": _item,
    "document": _document,
    "merchant": _merchant,
}


TOOL = Tool(
    name="explain",
    title="Explain",
    description="What something is, who did what to it and why; of a broken proof its cause and repairs.",
    takes=ReferenceSchema,
    gives=StorySchema,
    run=run,
)
