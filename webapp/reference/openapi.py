"""The OpenAPI 3.1 document: schemas of bodies, declarations of views, recorded examples, words of properties."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask

from webapp.reference import components, guide, parameters, typed_inputs
from webapp.reference.api_calls import ApiCall, calls, own_path
from webapp.reference.components import JSON
from webapp.reference.operations import operation
from webapp.schemas.audit.effects import DryRunSchema
from webapp.schemas.audit.summaries import (
    DoneSummarySchema,
    DryRunSummarySchema,
    RequestSummarySchema,
    SummaryListSchema,
)
from webapp.schemas.untrusted import UNTRUSTED
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
FILE = Path(__file__).with_name("examples.json")
PROPERTIES_FILE = Path(__file__).with_name("properties.toml")


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
    schemas |= components.error_schemas(paths)
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
    describe(schemas)
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
            if notes.takes_late(call.view):
                schemas[name]["properties"].setdefault(notes.LATE, notes.LATE_SHAPE)


def shape_classes(app: Flask) -> dict[str, type]:
    """Return the Marshmallow class of each schema."""
    converter = app.extensions["flask-smorest"]["apis"][""]["ext_obj"].ma_plugin.converter
    return {name: key[0] for key, name in converter.refs.items()}


@cache
def recorded_examples() -> dict[str, Any]:
    """Return the recorded requests and answers by call; tests/contract records and repeats them."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def example_of(call: ApiCall) -> dict[str, Any] | None:
    """Return the example of a call."""
    found: dict[str, Any] | None = recorded_examples().get(f"{call.method} {call.path}")
    return found


def with_examples(call: ApiCall, made: dict[str, Any]) -> dict[str, Any]:
    """Add the example of a call to the schemas of its body and of its answer."""
    example = example_of(call)
    if example is None:
        return made
    body = made.get("requestBody", {}).get("content", {})
    if "body" in example and JSON in body:
        body[JSON]["examples"] = {"example": {"value": example["body"]}}
    answer = made["responses"].get(str(example["status"]), {}).get("content", {})
    for content in answer.values():
        content["examples"] = {"example": {"value": example["answer"]}}
    return made


@dataclass(frozen=True, slots=True)
class PropertyWords:
    """The words of a name: `shared` everywhere, except `differs` by name and schema."""

    shared: Mapping[str, str]
    differs: Mapping[tuple[str, str], str]

    def of(self, schema: str, name: str) -> str | None:
        """Return the words for a property of a schema, or None."""
        return self.differs.get((schema, name), self.shared.get(name))


@cache
def words() -> PropertyWords:
    """Read the words once."""
    found = tomllib.loads(PROPERTIES_FILE.read_text())
    differs = {
        (schema, name): sentence
        for name, sentences in found["differs"].items()
        for schemas, sentence in sentences.items()
        for schema in schemas.split()
    }
    return PropertyWords(found["shared"], differs)


def describe(schemas: dict[str, Any]) -> None:
    """Describe the properties without a description, or with only the origin of their text."""
    origin = UNTRUSTED["description"]
    for name, shape in schemas.items():
        for key, each in shape.get("properties", {}).items():
            sentence, own = words().of(name, key), each.get("description", "")
            if sentence and own in ("", origin):
                each["description"] = f"{sentence} {own}".rstrip()
