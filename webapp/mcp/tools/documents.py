"""A receipt or an invoice, kept in the books and attached to the bank line that paid it."""

from collections.abc import Mapping, Sequence
from typing import Any

import marshmallow as ma

from webapp.mcp.calls import api_calls
from webapp.mcp.calls.api_calls import RefusedCallError
from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool, ToolError
from webapp.mcp.tools import lines, outcomes
from webapp.mcp.tools.lines import FoundLineSchema
from webapp.mcp.tools.names import WrittenAmount
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields
from webapp.schemas.untrusted import Untrusted


class AttachmentSchema(WriteSchema):
    """A file with what stands on it, and the line that paid it."""

    text = ma.fields.String(metadata={"description": "If it is text."})
    content = ma.fields.String(metadata={"description": "Else base64."})
    file_name = ma.fields.String()
    total = WrittenAmount()
    currency = ma.fields.String()
    issued_on = ma.fields.String()
    sender = ma.fields.String()
    number = ma.fields.String()
    document = fields.Id()
    line = fields.Id()
    propose = ma.fields.Boolean(load_default=False)


class AttachedSchema(OutcomeSchema):
    """What was kept or would be, with what was read of it, and the lines that fit its total."""

    read = Untrusted(allow_none=True)
    fits = ma.fields.List(ma.fields.Nested(FoundLineSchema))


def run(arguments: Mapping[str, Any]) -> Json:
    """Keep a document and attach it to a line, in one plan."""
    if sum(name in arguments for name in ("text", "content", "document")) != 1:
        raise ToolError(
            "Send one of text, a file as it is, content, a file as base64, and document, the id of one that is there."
        )
    is_new = "document" not in arguments
    if is_new and "file_name" not in arguments:
        raise ToolError("fileName: Name the file, like invoice.pdf.")
    if not is_new and "line" not in arguments:
        found = api_calls.get(f"/documents/{arguments['document']}")["document"]
        looked = outcomes.plain(
            outcomes.PREVIEW, f"Document {found['id']}", "Call again with line and propose to attach it."
        )
        offered = api_calls.get(f"/documents/{found['id']}/candidates")["candidates"]["choices"]
        return {**looked, "read": _read(found), "fits": _fitting(offered)}
    steps = _steps(arguments)
    stated = _stated(steps[0][2]) if is_new else None
    query = {} if arguments["propose"] else {"dryRun": True}
    title = f"Keep {arguments['file_name']}" if is_new else f"Attach document {arguments['document']}"
    answer = outcomes.plan(title, steps, arguments, **query)
    fits = [] if stated is None or "line" in arguments else _fitting(stated["candidates"])
    read = None if stated is None else _read(stated["document"])
    return {**outcomes.outcome(answer, done="It is kept."), "read": read, "fits": fits}


def _steps(arguments: Mapping[str, Any]) -> list[tuple[str, str, Json]]:
    """Return the steps: the file, and its relation to the line."""
    related = {"transactionId": arguments.get("line")}
    if "document" in arguments:
        return [("POST", f"/documents/{arguments['document']}/relations", related)]
    names = {
        "total": "total",
        "currency": "currency",
        "issued_on": "issuedOn",
        "sender": "sender",
        "number": "number",
    }
    body = {key: arguments[name] for name, key in names.items() if name in arguments}
    body |= {"content": outcomes.content_of(arguments), "fileName": arguments["file_name"]}
    kept = ("POST", "/documents", body)
    return (
        [kept]
        if "line" not in arguments
        else [kept, ("POST", "/documents/{1#/document/id}/relations", related)]
    )


def _stated(body: Json) -> Json | None:
    """Return the document that a file would become, with what it may belong to, or None for a refused file."""
    try:
        tried = api_calls.write("POST", "/documents", body, dryRun=True).body
    except RefusedCallError:
        return None
    answer: Json | None = tried["answer"]
    return answer if answer and "document" in answer else None


def _fitting(offered: Sequence[Json]) -> list[Json]:
    """List the lines that a document may belong to, the best first, with the evidence of each."""
    reasons = {
        each["transactionId"]: each["reason"]
        for each in offered
        if each["transactionId"] is not None and not each["isOtherWay"]
    }
    if not reasons:
        return []
    found = api_calls.get("/transactions", ids=list(reasons), limit=len(reasons), include="names")
    rows = {each["id"]: lines.line_row(each) for each in found["transactions"]}
    return [{**rows[line_id], "evidence": reason} for line_id, reason in reasons.items()]


def _read(document: Json) -> str:
    """Write a document's figures, the suggestions from its text, and its findings."""
    keys = ("sender", "number", "issuedOn", "total", "currency", "fileName")
    facts = [str(document[key]) for key in keys if document[key]]
    facts += [
        f"{each['field']} {each['value']}? (“{each['words']}”)" for each in document.get("suggestions", [])
    ]
    return ". ".join([", ".join(facts), *(each["message"] for each in document["findings"])])


TOOL = Tool(
    name="attach_document",
    title="Attach",
    description="Keep a receipt or invoice with its line; without one it shows those that fit.",
    takes=AttachmentSchema,
    gives=AttachedSchema,
    run=run,
    scope="draft",
)
