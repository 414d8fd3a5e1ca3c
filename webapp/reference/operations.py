"""One operation of the OpenAPI document: flask-smorest's description, completed with scopes, headers and errors."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import marshmallow as ma
from flask import current_app

from webapp import failures
from webapp.reference import components, conditions, documented_errors
from webapp.reference.api_calls import ApiCall, public_names
from webapp.reference.components import JSON
from webapp.reference.documented_errors import DocumentedError
from webapp.schemas.answer_records import AnswerRecord
from webapp.schemas.audit.summaries import DoneSummarySchema, DryRunSummarySchema
from webapp.schemas.fields import LARGEST_ID, FormId
from webapp.schemas.untrusted import HEADER
from webapp.web.access import (
    heavy_calls,
    idempotency,
    notes,
    rate_limits,
    selections,
    strictness,
)
from webapp.web.access.hosts import CrossSiteError
from webapp.web.access.requests import BODY_LIMIT, MEBIBYTE
from webapp.web.converters import ActIdConverter
from webapp.web.proposals import proposing

SUCCESS = re.compile("2[0-9][0-9]")
USUAL_DESCRIPTIONS = {
    "200": "Done.",
    "201": "Made.",
}


def operation(call: ApiCall, base: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Complete flask-smorest's description of a call."""
    body = base.get("requestBody")
    made = {
        "operationId": call.endpoint.removeprefix("api_").replace(".", "_"),
        "summary": call.summary,
        "description": description(call),
        "tags": [call.area],
        "security": components.SECURITY[1:] if call.session_only else components.SECURITY,
        "x-scope": call.scope,
        "parameters": [*of_query(base), *general_parameters(call)],
        "responses": {**success_answers(call, base), **error_answers(call)},
    }
    if body is not None:
        made["requestBody"] = with_requirement(body, schemas)
    return made


def description(call: ApiCall) -> str:
    """The description of a call: the rest of its docstring, its scope, its limits, and unknown keys."""
    parts = [call.more]
    parts.append(
        f"Needs the scope `{call.scope}`."
        if not call.session_only
        else "Only in the web client, for a signed-in person."
    )
    limit = getattr(call.view, "body_limit", BODY_LIMIT)
    if limit != BODY_LIMIT and not call.is_safe:
        parts.append(f"The body may have {limit // MEBIBYTE} MiB.")
    if getattr(call.view, "is_heavy", False):
        parts.append(
            "A heavy call: a key runs two at once, and an installation four (429 `too_many_at_once`)."
        )
    if call.is_documented:
        parts.append("Unknown query parameters and body keys are ignored.")
    return "\n\n".join(filter(None, parts))


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


def of_query(base: dict[str, Any]) -> list[dict[str, Any]]:
    """The parameters of the query, which are never null."""
    return [
        {**each, "schema": not_null(each["schema"])}
        for each in base.get("parameters", [])
        if each["in"] == "query"
    ]


def not_null(shape: dict[str, Any]) -> dict[str, Any]:
    """Remove null from the schema of a query parameter.

    >>> not_null({"type": ["string", "null"], "default": None, "enum": ["A", None]})
    {'type': 'string', 'enum': ['A']}
    """
    shape = {key: value for key, value in shape.items() if (key, value) != ("default", None)}
    if isinstance(shape.get("type"), list):
        (shape["type"],) = (each for each in shape["type"] if each != "null")
    if "enum" in shape:
        shape["enum"] = [each for each in shape["enum"] if each is not None]
    return shape


def general_parameters(call: ApiCall) -> list[dict[str, Any]]:
    """Describe the parameters that all calls of a kind take: `fields`, `include`, `count`, `dryRun` and others."""
    record = selections.record_of(call.view)
    made = []
    if call.is_safe and record is not None:
        made.append(fields_parameter(record))
        if record.extras:
            made.append(include_parameter(record))
        if selections.summary_schema(call.view) is not None:
            made.append(view_parameter())
        shape: dict[str, Any] = {"type": "boolean", "default": False}
        if record.is_page:
            text = "Whether to count all records that match the filters: `total`."
            made.append(query_parameter(selections.COUNT, text, shape))
        if record.is_dated:
            text = "An instant: only records that changed then or later; it may list more, never fewer."
            made.append(query_parameter(selections.SINCE, text, {"type": "string", "format": "date-time"}))
    if takes_key(call) and call.writes:
        text = "Whether only to preview the answer and the effect of the call; nothing is written."
        made.append(query_parameter(selections.DRY_RUN, text, {"type": "boolean", "default": False}))
        made += view_parameters()
        made.append(
            query_parameter(notes.NOTE, notes.DESCRIPTION, {"type": "string", "maxLength": notes.MOST})
        )
    if takes_key(call):
        made.append(idempotency.PARAMETER)
    return [*made, *conditions.parameters(call)]


def view_parameter() -> dict[str, Any]:
    """Describe `view`, the choice between everything and a few figures."""
    text = "`summary` sends a few figures with the address of the whole effect, in the place of everything."
    return query_parameter(
        selections.VIEW, text, {"enum": [selections.FULL, selections.SUMMARY], "default": selections.FULL}
    )


def view_parameters() -> list[dict[str, Any]]:
    """Describe what a write may be asked of its answer: a summary, and some keys of it."""
    text = "With `view=summary`: the keys of the summary to send, separated by commas; by default all."
    shape = {"type": "array", "minItems": 1, "items": {"type": "string"}}
    own = query_parameter(selections.FIELDS, text, shape) | {"style": "form", "explode": False}
    return [view_parameter(), own]


def query_parameter(name: str, text: str, shape: dict[str, Any]) -> dict[str, Any]:
    """Describe an optional parameter of the query."""
    return {"name": name, "in": "query", "required": False, "description": text, "schema": shape}


def fields_parameter(record: AnswerRecord) -> dict[str, Any]:
    """Describe `fields`, the choice of a record's keys."""
    text = (
        f"The keys to send of each of `{record.key}`, separated by commas; by default all. The answer then has these"
        " alone, also where its shape requires others."
    )
    for each in record.beside:
        text += f" Keys of `{each.key}` may be named as well: with none but these `{record.key}` is left out."
    items = {"type": "string", "enum": [name for each in record.family for name in each.names]}
    shape = {"type": "array", "minItems": 1, "items": items}
    return query_parameter(selections.FIELDS, text, shape) | {"style": "form", "explode": False}


def include_parameter(record: AnswerRecord) -> dict[str, Any]:
    """Describe `include`, the choice of what is not sent unasked."""
    text = f"What to send of each of `{record.key}` beside its own keys, separated by commas."
    shape = {"type": "array", "minItems": 1, "items": {"type": "string", "enum": record.words}}
    return query_parameter(selections.INCLUDE, text, shape) | {"style": "form", "explode": False}


def takes_key(call: ApiCall) -> bool:
    """Return whether a call takes an Idempotency-Key: it is a write, also one for signed-in people only."""
    return call.method.lower() in idempotency.WRITES and (call.writes or call.session_only)


def with_requirement(body: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """A body with `required`: it is if any of its keys is."""
    names = components.references([content["schema"] for content in body["content"].values()])
    return {**body, "required": any(schemas[name].get("required") for name in names)}


def success_answers(call: ApiCall, base: dict[str, Any]) -> dict[str, Any]:
    """Describe the answers of a successful call."""
    found = {}
    for status, each in base.get("responses", {}).items():
        if not SUCCESS.fullmatch(status):
            continue
        usual = each["description"] in {"OK", "Created"}
        headers = [] if call.session_only else [*components.COUNTED]
        headers += [HEADER] if selections.untrusted_of(call.view) else []
        headers += [idempotency.REPLAYED] if takes_key(call) else []
        headers += conditions.headers(call)
        found[status] = {
            **each,
            "description": USUAL_DESCRIPTIONS[status] if usual else each["description"],
            "headers": {**components.header_references(*headers), **each.get("headers", {})},
        }
    found |= conditions.answers(call)
    if takes_key(call):
        found |= dry_run_answers(call, found.get("200"))
    summary = selections.summary_schema(call.view)
    if summary is not None:
        whole = found["200"]["content"][JSON]["schema"]
        found["200"]["content"] = {JSON: {"schema": {"anyOf": [whole, reference_to(type(summary))]}}}
    return found


def reference_to(schema: type[ma.Schema]) -> dict[str, str]:
    """Refer to a shape that no call alone answers with."""
    return {"$ref": f"{components.REFERENCE}{components.name_of(schema)}"}


def dry_run_answers(call: ApiCall, done: dict[str, Any] | None) -> dict[str, Any]:
    """Describe the answers of a write that was not executed: a dry run, or a proposal."""
    dry = {"$ref": f"{components.REFERENCE}DryRun"}
    short = [reference_to(each) for each in (DoneSummarySchema, DryRunSummarySchema)]
    headers = components.header_references(*(() if call.session_only else components.COUNTED))
    made = {"200": {"description": "A dry run with `dryRun=true`; nothing is written.", "headers": headers}}
    made["200"]["content"] = {JSON: {"schema": {"anyOf": [dry, *short]} if call.writes else dry}}
    if done is not None:
        shape = {"anyOf": [done["content"][JSON]["schema"], dry, *(short if call.writes else [])]}
        made["200"] = {**done, "content": {JSON: {"schema": shape}}}
    if not call.session_only:
        made["202"] = {"$ref": "#/components/responses/Waiting"}
    return made


def error_answers(call: ApiCall) -> dict[str, Any]:
    """Describe the error answers of a call, without those of the components."""
    of_status: defaultdict[int, set[DocumentedError]] = defaultdict(set)
    for each in errors_of(call):
        of_status[each.status].add(each)
    answers = {str(status): components.error_answer(each) for status, each in sorted(of_status.items())}
    return {**answers, "default": {"$ref": "#/components/responses/Unexpected"}}


def errors_of(call: ApiCall) -> set[DocumentedError]:
    """All errors that a call can have: before its view, by its schemas, and by the rules of the books."""
    general = documented_errors.general
    found = {general(401), general(403), general(503), *documented_errors.of_view(rate_limits.count_request)}
    found |= documented_errors.of_class(failures.DiskFullError) | conditions.errors(call)
    if getattr(call.view, "is_heavy", False):
        found |= documented_errors.of_class(heavy_calls.TooManyAtOnceError)
    if takes_key(call):
        found |= documented_errors.of_view(idempotency.answered) | documented_errors.of_view(
            idempotency.settle
        )
        found |= documented_errors.of_view(proposing.propose)
    if call.schemas or general_parameters(call) or not call.is_documented:
        found.add(general(422))
    if call.is_safe and any(strictness.id_filters(schema) for schema in call.schemas):
        by_filter = documented_errors.of_view(strictness.refuse_unknown_ids)
        found |= {each for each in by_filter if each.status != documented_errors.MISSING}
    if not call.is_safe:
        found |= documented_errors.of_class(failures.UnknownOutcomeError)
        found |= {
            general(400),
            general(413),
            general(415),
            general(403, CrossSiteError.own_code, CrossSiteError.description),
        }
        found.add(DocumentedError(409, "conflict", "This contradicts what is in the books; read them again."))
    by_rule = documented_errors.of_view(call.view, call.schemas)
    if call.is_safe:
        by_rule = {each for each in by_rule if not each.is_of_ledger}
    if not call.takes_ids and (call.is_safe or not names_ids(call)):
        by_rule = {each for each in by_rule if each.status != documented_errors.MISSING}
    if call.takes_ids:
        found.add(general(404))
    usual = {(each.status, each.code) for each in found}
    return found | {each for each in by_rule if (each.status, each.code) not in usual}


def names_ids(call: ApiCall) -> bool:
    """Return whether the query of a call has ids, of objects that may not exist."""
    return any(isinstance(each, FormId) for schema in call.schemas for each in schema().load_fields.values())
