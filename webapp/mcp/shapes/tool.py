"""A tool for models, with the shapes of its arguments and its answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import marshmallow as ma
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from webapp.ledger.scopes import PROPOSE
from webapp.ledger.texts.legible import visible
from webapp.mcp.shapes import tables
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import KEY, UNTRUSTED_KEY, Untrusted, UntrustedPaths, nested, paths_in

Json = dict[str, Any]

READ: Final = "read"
# What a model needs of a JSON Schema; the rest is in the refusals, where it is needed.
# By which names tools take what their answers name so.
ANSWERED_AS: Final[Mapping[str, Sequence[str]]] = {
    "lineId": ("line", "id"),
    "lineIds": ("ids",),
    "itemId": ("item",),
    "documentId": ("document",),
    "faId": ("account",),
    "accountId": ("category", "account"),
}
# What a write takes and its answers name where it is needed.
TOLD_LATER: Final = frozenset({"late", "replaces", "rate", "payment", UNTRUSTED_KEY})
KEPT: Final = ("type", "description", "enum", "properties", "required", "items")
_shapes = MarshmallowPlugin(schema_name_resolver=lambda _shape: "")
APISpec("Tools", "1", "3.1.0", plugins=[_shapes])


class ToolError(Exception):
    """A tool's refusal: a sentence that says what is true and what to do."""


@dataclass(frozen=True)
class Tool:
    """A tool; `scope` is the scope that a writing tool needs without a proposal."""

    name: str
    title: str
    description: str
    takes: type[Schema]
    gives: type[Schema]
    run: Callable[[Mapping[str, Any]], Json]
    scope: str = READ
    is_destructive: bool = False

    @property
    def writes(self) -> bool:
        """Whether it can change the books, or propose a change."""
        return self.scope != READ

    def is_open_to(self, scopes: frozenset[str]) -> bool:
        """Return whether a key with these scopes may use it: by itself, or by proposing."""
        return READ in scopes and (self.scope in scopes or (self.writes and PROPOSE in scopes))

    @cached_property
    def definition(self) -> Json:
        """The entry in `tools/list`."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema_of(self.takes),
            "outputSchema": outline_of(OutcomeSchema) if self.writes else schema_of(self.gives),
            "annotations": {
                "readOnlyHint": not self.writes,
                "destructiveHint": self.is_destructive,
                "idempotentHint": not self.writes,
                "openWorldHint": False,
            },
        }

    def call(self, arguments: Mapping[str, Any]) -> Json:
        """Run it: the result of `tools/call`; raises ToolError, or ma.ValidationError for other arguments."""
        shape = self.gives()
        takes = self.takes()
        structured = _seen(shape.dump(self.run(takes.load(as_taken(takes, arguments)))))
        if UNTRUSTED_KEY in structured:
            structured[UNTRUSTED_KEY] = paths_in(structured, structured[UNTRUSTED_KEY])
        text = {"type": "text", "text": tables.written(shape, structured)}
        return {"content": [text], "structuredContent": structured, "isError": False}


def as_taken(shape: ma.Schema, value: Any) -> Any:
    """Give ids the names that a tool takes them by, where they were sent by those that answers have."""
    if not isinstance(value, Mapping):
        return [as_taken(shape, each) for each in value] if isinstance(value, list) else value
    taken = {field.data_key or name: field for name, field in shape.load_fields.items()}
    found: Json = {}
    for key, inner in value.items():
        own = next((name for name in ANSWERED_AS.get(key, ()) if name in taken and name not in value), key)
        nested_shape = nested(taken[own]) if own in taken else None
        found[own if key not in taken else key] = (
            inner if nested_shape is None else as_taken(nested_shape, inner)
        )
    return found


def _seen(value: Any) -> Any:
    """Take the letters out of an answer that nobody sees."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {key: _seen(inner) for key, inner in value.items()}
    return [_seen(each) for each in value] if isinstance(value, list) else value


class ChangeSchema(Schema):
    """What an account gains or loses, or a proof that changes."""

    what = Untrusted()
    change = ma.fields.String()


class OutcomeSchema(Schema):
    """What a write did, or proposes: `status` is EXECUTED, PENDING (a person decides), PREVIEW or UNCHANGED.

    `warnings` are 20 sentences at most; `waiting` are other proposals that would change the same.
    """

    proposal = ma.fields.String(allow_none=True)
    status = ma.fields.String()
    summary = Untrusted()
    changes = ma.fields.List(ma.fields.Nested(ChangeSchema))
    blockers = ma.fields.List(Untrusted())
    warnings = ma.fields.List(Untrusted())
    waiting = ma.fields.List(Untrusted())
    next = ma.fields.String()
    untrusted = UntrustedPaths(("summary", "changes[].what", "blockers[]", "warnings[]", "waiting[]"))


def schema_of(shape: type[ma.Schema]) -> Json:
    """Return the JSON Schema of a shape (2020-12), without the parts for programs."""
    found = _pruned(_shapes.converter.schema2jsonschema(shape()))  # type: ignore[union-attr]
    return found if found.get("properties") else {"type": "object", "additionalProperties": False}


def outline_of(shape: type[ma.Schema]) -> Json:
    """Return the JSON Schema of a shape with only the names of its own keys, because ten tools repeat it."""
    full = schema_of(shape)
    return {**full, "properties": {name: {} for name in full["properties"]}}


def _pruned(schema: Mapping[str, Any]) -> Json:
    kept: Json = {}
    for key in KEPT:
        # What such text is stands in the instructions.
        if key not in schema or (key == "description" and KEY in schema):
            continue
        if key == "properties":
            inner = {name: _pruned(each) for name, each in schema[key].items() if name not in TOLD_LATER}
            kept[key] = inner
        elif key == "items":
            kept[key] = _pruned(schema[key])
        else:
            kept[key] = schema[key]
    return kept
