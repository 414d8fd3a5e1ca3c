"""Schemas of lists and answers, made from the schema of a record."""

from functools import cache
from typing import Any

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas.base import OPTIONAL, WARNING_CODES, WARNINGS, Schema
from webapp.schemas.fields import Digits, FormId, Text
from webapp.schemas.untrusted import UNTRUSTED_KEY, Untrusted, UntrustedPaths, paths_in, untrusted_paths

DEFAULT_LIMIT, LARGEST_LIMIT = 50, 200
CHANGED = "False where everything was as asked already: then there is no act, and no proposal."
WAITING = (
    "Where nothing was changed: the proposals that wait for this record, which may be what you look for."
)


class PageSchema(Schema):
    """The query parameters of every list."""

    limit = Digits(least=1, most=LARGEST_LIMIT, load_default=DEFAULT_LIMIT)
    cursor = Text(most=2000, load_default=None)


class JoinedIds(ma.fields.List[Any]):
    """At most 200 ids in a query string, with commas between them; `of` as for Id."""

    def __init__(self, of: Kind | None = None, **kwargs: Any) -> None:
        super().__init__(
            FormId(of), validate=ma.validate.Length(max=200, error="Send at most 200 ids."), **kwargs
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        joined = ",".join(value if isinstance(value, list) else [str(value)])
        return super()._deserialize(joined.split(","), attr, data, **kwargs)


def listing(key: str, item: type[Schema], **beside: ma.fields.Field[Any]) -> type[Schema]:
    """Make the schema of a list: its records under a plural key, `nextCursor`, `total` and other keys."""
    total = {
        **OPTIONAL,
        "description": "The number of all records that match the filters; with `count=true`.",
    }
    of_texts = _untrusted_members(item, f"{key}[]")
    return _new_schema(
        f"{item.__name__.removesuffix('Schema')}List",
        f"A page of {key}.",
        {
            key: ma.fields.List(ma.fields.Nested(item), data_key=key),
            "next_cursor": ma.fields.String(allow_none=True),
            "total": ma.fields.Integer(metadata=total),
            **beside,
            **of_texts,
        },
    )


def wrapped(
    key: str, item: type[Schema], *, title: str | None = None, **beside: ma.fields.Field[Any]
) -> type[Schema]:
    """Make the schema of an answer with one record under its name, and other keys; `title` names it in documents."""
    members = {key: ma.fields.Nested(item, data_key=key), **beside, **_untrusted_members(item, key)}
    return _new_schema(f"{title or _title(key)}Answer", f"One {key}.", members)


def warned_members() -> dict[str, ma.fields.Field[Any]]:
    """Make the members with which the answer of an act warns."""
    return {
        "warnings": ma.fields.List(Untrusted(), metadata=WARNINGS),
        "warning_codes": ma.fields.List(ma.fields.String(), metadata=WARNING_CODES),
    }


@cache
def changing(answer: type[Schema]) -> type[Schema]:
    """Make the schema of what a write answers: the same with whether anything was changed."""
    members = {
        "changed": ma.fields.Boolean(metadata={"description": CHANGED}),
        "waiting": ma.fields.List(ma.fields.String(), metadata={**OPTIONAL, "description": WAITING}),
        **{name: field for name, field in warned_members().items() if name not in answer().fields},
    }
    name = f"Changed{answer.__name__.removesuffix('Schema')}Schema"
    return type(name, (answer,), {"__doc__": answer.__doc__, "answer": answer, **members})


class OkSchema(Schema):
    """Done."""

    ok = ma.fields.Boolean()


def _untrusted_members(item: type[Schema], place: str) -> dict[str, object]:
    """The members with which an answer lists the paths of its untrusted texts, if it has any."""
    paths = [f"{place}.{path}" for path in untrusted_paths(item())]
    return {UNTRUSTED_KEY: UntrustedPaths(paths), "keep_used_paths": _keep_used_paths} if paths else {}


@ma.post_dump
def _keep_used_paths(_schema: Schema, answer: dict[str, Any], **_kwargs: object) -> dict[str, Any]:
    """Keep the paths under which there is any text; an empty page has none at all."""
    if [] in (value for name, value in answer.items() if name != UNTRUSTED_KEY) and "nextCursor" in answer:
        answer.pop(UNTRUSTED_KEY)
    elif UNTRUSTED_KEY in answer:
        answer[UNTRUSTED_KEY] = paths_in(answer, answer[UNTRUSTED_KEY])
    return answer


def _title(key: str) -> str:
    return key[0].upper() + key[1:]


def _new_schema(name: str, doc: str, members: dict[str, object]) -> type[Schema]:
    return type(f"{name}Schema", (Schema,), {"__doc__": doc, **members})
