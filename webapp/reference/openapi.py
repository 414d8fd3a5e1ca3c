"""The OpenAPI 3.1 document, made from the schemas of bodies and the declarations of views."""

from __future__ import annotations

import json
from typing import Any

from flask import Flask

from webapp.reference import components, guide, parameters, properties, typed_inputs
from webapp.reference.api_calls import ApiCall, calls, own_path
from webapp.reference.examples import recorded_examples, with_examples
from webapp.reference.operations import operation
from webapp.schemas.audit.effects import DryRunSchema
from webapp.schemas.audit.summaries import (
    DoneSummarySchema,
    DryRunSummarySchema,
    RequestSummarySchema,
    SummaryListSchema,
)
from webapp.web.access import notes

EXTENSION = "tieout-openapi"
# What is answered to more than one call, and is the answer of none by itself.
WITHOUT_VIEW = (
    DryRunSchema,
    DryRunSummarySchema,
    DoneSummarySchema,
    RequestSummarySchema,
    SummaryListSchema,
)
# The call whose recorded answer is a pending proposal.
PROPOSAL_EXAMPLE = "GET /api/action-requests/{id}"


def document(app: Flask) -> dict[str, Any]:
    """Return the document of an application, made once."""
    made = app.extensions.get(EXTENSION)
    if made is None:
        made = app.extensions[EXTENSION] = build(app)
    return dict(made)


def build(app: Flask) -> dict[str, Any]:
    """Make the document."""
    spec = app.extensions["flask-smorest"]["apis"][""]["ext_obj"].described()
    for schema in WITHOUT_VIEW:
        name = components.name_of(schema)
        if name not in spec.components.schemas:
            spec.components.schema(name, schema=schema)
    base = json.loads(json.dumps(spec.to_dict()))
    schemas = base["components"]["schemas"]
    paths: dict[str, Any] = {}
    for call in calls(app):
        item = base["paths"].get(own_path(call.rule))
        if item is None or call.method.lower() not in item:
            continue
        made = operation(call, item[call.method.lower()], schemas)
        place = paths.setdefault(
            call.path, {"parameters": parameters.of_path(call)} if call.takes_ids else {}
        )
        place[call.method.lower()] = with_examples(call, made)
        add_note(call, made, schemas)
    finish(schemas, paths, classes=shape_classes(app))
    responses = components.share_error_answers(paths) | {
        "Unexpected": components.unexpected_answer(),
        "Waiting": components.waiting_answer(recorded_examples()[PROPOSAL_EXAMPLE]["answer"]),
    }
    return {
        "openapi": base["openapi"],
        "info": base["info"] | guide.INFO,
        "servers": [{"url": "/", "description": "This installation"}],
        "tags": guide.tags({tag for item in paths.values() for tag in tags_of(item)}),
        "security": components.SECURITY,
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": responses,
            "headers": components.HEADERS,
            "securitySchemes": components.SECURITY_SCHEMES,
        },
    }


def finish(schemas: dict[str, Any], paths: dict[str, Any], *, classes: dict[str, type]) -> None:
    """Describe the schemas, allow other keys in answers, and remove unused schemas."""
    typed_inputs.describe(schemas)
    sent_in = components.reachable([each.get("requestBody") for each in operations(paths)], schemas)
    components.describe_shapes(schemas, classes)
    components.open_answers(schemas, sent_in)
    properties.describe(schemas)
    components.describe_defaults(schemas, sent_in)
    used = components.reachable(paths, schemas) | {"Error"}
    for name in schemas.keys() - used:
        del schemas[name]


def operations(paths: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all operations of all paths."""
    return [each for item in paths.values() for method, each in item.items() if method != "parameters"]


def tags_of(item: dict[str, Any]) -> set[str]:
    """Return the tags of a path."""
    return {tag for each in operations({"": item}) for tag in each["tags"]}


def add_note(call: ApiCall, made: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Describe the note in the JSON body of a write, unless its schema has its own."""
    body = made.get("requestBody", {}).get("content", {}).get(components.JSON, {}).get("schema", {})
    if call.is_safe or call.is_documented or not call.writes:
        return
    for name in components.references(body):
        if "properties" in schemas[name]:
            schemas[name]["properties"].setdefault(
                notes.NOTE,
                {"type": ["string", "null"], "maxLength": notes.MOST, "description": notes.OF_BODY},
            )


def shape_classes(app: Flask) -> dict[str, type]:
    """Return the Marshmallow class of each schema."""
    converter = app.extensions["flask-smorest"]["apis"][""]["ext_obj"].ma_plugin.converter
    return {name: key[0] for key, name in converter.refs.items()}
