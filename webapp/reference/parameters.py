"""The parameters of a call in the OpenAPI document: of its path, of its query, and of all calls of its kind."""

import re
from typing import Any, Final

from webapp.reference import conditions
from webapp.reference.api_calls import ApiCall, public_names
from webapp.schemas.answer_records import AnswerRecord
from webapp.schemas.fields import LARGEST_ID
from webapp.web.access import idempotency, notes, selections
from webapp.web.converters import ActIdConverter

# A parameter of a rule: its converter and its name.
PART: Final = re.compile(r"<(?:(\w+):)?(\w+)>")


def of_path(call: ApiCall) -> list[dict[str, Any]]:
    """Describe the parameters of a path under their public names."""
    converters = {name: converter for converter, name in PART.findall(call.rule)}
    return [
        {
            "name": public,
            "in": "path",
            "required": True,
            "schema": _shape_of(converters[own]),
        }
        for own, public in public_names(call.rule).items()
    ]


def _shape_of(converter: str) -> dict[str, Any]:
    if converter == "id":
        return {"type": "integer", "format": "int64", "minimum": 1, "maximum": LARGEST_ID}
    if converter == "act":
        return {"type": "string", "pattern": f"^{ActIdConverter.regex}$"}
    return {"type": "string", "minLength": 1}


def of_query(base: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters of the query, which are never null."""
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


def general(call: ApiCall) -> list[dict[str, Any]]:
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
    if call.takes_key and call.writes:
        text = "Whether only to preview the answer and the effect of the call; nothing is written."
        made.append(query_parameter(selections.DRY_RUN, text, {"type": "boolean", "default": False}))
        made += view_parameters()
        made.append(
            query_parameter(notes.NOTE, notes.DESCRIPTION, {"type": "string", "maxLength": notes.MOST})
        )
        text = "Of a proposal: the older proposal of the same key that ends when this one comes."
        made.append(query_parameter(selections.REPLACES, text, {"type": "string"}))
    if call.takes_key:
        made.append(idempotency.PARAMETER)
    return [*made, *conditions.parameters(call)]


def view_parameter() -> dict[str, Any]:
    """Describe `view`, the choice between the whole answer and a few figures."""
    text = "`summary` sends a few figures with the address of the whole effect, in the place of everything."
    return query_parameter(
        selections.VIEW, text, {"enum": [selections.FULL, selections.SUMMARY], "default": selections.FULL}
    )


def view_parameters() -> list[dict[str, Any]]:
    """Describe the choices for a write's answer: a summary, and some of its keys."""
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
    """Describe `include`, the choice of additional keys."""
    text = f"What to send of each of `{record.key}` beside its own keys, separated by commas."
    shape = {"type": "array", "minItems": 1, "items": {"type": "string", "enum": record.words}}
    return query_parameter(selections.INCLUDE, text, shape) | {"style": "form", "explode": False}
