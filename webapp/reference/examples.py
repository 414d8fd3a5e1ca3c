"""Examples of every call: recorded requests and answers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from webapp.reference.api_calls import ApiCall
from webapp.reference.components import JSON

FILE = Path(__file__).with_name("examples.json")


@cache
def recorded_examples() -> dict[str, Any]:
    """Return the recorded requests and answers by call; tests/contract records and repeats them."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def example_of(call: ApiCall) -> dict[str, Any] | None:
    """Return the example of a call."""
    found: dict[str, Any] | None = recorded_examples().get(f"{call.method} {call.path}")
    return found


def with_examples(call: ApiCall, made: dict[str, Any]) -> dict[str, Any]:
    """Add the example of a call to the schemas of its body and of its answer."""
    example = example_of(call)
    if example is None:
        return made
    body = made.get("requestBody", {}).get("content", {})
    if "body" in example and JSON in body:
        body[JSON]["examples"] = {"example": {"value": example["body"]}}
    answer = made["responses"].get(str(example["status"]), {}).get("content", {})
    for content in answer.values():
        content["examples"] = {"example": {"value": example["answer"]}}
    return made
