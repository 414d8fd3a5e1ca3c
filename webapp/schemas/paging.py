"""The shapes that every list and every answer share."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas.base import Schema
from webapp.schemas.fields import Digits, Text

DEFAULT_LIMIT, LARGEST_LIMIT = 50, 200


class PageSchema(Schema):
    """What every list takes."""

    limit = Digits(least=1, most=LARGEST_LIMIT, load_default=DEFAULT_LIMIT)
    cursor = Text(most=2000, load_default=None)


def listing(key: str, item: type[Schema]) -> type[Schema]:
    """Make the schema of a list: its plural key, and where it goes on."""
    return _made(
        f"{item.__name__.removesuffix('Schema')}List",
        f"A page of {key}.",
        {
            key: ma.fields.List(ma.fields.Nested(item), data_key=key),
            "next_cursor": ma.fields.String(allow_none=True),
        },
    )


def wrapped(key: str, item: type[Schema]) -> type[Schema]:
    """Make the schema of an answer that holds one thing under its name."""
    return _made(f"{_title(key)}Answer", f"One {key}.", {key: ma.fields.Nested(item, data_key=key)})


class OkSchema(Schema):
    """Done."""

    ok = ma.fields.Boolean()


def _title(key: str) -> str:
    return key[0].upper() + key[1:]


def _made(name: str, doc: str, members: dict[str, object]) -> type[Schema]:
    return type(f"{name}Schema", (Schema,), {"__doc__": doc, **members})
