"""Files within JSON bodies, as records of a call name them: by name, size and SHA-256, not by their bytes."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from webapp.schemas.files import bytes_of

NAME: Final = "fileName"
CONTENT: Final = "content"


def without_bytes(value: Any) -> Any:
    """Give a JSON value with `size` and `sha256` of each file in the place of its content; null for what is no base64.

    >>> without_bytes({"steps": [{"body": {"fileName": "a.txt", "content": "aGVsbG8="}}]})["steps"][0]["body"]["size"]
    5
    """
    if isinstance(value, list):
        return [without_bytes(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    if not {NAME, CONTENT} <= value.keys() or not isinstance(value[CONTENT], str):
        return {key: without_bytes(inner) for key, inner in value.items()}
    content = bytes_of(value[CONTENT])
    facts = {
        "size": None if content is None else len(content),
        "sha256": None if content is None else sha256(content).hexdigest(),
    }
    return {**{key: inner for key, inner in value.items() if key != CONTENT}, **facts}
