"""The descriptions of properties without their own: the words of `properties.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from webapp.schemas.untrusted import UNTRUSTED

FILE = Path(__file__).with_name("properties.toml")


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
    found = tomllib.loads(FILE.read_text())
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
