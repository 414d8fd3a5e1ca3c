"""One operation of the OpenAPI document: flask-smorest's description, completed with scopes, headers and errors."""

import re
from collections import defaultdict
from typing import Any

import marshmallow as ma

from webapp.database import failures
from webapp.ledger.errors import NotFoundError
from webapp.reference import components, conditions, documented_errors, parameters
from webapp.reference.api_calls import ApiCall
from webapp.reference.components import JSON
from webapp.reference.documented_errors import DocumentedError
from webapp.schemas.audit.summaries import DoneSummarySchema, DryRunSummarySchema, RequestSummarySchema
from webapp.schemas.fields import FormId
from webapp.schemas.untrusted import HEADER
from webapp.web.access import (
    heavy_calls,
    idempotency,
    rate_limits,
    selections,
    strictness,
)
from webapp.web.access.hosts import CrossSiteError
from webapp.web.access.requests import BODY_LIMIT, MEBIBYTE
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
        "security": components.SECURITY[1:]
        if call.session_only and not call.decides
        else components.SECURITY,
        "x-scope": call.scope,
        "parameters": [*parameters.of_query(base), *parameters.general(call)],
        "responses": {**success_answers(call, base), **error_answers(call)},
    }
    if body is not None:
        made["requestBody"] = with_requirement(body, schemas)
    return made


def description(call: ApiCall) -> str:
    """Return the description of a call: the rest of its docstring, scope, limits, and unknown keys."""
    parts = [call.more]
    parts.append(
        f"Needs the scope `{call.scope}`."
        if not call.session_only
        else "Only in the web client, for a signed-in person, or with a key that has the scope `approve`."
        if call.decides
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


def with_requirement(body: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Return a body with `required`, set if any of its keys is required."""
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
        headers += [idempotency.REPLAYED] if call.takes_key else []
        headers += conditions.headers(call)
        found[status] = {
            **each,
            "description": USUAL_DESCRIPTIONS[status] if usual else each["description"],
            "headers": {**components.header_references(*headers), **each.get("headers", {})},
        }
    found |= conditions.answers(call)
    if call.takes_key:
        found |= dry_run_answers(call, found.get("200"), found.get("202"))
    summary = selections.summary_schema(call.view)
    if summary is not None:
        whole = found["200"]["content"][JSON]["schema"]
        found["200"]["content"] = {JSON: {"schema": {"anyOf": [whole, reference_to(type(summary))]}}}
    return found


def reference_to(schema: type[ma.Schema]) -> dict[str, str]:
    """Refer to a shape that no single call answers with."""
    return {"$ref": f"{components.REFERENCE}{components.name_of(schema)}"}


def dry_run_answers(
    call: ApiCall, done: dict[str, Any] | None, begun: dict[str, Any] | None
) -> dict[str, Any]:
    """Describe the answers of a write without execution: a dry run, a proposal, or what the worker does later."""
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
        if begun is not None:
            waits = [
                {"$ref": f"{components.REFERENCE}ActionRequestAnswer"},
                reference_to(RequestSummarySchema),
            ]
            shape = {"anyOf": [begun["content"][JSON]["schema"], *waits]}
            made["202"] = {**begun, "content": {JSON: {"schema": shape}}}
    return made


def error_answers(call: ApiCall) -> dict[str, Any]:
    """Describe the error answers of a call, without those of the components."""
    of_status: defaultdict[int, set[DocumentedError]] = defaultdict(set)
    for each in errors_of(call):
        of_status[each.status].add(each)
    answers = {str(status): components.error_answer(each) for status, each in sorted(of_status.items())}
    return {**answers, "default": {"$ref": "#/components/responses/Unexpected"}}


def errors_of(call: ApiCall) -> set[DocumentedError]:
    """Return all errors that a call can have: before its view, by its schemas, and by the rules of the books."""
    general = documented_errors.general
    found = {general(401), general(403), general(503), *documented_errors.of_view(rate_limits.count_request)}
    found |= documented_errors.of_class(failures.DiskFullError) | conditions.errors(call)
    if getattr(call.view, "is_heavy", False):
        found |= documented_errors.of_class(heavy_calls.TooManyAtOnceError)
    if call.takes_key:
        found |= documented_errors.of_view(idempotency.answered) | documented_errors.of_view(
            idempotency.store
        )
        found |= documented_errors.of_view(proposing.propose)
    if call.schemas or parameters.general(call) or not call.is_documented:
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
        # What an id in a body names is looked up by what finds those of addresses, and refused as a value.
        (of_ids,) = documented_errors.of_class(NotFoundError)
        by_rule = {each for each in by_rule if each.sentence != of_ids.sentence}
    if call.takes_ids:
        found.add(general(404))
    usual = {(each.status, each.code) for each in found}
    return found | {each for each in by_rule if (each.status, each.code) not in usual}


def names_ids(call: ApiCall) -> bool:
    """Return whether the query of a call has ids, whose objects may not exist."""
    return any(isinstance(each, FormId) for schema in call.schemas for each in schema().load_fields.values())
