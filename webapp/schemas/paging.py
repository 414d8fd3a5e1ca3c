"""The shapes that every list and every answer share."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from webapp.schemas.base import OPTIONAL, Schema
from webapp.schemas.fields import Digits, Text
from webapp.schemas.untrusted import UNTRUSTED_KEY, UntrustedPaths, untrusted_paths

DEFAULT_LIMIT, LARGEST_LIMIT = 50, 200


class PageSchema(Schema):
    """What every list takes."""

    limit = Digits(least=1, most=LARGEST_LIMIT, load_default=DEFAULT_LIMIT)
    cursor = Text(most=2000, load_default=None)


def listing(key: str, item: type[Schema], **beside: ma.fields.Field[Any]) -> type[Schema]:
    """Make the schema of a list: its plural key, where it goes on, and what else stands beside it."""
    total = {**OPTIONAL, "description": "How many the filters leave in all; with `count=true`."}
    return _made(
        f"{item.__name__.removesuffix('Schema')}List",
        f"A page of {key}.",
        {
            key: ma.fields.List(ma.fields.Nested(item), data_key=key),
            "next_cursor": ma.fields.String(allow_none=True),
            "total": ma.fields.Integer(metadata=total),
            **beside,
            **_marked(item, f"{key}[]"),
        },
    )


def wrapped(key: str, item: type[Schema]) -> type[Schema]:
    """Make the schema of an answer that holds one thing under its name."""
    members = {key: ma.fields.Nested(item, data_key=key), **_marked(item, key)}
    return _made(f"{_title(key)}Answer", f"One {key}.", members)


class OkSchema(Schema):
    """Done."""

    ok = ma.fields.Boolean()


def _marked(item: type[Schema], place: str) -> dict[str, object]:
    """Let an answer that holds text of others name the paths of it."""
    paths = [f"{place}.{path}" for path in untrusted_paths(item())]
    return {UNTRUSTED_KEY: UntrustedPaths(paths), "unmark": _unmark} if paths else {}


@ma.post_dump
def _unmark(_schema: Schema, written: dict[str, Any], **_kwargs: object) -> dict[str, Any]:
    """Name no text in a page that has none."""
    if [] in (value for name, value in written.items() if name != UNTRUSTED_KEY):
        written.pop(UNTRUSTED_KEY)
    return written


def _title(key: str) -> str:
    return key[0].upper() + key[1:]


def _made(name: str, doc: str, members: dict[str, object]) -> type[Schema]:
    return type(f"{name}Schema", (Schema,), {"__doc__": doc, **members})
