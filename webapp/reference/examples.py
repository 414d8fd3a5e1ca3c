"""Examples of every call: what was really asked of the application and what it really answered, once."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from webapp.reference.calls import ApiCall

FILE = Path(__file__).with_name("examples.json")


@cache
def recorded() -> dict[str, Any]:
    """Read what was recorded: by call, the request and its answer; tests/contract records and repeats it."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def example_of(call: ApiCall) -> dict[str, Any] | None:
    """Give the example of a call."""
    found: dict[str, Any] | None = recorded().get(f"{call.method} {call.path}")
    return found


def with_examples(call: ApiCall, made: dict[str, Any]) -> dict[str, Any]:
    """Put the example of a call beside the shapes of its body and of its answer."""
    example = example_of(call)
    if example is None:
        return made
    body = made.get("requestBody", {}).get("content", {})
    for content in body.values():
        if "body" in example:
            content["examples"] = {"example": {"value": example["body"]}}
    answer = made["responses"].get(str(example["status"]), {}).get("content", {})
    for content in answer.values():
        content["examples"] = {"example": {"value": example["answer"]}}
    return made
