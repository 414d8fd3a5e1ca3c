"""The OpenAPI document prepared for pages and Markdown: calls by area, and the schemas that they use."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webapp.reference import components
from webapp.reference.components import JSON, REFERENCE

TYPE_NAMES = {"integer": "whole number", "string": "text", "boolean": "true or false", "object": "object"}
FORMAT_NAMES = {
    "date": "day",
    "date-time": "instant",
    "int64": "whole number",
    "binary": "file",
    "uri": "web address",
}
TOKEN = '"Authorization: Bearer $TOKEN"'  # noqa: S105  (a shell's variable)


@dataclass(frozen=True, slots=True)
class DocumentedKey:
    """A parameter or a key: its name, its type in words, its schema and its description."""

    name: str
    kind: str
    shape: str = ""
    where: str = ""
    is_required: bool = False
    is_untrusted: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """A schema and its keys."""

    name: str
    description: str
    rows: list[DocumentedKey]


@dataclass(frozen=True, slots=True)
class DocumentedAnswer:
    """An answer: its status, description and schema, and the codes of errors with their usual sentences."""

    status: str
    description: str
    shape: str
    codes: dict[str, str]


@dataclass(frozen=True, slots=True)
class CallPage:
    """A call with its parameters, body, answers and example."""

    name: str
    method: str
    path: str
    summary: str
    description: list[str]
    scope: str
    area: str
    parameters: list[DocumentedKey]
    body: str
    answers: list[DocumentedAnswer]
    curl: str
    example: str

    @property
    def search_text(self) -> str:
        """The searchable text."""
        codes = (code for answer in self.answers for code in answer.codes)
        names = (row.name for row in self.parameters)
        return " ".join(
            (self.method, self.path, self.summary, *self.description, self.area, *codes, *names)
        ).casefold()


def slug(area: str) -> str:
    """Write an area as a part of a URL.

    >>> slug("Undo of a key's acts")
    'undo-of-a-key-s-acts'
    """
    return re.sub("[^a-z0-9]+", "-", area.lower()).strip("-")


def call_pages(document: dict[str, Any]) -> list[CallPage]:
    """Return all calls of the document, by area and path."""
    found = [
        _call_page(document, path, method, item)
        for path, item in document["paths"].items()
        for method in item
        if method != "parameters"
    ]
    return sorted(found, key=lambda each: (each.area, each.path, each.method))


def matching_calls(pages: list[CallPage], text: str) -> list[CallPage]:
    """Return the calls that contain every word of a search text."""
    words = text.casefold().split()
    return [each for each in pages if all(word in each.search_text for word in words)]


# What of a body is of the books: ids, and what was read there before.
OF_BOOKS: Final = re.compile(r"(^i|I)ds?$|^(cleared|uncleared|clearedEntries|digest|key|replaces|tokenId)$")


def shapes(document: dict[str, Any], names: set[str] | None = None) -> list[Shape]:
    """Return the schemas reachable from some names, or all of them, from A to Z."""
    schemas = document["components"]["schemas"]
    roots = [{"$ref": REFERENCE + name} for name in (schemas if names is None else names)]
    return [_shape(name, schemas[name]) for name in sorted(components.reachable(roots, schemas))]


def shape_names(pages: list[CallPage]) -> set[str]:
    """Return the names of the schemas that calls send and answer."""
    return {
        name for each in pages for name in (each.body, *(answer.shape for answer in each.answers)) if name
    }


def _call_page(document: dict[str, Any], path: str, method: str, item: dict[str, Any]) -> CallPage:
    operation = item[method]
    content = operation.get("requestBody", {}).get("content", {})
    parameters = [*item.get("parameters", []), *operation["parameters"]]
    answers = [_answer(document, status, each) for status, each in operation["responses"].items()]
    return CallPage(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=operation["description"].split("\n\n"),
        scope=operation["x-scope"],
        area=operation["tags"][0],
        parameters=[row(each["name"], each["schema"], each) for each in parameters],
        body=next(iter(components.references(content)), ""),
        answers=[each for each in answers if each.status.isdigit()],
        curl=_for_person(operation) + curl(method.upper(), path, content, parameters),
        example=_example(operation),
    )


def _shape(name: str, shape: dict[str, Any]) -> Shape:
    required = set(shape.get("required", []))
    rows = [
        row(key, each, {"required": key in required}) for key, each in shape.get("properties", {}).items()
    ]
    return Shape(name, shape.get("description", ""), rows)


def row(name: str, shape: dict[str, Any], place: dict[str, Any]) -> DocumentedKey:
    """Describe a parameter or a key."""
    return DocumentedKey(
        name=name,
        kind=kind(shape),
        shape=next(iter(components.references(shape)), ""),
        where=place.get("in", ""),
        is_required=bool(place.get("required")),
        is_untrusted=bool(shape.get("x-untrusted")),
        description=place.get("description", shape.get("description", "")),
    )


def kind(shape: dict[str, Any]) -> str:
    """Describe the type of a value.

    >>> kind({"type": ["string", "null"], "minLength": 1, "maxLength": 255})
    'text, 1 to 255 characters, or null'
    >>> kind({"type": "array", "items": {"type": "integer", "format": "int64", "minimum": 1}})
    'list: whole number from 1'
    >>> kind({"enum": ["DRAFT", "POSTED"], "type": "string"})
    'DRAFT, POSTED'
    """
    types = shape.get("type", [])
    types = [types] if isinstance(types, str) else list(types)
    text = _kind(shape, next((each for each in types if each != "null"), ""))
    return f"{text}, or null" if "null" in types else text


def _kind(shape: dict[str, Any], type_: str) -> str:
    if "enum" in shape:
        return ", ".join(str(each) for each in shape["enum"] if each is not None)
    if type_ == "array":
        return f"list: {kind(shape['items'])}"
    if "$ref" in shape or "anyOf" in shape or "allOf" in shape or "oneOf" in shape:
        return next(components.references(shape), "object")
    if "pattern" in shape and "format" not in shape and type_ == "string":
        return "decimal" if shape["pattern"].startswith("^-?(0|") else TYPE_NAMES[type_]
    return FORMAT_NAMES.get(shape.get("format", ""), TYPE_NAMES.get(type_, "anything")) + "".join(
        _bounds(shape)
    )


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


def _answer(document: dict[str, Any], status: str, response: dict[str, Any]) -> DocumentedAnswer:
    if "$ref" in response:
        response = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
    content = response.get("content", {}).get(JSON, {})
    examples = content.get("examples", {})
    is_refusal = status.isdigit() and int(status) >= components.FAILURE
    codes = {code: each["summary"] for code, each in examples.items()} if is_refusal else {}
    return DocumentedAnswer(
        status,
        response["description"],
        next(iter(components.references(content.get("schema", {}))), ""),
        codes,
    )


def curl(method: str, path: str, content: dict[str, Any], parameters: Sequence[dict[str, Any]] = ()) -> str:
    """Write a call as a shell command; a comment says what to put in the place of its ids and of files."""
    parts = ["curl", "-H", TOKEN]
    if method != "GET":
        parts += ["-X", method]
    example = content.get(JSON, {}).get("examples", {}).get("example", {}).get("value")
    has_form = any(each.startswith("multipart/") for each in content)
    needed = [each for each in parameters if each.get("in") == "query" and each.get("required")]
    ids = re.findall(r"{(\w+)}", path)
    if JSON in content and (example or not has_form):
        body = json.dumps(example or {}, ensure_ascii=False).replace("'", "'\\''")
        parts += ["-H", '"Content-Type: application/json"', "-d", f"'{body}'"]
    elif content:
        parts += ["-F", "file=@statement.ofx"]
    query = "&".join(f"{each['name']}={_value(each)}" for each in needed)
    command = " ".join([*parts, f'"$BASE{path}{"?" if query else ""}{query}"'])
    wanted = [f"the {name} of yours for {{{name}}}" for name in ids]
    of_body = list(dict.fromkeys(_of_yours(example)))
    wanted += [f"what is yours for {', '.join(of_body)}"] if of_body else []
    wanted += ["your file for statement.ofx"] * ("-F" in parts)
    return f"# Put {' and '.join(wanted)}.\n{command}" if wanted else command


def _of_yours(sent: Any) -> Iterator[str]:
    """Yield the keys of a body whose values are of the books that it is sent to.

    >>> list(_of_yours({"changes": [{"id": 4, "accountId": 7}], "note": "Tea", "projectId": None}))
    ['id', 'accountId']
    """
    for key, value in sent.items() if isinstance(sent, dict) else ():
        if value not in (None, [], "") and OF_BOOKS.search(key):
            yield key
        else:
            yield from _of_yours(value)
    for each in sent if isinstance(sent, list) else ():
        yield from _of_yours(each)


def _for_person(operation: dict[str, Any]) -> str:
    """Say of a call that no key may make that a person makes it."""
    is_for_keys = any(scheme in components.SECURITY[0] for each in operation["security"] for scheme in each)
    return "" if is_for_keys else "# A person does this, signed in; an API key is refused.\n"


def _value(parameter: dict[str, Any]) -> str:
    """Give a value that a parameter takes."""
    shape = parameter["schema"]
    if "enum" in shape:
        return str(shape["enum"][0])
    return str(shape.get("example", {"date": "2026-03-31"}.get(shape.get("format", ""), "1")))


def _example(operation: dict[str, Any]) -> str:
    for status, each in operation["responses"].items():
        content = each.get("content", {}).get(JSON, {})
        if status.startswith("2") and "example" in content.get("examples", {}):
            return json.dumps(content["examples"]["example"]["value"], indent=2, ensure_ascii=False)
    return ""
