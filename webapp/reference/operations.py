"""One operation of the OpenAPI document: what flask-smorest knows of it, and what the house knows beside that."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from flask import current_app

from webapp.reference import components, refusals
from webapp.reference.calls import ApiCall, public_names
from webapp.reference.components import JSON
from webapp.reference.refusals import DocumentedError
from webapp.schemas.fields import LARGEST_ID, FormId
from webapp.schemas.untrusted import HEADER
from webapp.web.access import idempotency, rate_limits, selections
from webapp.web.access.auth import CrossSiteError
from webapp.web.access.requests import BODY_LIMIT, MEBIBYTE
from webapp.web.converters import ActIdConverter
from webapp.web.proposals import proposing

SUCCESS = re.compile("2[0-9][0-9]")
WORDS = {
    "200": "Done.",
    "201": "Made.",
}


def operation(call: ApiCall, known: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Complete what flask-smorest knows of a call."""
    body = known.get("requestBody")
    made = {
        "operationId": call.endpoint.removeprefix("api_").replace(".", "_"),
        "summary": call.summary,
        "description": description(call),
        "tags": [call.area],
        "security": components.SECURITY[1:] if call.session_only else components.SECURITY,
        "x-scope": call.scope,
        "parameters": [*of_query(known), *general_parameters(call)],
        "responses": {**answers(call, known), **failures(call)},
    }
    if body is not None:
        made["requestBody"] = with_need(body, schemas)
    return made


def description(call: ApiCall) -> str:
    """Say all that the summary leaves out: more of it, scope, limits, and what is done with what nobody knows."""
    said = [call.more]
    said.append(f"Needs the scope `{call.scope}`." if not call.session_only else "Only for who is signed in.")
    limit = getattr(call.view, "body_limit", BODY_LIMIT)
    if limit != BODY_LIMIT and not call.is_safe:
        said.append(f"The body may have {limit // MEBIBYTE} MiB.")
    if call.is_documented:
        said.append("Query parameters and body keys that are not known are ignored here.")
    return "\n\n".join(filter(None, said))


def path_parameters(call: ApiCall) -> list[dict[str, Any]]:
    """Describe the parameters of a path under their public names."""
    converters = {name: rule for rule in _rules(call) for name, rule in rule._converters.items()}  # noqa: SLF001  (Werkzeug shows them nowhere else)
    return [
        {
            "name": public,
            "in": "path",
            "required": True,
            "schema": _of_path(type(converters[own]).__name__),
        }
        for own, public in public_names(call.rule).items()
    ]


def _rules(call: ApiCall) -> list[Any]:
    return [rule for rule in current_app.url_map.iter_rules(call.endpoint) if rule.rule == call.rule]


def _of_path(converter: str) -> dict[str, Any]:
    if converter == "IdConverter":
        return {"type": "integer", "format": "int64", "minimum": 1, "maximum": LARGEST_ID}
    if converter == "ActIdConverter":
        return {"type": "string", "pattern": f"^{ActIdConverter.regex}$"}
    return {"type": "string", "minLength": 1}


def of_query(known: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the parameters of the query; one that is not sent is not null."""
    return [
        {**each, "schema": not_null(each["schema"])}
        for each in known.get("parameters", [])
        if each["in"] == "query"
    ]


def not_null(shape: dict[str, Any]) -> dict[str, Any]:
    """Take null out of what a query parameter may be.

    >>> not_null({"type": ["string", "null"], "default": None, "enum": ["A", None]})
    {'type': 'string', 'enum': ['A']}
    """
    shape = {key: value for key, value in shape.items() if (key, value) != ("default", None)}
    if isinstance(shape.get("type"), list):
        (shape["type"],) = (word for word in shape["type"] if word != "null")
    if "enum" in shape:
        shape["enum"] = [word for word in shape["enum"] if word is not None]
    return shape


def general_parameters(call: ApiCall) -> list[dict[str, Any]]:
    """Describe what any address of its kind takes: which keys to send, what of a list, and a key for a write."""
    record = selections.record_of(call.view)
    made = []
    if call.is_safe and record is not None:
        made.append(fields_parameter(record))
        shape: dict[str, Any] = {"type": "boolean", "default": False}
        if record.is_page:
            words = "Whether to count all that the filters leave, on whatever page: `total`."
            made.append(query_parameter(selections.COUNT, words, shape))
        if record.is_dated:
            words = "An instant: only what changed then or later. It may name more than that, never less."
            made.append(query_parameter(selections.SINCE, words, {"type": "string", "format": "date-time"}))
    if takes_key(call) and call.scope != "read":
        words = "Whether only to tell what the call would answer and change; nothing is written."
        made.append(query_parameter(selections.DRY_RUN, words, {"type": "boolean", "default": False}))
    if takes_key(call):
        made.append(idempotency.PARAMETER)
    return made


def query_parameter(name: str, words: str, shape: dict[str, Any]) -> dict[str, Any]:
    """Describe a parameter of the query that may be left out."""
    return {"name": name, "in": "query", "required": False, "description": words, "schema": shape}


def fields_parameter(record: selections.AnswerRecord) -> dict[str, Any]:
    """Describe the choice of a record's keys."""
    words = f"The keys to send of each of `{record.key}`, with commas between; without it, all."
    items = {"type": "string", "enum": list(record.names)}
    shape = {"type": "array", "minItems": 1, "items": items}
    return query_parameter(selections.FIELDS, words, shape) | {"style": "form", "explode": False}


def takes_key(call: ApiCall) -> bool:
    """Tell whether a call is a write that may be sent again under its key; what people decide is one in any case."""
    return call.method.lower() in idempotency.WRITES and (call.scope != "read" or call.session_only)


def with_need(body: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Say whether a call needs a body: where any of its keys is required."""
    names = components.named_by([content["schema"] for content in body["content"].values()])
    return {**body, "required": any(schemas[name].get("required") for name in names)}


def answers(call: ApiCall, known: dict[str, Any]) -> dict[str, Any]:
    """Describe what a call answers when it is done."""
    found = {}
    for status, each in known.get("responses", {}).items():
        if not SUCCESS.fullmatch(status):
            continue
        usual = each["description"] in {"OK", "Created"}
        headers = [] if call.session_only else [*components.COUNTED]
        headers += [HEADER] if selections.untrusted_of(call.view) else []
        headers += [idempotency.REPLAYED] if takes_key(call) else []
        found[status] = {
            **each,
            "description": WORDS[status] if usual else each["description"],
            "headers": {**components.header_references(*headers), **each.get("headers", {})},
        }
    if takes_key(call):
        found |= tried(call, found.get("200"))
    return found


def tried(call: ApiCall, done: dict[str, Any] | None) -> dict[str, Any]:
    """Describe what a write answers that was only tried: a dry run, or what waits for a person."""
    dry = {"$ref": f"{components.REFERENCE}DryRun"}
    headers = components.header_references(*(() if call.session_only else components.COUNTED))
    made = {"200": {"description": "Tried with `dryRun=true`; nothing is written.", "headers": headers}}
    made["200"]["content"] = {JSON: {"schema": dry}}
    if done is not None:
        shape = {"anyOf": [done["content"][JSON]["schema"], dry]}
        made["200"] = {**done, "content": {JSON: {"schema": shape}}}
    if not call.session_only:
        made["202"] = {"$ref": "#/components/responses/Waiting"}
    return made


def failures(call: ApiCall) -> dict[str, Any]:
    """Describe what a call can be refused with; what is refused everywhere alike stands among the components."""
    of_status: defaultdict[int, set[DocumentedError]] = defaultdict(set)
    for each in refusals_of(call):
        of_status[each.status].add(each)
    described = {str(status): components.refused(known) for status, known in sorted(of_status.items())}
    return {**described, "default": {"$ref": "#/components/responses/Unexpected"}}


def refusals_of(call: ApiCall) -> set[DocumentedError]:
    """Give every refusal that a call can meet: before its view, by its schemas, and by the rules of the books."""
    general = refusals.general
    found = {general(401), general(403), general(503), *refusals.of_view(rate_limits.take)}
    if takes_key(call):
        found |= refusals.of_view(idempotency.answered) | refusals.of_view(idempotency.settle)
        found |= refusals.of_view(proposing.propose)
    if call.schemas or general_parameters(call) or not call.is_documented:
        found.add(general(422))
    if not call.is_safe:
        found |= {
            general(400),
            general(413),
            general(415),
            general(403, CrossSiteError.own_code, CrossSiteError.description),
        }
        found.add(DocumentedError(409, "conflict", "This contradicts what is in the books; read them again."))
    by_rule = refusals.of_view(call.view, call.schemas)
    if call.is_safe:
        by_rule = {each for each in by_rule if not each.is_of_ledger}
    if not call.takes_ids and (call.is_safe or not names_ids(call)):
        by_rule = {each for each in by_rule if each.status != refusals.MISSING}
    if call.takes_ids:
        found.add(general(404))
    usual = {(each.status, each.code) for each in found}
    return found | {each for each in by_rule if (each.status, each.code) not in usual}


def names_ids(call: ApiCall) -> bool:
    """Tell whether the query of a call names something that may not be there."""
    return any(isinstance(each, FormId) for schema in call.schemas for each in schema().load_fields.values())
