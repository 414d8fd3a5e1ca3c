"""The OpenAPI document as a person reads it: areas, their calls, and the shapes that these send and answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from webapp.reference import components
from webapp.reference.components import JSON, REFERENCE

WORDS = {"integer": "whole number", "string": "text", "boolean": "true or false", "object": "object"}
FORMATS = {
    "date": "day",
    "date-time": "instant",
    "int64": "whole number",
    "binary": "file",
    "uri": "web address",
}
TOKEN = '"Authorization: Bearer $TOKEN"'  # noqa: S105  (a shell's variable)


@dataclass(frozen=True, slots=True)
class DocumentedKey:
    """A parameter or a key: its name, its kind in words, the shape it holds if any, and what is said of it."""

    name: str
    kind: str
    shape: str = ""
    where: str = ""
    is_required: bool = False
    is_untrusted: bool = False
    said: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of JSON and its keys."""

    name: str
    said: str
    rows: list[DocumentedKey]


@dataclass(frozen=True, slots=True)
class DocumentedAnswer:
    """A status, what it means, its shape, and for refusals each code with its usual sentence."""

    status: str
    said: str
    shape: str
    codes: dict[str, str]


@dataclass(frozen=True, slots=True)
class CallPage:
    """A call, with all that a caller has to know."""

    name: str
    method: str
    path: str
    summary: str
    said: list[str]
    scope: str
    area: str
    parameters: list[DocumentedKey]
    body: str
    answers: list[DocumentedAnswer]
    curl: str
    example: str

    @property
    def words(self) -> str:
        """All that a search looks through."""
        codes = (code for answer in self.answers for code in answer.codes)
        names = (row.name for row in self.parameters)
        return " ".join(
            (self.method, self.path, self.summary, *self.said, self.area, *codes, *names)
        ).casefold()


def slug(area: str) -> str:
    """Write an area as a part of an address.

    >>> slug("What stands on watched accounts")
    'what-stands-on-watched-accounts'
    """
    return re.sub("[^a-z0-9]+", "-", area.lower()).strip("-")


def readings(document: dict[str, Any]) -> list[CallPage]:
    """Give every call of the document, by area and path."""
    found = [
        _reading(document, path, method, item)
        for path, item in document["paths"].items()
        for method in item
        if method != "parameters"
    ]
    return sorted(found, key=lambda each: (each.area, each.path, each.method))


def found_by(readings: list[CallPage], asked: str) -> list[CallPage]:
    """Give the calls that hold every word that was asked for."""
    wanted = asked.casefold().split()
    return [each for each in readings if all(word in each.words for word in wanted)]


def shapes(document: dict[str, Any], names: set[str] | None = None) -> list[Shape]:
    """Give the shapes that some names lead to, or all of them, from A to Z."""
    known = document["components"]["schemas"]
    roots = [{"$ref": REFERENCE + name} for name in (known if names is None else names)]
    return [_shape(name, known[name]) for name in sorted(components.reachable(roots, known))]


def shape_names(readings: list[CallPage]) -> set[str]:
    """Name the shapes that calls send and answer."""
    return {
        name for each in readings for name in (each.body, *(answer.shape for answer in each.answers)) if name
    }


def _reading(document: dict[str, Any], path: str, method: str, item: dict[str, Any]) -> CallPage:
    known = item[method]
    content = known.get("requestBody", {}).get("content", {})
    parameters = [*item.get("parameters", []), *known["parameters"]]
    answers = [_answer(document, status, each) for status, each in known["responses"].items()]
    return CallPage(
        name=known["operationId"],
        method=method.upper(),
        path=path,
        summary=known["summary"],
        said=known["description"].split("\n\n"),
        scope=known["x-scope"],
        area=known["tags"][0],
        parameters=[row(each["name"], each["schema"], each) for each in parameters],
        body=next(iter(components.named_by(content)), ""),
        answers=[each for each in answers if each.status.isdigit()],
        curl=curl(method.upper(), path, content),
        example=_example(known),
    )


def _shape(name: str, shape: dict[str, Any]) -> Shape:
    required = set(shape.get("required", []))
    rows = [
        row(key, each, {"required": key in required}) for key, each in shape.get("properties", {}).items()
    ]
    return Shape(name, shape.get("description", ""), rows)


def row(name: str, shape: dict[str, Any], place: dict[str, Any]) -> DocumentedKey:
    """Put a parameter or a key into words."""
    return DocumentedKey(
        name=name,
        kind=kind(shape),
        shape=next(iter(components.named_by(shape)), ""),
        where=place.get("in", ""),
        is_required=bool(place.get("required")),
        is_untrusted=bool(shape.get("x-untrusted")),
        said=place.get("description", shape.get("description", "")),
    )


def kind(shape: dict[str, Any]) -> str:
    """Say what a value is.

    >>> kind({"type": ["string", "null"], "minLength": 1, "maxLength": 255})
    'text, 1 to 255 characters, or null'
    >>> kind({"type": "array", "items": {"type": "integer", "format": "int64", "minimum": 1}})
    'list: whole number from 1'
    >>> kind({"enum": ["DRAFT", "POSTED"], "type": "string"})
    'DRAFT, POSTED'
    """
    types = shape.get("type", [])
    types = [types] if isinstance(types, str) else list(types)
    said = _kind(shape, next((each for each in types if each != "null"), ""))
    return f"{said}, or null" if "null" in types else said


def _kind(shape: dict[str, Any], type_: str) -> str:
    if "enum" in shape:
        return ", ".join(str(word) for word in shape["enum"] if word is not None)
    if type_ == "array":
        return f"list: {kind(shape['items'])}"
    if "$ref" in shape or "anyOf" in shape or "allOf" in shape or "oneOf" in shape:
        return next(components.named_by(shape), "object")
    if "pattern" in shape and "format" not in shape and type_ == "string":
        return "decimal" if shape["pattern"].startswith("^-?(0|") else WORDS[type_]
    return FORMATS.get(shape.get("format", ""), WORDS.get(type_, "anything")) + "".join(_bounds(shape))


def _bounds(shape: dict[str, Any]) -> Iterator[str]:
    if "maxLength" in shape:
        least = shape.get("minLength")
        yield (
            f", {least} to {shape['maxLength']} characters"
            if least
            else f", at most {shape['maxLength']} characters"
        )
    if "minimum" in shape:
        most = shape.get("maximum", 2**63)
        yield f" from {shape['minimum']}" + (f" to {most}" if most < 2**31 - 1 else "")


def _answer(document: dict[str, Any], status: str, known: dict[str, Any]) -> DocumentedAnswer:
    if "$ref" in known:
        known = document["components"]["responses"][known["$ref"].rpartition("/")[2]]
    content = known.get("content", {}).get(JSON, {})
    examples = content.get("examples", {})
    is_refusal = status.isdigit() and int(status) >= components.FAILURE
    codes = {code: each["summary"] for code, each in examples.items()} if is_refusal else {}
    return DocumentedAnswer(
        status, known["description"], next(iter(components.named_by(content.get("schema", {}))), ""), codes
    )


def curl(method: str, path: str, content: dict[str, Any]) -> str:
    """Write a call as a line for a shell."""
    parts = ["curl", "-H", TOKEN]
    if method != "GET":
        parts += ["-X", method]
    if JSON in content:
        example = content[JSON].get("examples", {}).get("example", {}).get("value", {})
        body = json.dumps(example, ensure_ascii=False).replace("'", "'\\''")
        parts += ["-H", '"Content-Type: application/json"', "-d", f"'{body}'"]
    elif content:
        parts += ["-F", "file=@statement.ofx"]
    return " ".join([*parts, f'"$BASE{path}"'])


def _example(known: dict[str, Any]) -> str:
    for status, each in known["responses"].items():
        content = each.get("content", {}).get(JSON, {})
        if status.startswith("2") and "example" in content.get("examples", {}):
            return json.dumps(content["examples"]["example"]["value"], indent=2, ensure_ascii=False)
    return ""
