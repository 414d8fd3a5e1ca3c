"""The records in the answers of the API: of a list each of its own, else the one that stands first."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache

import marshmallow as ma

from webapp.schemas.base import INCLUDED_BY
from webapp.schemas.untrusted import nested


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """What an answer holds under its key: one record, or a list of them; `names` are the keys that each has.

    `members` are the names of the same in the schemas: of the key itself, and of each of `names`. `extras` are the
    paths of what is not sent unasked, in the schemas as well, each with the word that asks for it. `beside` are the
    records that stand beside a list.
    """

    key: str
    names: tuple[str, ...]
    is_page: bool
    members: tuple[str, tuple[str, ...]]
    extras: tuple[tuple[str, str], ...]
    beside: tuple[AnswerRecord, ...] = ()

    @property
    def family(self) -> tuple[AnswerRecord, ...]:
        """The record and those beside it."""
        return self, *self.beside

    @property
    def words(self) -> list[str]:
        """The words that ask for what is not sent unasked."""
        return sorted({word for _, word in self.extras})

    def word_of(self, name: str) -> str | None:
        """Give the word that asks for a key; None of one that is sent unasked."""
        return dict(self.extras).get(self.members[1][self.names.index(name)])

    @property
    def is_dated(self) -> bool:
        """Whether it is known of each when it changed."""
        return self.is_page and ("updatedAt" in self.names or self.key == "entries")

    def paths(self, names: Collection[str]) -> list[str]:
        """Give the paths of some of its keys in the schemas."""
        member, members = self.members
        return [f"{member}.{own}" for name, own in zip(self.names, members, strict=True) if name in names]

    def left_out(self, words: Collection[str]) -> list[str]:
        """Give the paths of what is not sent where these words ask for more."""
        return [f"{self.members[0]}.{path}" for path, word in self.extras if word not in words]


@cache
def of_schema(schema: ma.Schema) -> AnswerRecord | None:
    """Find the records in an answer: of a page its list, else what stands first; none in other shapes."""
    if "next_cursor" not in schema.dump_fields:
        first = next(iter(schema.dump_fields), None)
        return None if first is None else _record(schema, first)
    listed, beside = None, []
    for member, field in schema.dump_fields.items():
        found = _record(schema, member)
        if found is None:
            continue
        if not isinstance(field, ma.fields.List):
            beside.append(found)
        elif listed is None:
            listed = found
    return listed and replace(listed, is_page=True, beside=tuple(beside))


def _record(schema: ma.Schema, member: str) -> AnswerRecord | None:
    field = schema.dump_fields[member]
    inner = nested(field)
    if inner is None:
        return None
    names = tuple(each.data_key or name for name, each in inner.dump_fields.items())
    members = member, tuple(inner.dump_fields)
    return AnswerRecord(
        field.data_key or "", names, is_page=False, members=members, extras=tuple(_extras(inner))
    )


def _extras(schema: ma.Schema, above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the paths of what is sent only where `include` asks for it, each with its word."""
    for name, field in schema.dump_fields.items():
        inner = nested(field)
        if INCLUDED_BY in field.metadata:
            yield f"{above}{name}", field.metadata[INCLUDED_BY]
        elif inner is not None:
            yield from _extras(inner, f"{above}{name}.")
