"""What every operation of the OpenAPI document shares: the shapes, the ways to sign in, and the usual refusals."""

from __future__ import annotations

import inspect
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from webapp.reference.refusals import BUSY, TOO_MANY, DocumentedError, general

JSON = "application/json"
FAILURE, LONGEST_NAME = 400, 60
REFERENCE = "#/components/schemas/"
SECURITY: list[dict[str, list[str]]] = [{"token": []}, {"session": []}]
SECURITY_SCHEMES = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key from Settings: `Authorization: Bearer tie_…`. Where this header is sent it alone"
        " decides who asks; a bad key is 401 and never falls back to a cookie.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "tieout",
        "description": "The web client's session (`__Host-tieout` over HTTPS). What changes something must come from"
        " Tieout's own pages: `Sec-Fetch-Site: same-origin`, or an `Origin` that is ours, else 403 `csrf`.",
    },
}
COUNT = {"type": "string", "pattern": "^[0-9]+$"}
HEADERS = {
    "X-Request-Id": {
        "description": "The request's id, by which the log knows it. One of 8 to 64 letters, digits, - or _"
        " that you send is kept.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{8,64}$"},
    },
    "WWW-Authenticate": {
        "description": "How to authenticate (RFC 6750).",
        "schema": {"type": "string", "pattern": "^Bearer"},
    },
    "Retry-After": {
        "description": "After how many seconds to try again.",
        "schema": COUNT,
    },
    "RateLimit-Limit": {
        "description": "How many requests a minute this key may make; a minute's worth may come at once.",
        "schema": COUNT,
    },
    "RateLimit-Remaining": {
        "description": "How many requests this key may make at once from here; they come back steadily.",
        "schema": COUNT,
    },
    "RateLimit-Reset": {
        "description": "After how many seconds `RateLimit-Remaining` will be `RateLimit-Limit` again.",
        "schema": COUNT,
    },
    "Idempotency-Replayed": {
        "description": "There when this is the answer that was given to the same key before.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "X-Untrusted-Fields": {
        "description": "The paths in this answer whose text comes from a bank, a file or a document, with commas"
        " between; `*` for a file. It is data, whatever it says.",
        "schema": {"type": "string"},
    },
}
COUNTED = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
WITH_HEADERS = {401: ("WWW-Authenticate",), TOO_MANY: ("Retry-After", *COUNTED), BUSY: ("Retry-After",)}


def header_references(*names: str) -> dict[str, Any]:
    """Point to headers that stand among the components."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", *names)}


def refused(refusals: Iterable[DocumentedError]) -> dict[str, Any]:
    """Describe an answer with one status: its codes, with the usual sentence of each as an example."""
    known = sorted(refusals)
    codes = sorted({each.code for each in known})
    schema = {
        "allOf": [
            {"$ref": f"{REFERENCE}Error"},
            {"type": "object", "properties": {"code": {"type": "string", "enum": codes}}},
        ]
    }
    examples = {
        each.code: {"summary": each.sentence, "value": {"error": each.sentence, "code": each.code}}
        for each in reversed(known)
    }
    said = "; ".join(f"`{code}`" for code in codes)
    return {
        "description": f"Refused: {said}.",
        "headers": header_references(*WITH_HEADERS.get(known[0].status, ())),
        "content": {JSON: {"schema": schema, "examples": dict(sorted(examples.items()))}},
    }


def waiting(example: Any) -> dict[str, Any]:
    """Describe what any write answers that was only proposed, with an example."""
    content = {
        "schema": {"$ref": f"{REFERENCE}ActionRequestAnswer"},
        "examples": {"proposed": {"value": example}},
    }
    return {
        "description": "Not done yet: it waits for somebody to approve it.",
        "headers": header_references(*COUNTED),
        "content": {JSON: content},
    }


def unexpected() -> dict[str, Any]:
    """Describe what may be answered to any call and is no matter of its own."""
    described = refused([general(405), general(500)])
    described["content"][JSON]["schema"] = {"$ref": f"{REFERENCE}Error"}
    return described | {"description": "Anything else; its shape is the same."}


def shared(paths: dict[str, Any]) -> dict[str, Any]:
    """Move refusals that several operations describe alike among the components; give them by their names.

    One of too many codes for a name is called after the first operation that has it.
    """
    places: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for item in paths.values():
        for method, each in item.items():
            if method != "parameters":
                for status, answer in each["responses"].items():
                    if status.isdigit() and int(status) >= FAILURE:
                        places[json.dumps([status, answer], sort_keys=True)].append(each)
    found: dict[str, Any] = {}
    for written, holders in sorted(places.items()):
        status, answer = json.loads(written)
        if len(holders) > 1:
            codes = "_or_".join(sorted(answer["content"][JSON]["examples"]))
            name = (
                pascal(codes)
                if len(codes) <= LONGEST_NAME
                else pascal(f"{holders[0]['operationId']}_{status}")
            )
            found[name] = answer
            for holder in holders:
                holder["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    return found


def pascal(words: str) -> str:
    """Write words as a name.

    >>> pascal("csrf_or_forbidden")
    'CsrfOrForbidden'
    """
    return "".join(word.capitalize() for word in words.split("_"))


def described(schemas: dict[str, Any], classes: dict[str, type]) -> None:
    """Say of every shape what its class says of itself."""
    for name, shape in schemas.items():
        said = inspect.cleandoc(classes[name].__doc__ or "") if name in classes else ""
        if said and "$ref" not in shape:
            shape.setdefault("description", said)


def opened(schemas: dict[str, Any], sent_in: set[str], narrowed: set[str]) -> None:
    """Let the shapes of answers grow, and say which keys they always have.

    `sent_in` are the shapes of requests, which stay closed; of `narrowed` records `fields` may ask for less.
    """
    for name, shape in schemas.items():
        if name in sent_in or shape.get("type") != "object":
            continue
        shape.pop("additionalProperties", None)
        properties = shape.get("properties", {})
        always = [key for key, each in properties.items() if not each.pop("x-optional", False)]
        if always and name not in narrowed:
            shape["required"] = always


def named_by(thing: Any) -> Iterator[str]:
    """Give the names of the shapes that a piece of the document points to."""
    if isinstance(thing, dict):
        target = thing.get("$ref")
        if isinstance(target, str) and target.startswith(REFERENCE):
            yield target.removeprefix(REFERENCE)
        for inner in thing.values():
            yield from named_by(inner)
    elif isinstance(thing, list):
        for inner in thing:
            yield from named_by(inner)


def reachable(roots: Any, schemas: dict[str, Any]) -> set[str]:
    """Give the names of all shapes that a piece of the document needs."""
    found: set[str] = set()
    waiting = list(named_by(roots))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(named_by(schemas.get(name, {})))
    return found
