"""A long session of one program: calls in any order, with good ids and bad ones, sound bodies and odd ones."""

from __future__ import annotations

import random
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from webapp.reference.api_calls import PARAMETER, ApiCall, calls
from webapp.reference.openapi import example_of

if TYPE_CHECKING:
    from flask import Flask

ODD = (None, True, 0, -1, 2**63, "", " ", "x" * 300, "ä€🏦", "1e5", "0.001", "2026-02-30", [], {}, "DRAFT")
QUERIES = (
    {"limit": 1}, {"limit": 3, "count": "true"}, {"limit": 0}, {"fields": "id"}, {"q": "re"}, {"q": "12"},
    {"from": "2026-10-01", "to": "2026-10-31"}, {"colour": "red"}, {"faId": 1}, {"status": "BOOKED"},
    {"accountId": 92}, {"cursor": "x"}, {"updatedSince": "2026-01-01T00:00:00Z"}, {"status": "POSTED"},
    {"providerBalanceAsOf": "2026-10-15"}, {"asOf": "2026-10-15"}, {"currency": "usd"},
)  # fmt: skip
LARGEST_SMALL_ID = 30


@dataclass(frozen=True)
class Asked:
    """One request; `act` chooses among the acts that the session has seen."""

    method: str
    rule: str
    ids: dict[str, int]
    act: int
    query: dict[str, Any]
    body: Any

    def path(self, acts: list[str]) -> str:
        """Write its address, with an act that this run has seen."""
        act = acts[self.act % len(acts)] if acts else "ar_" + "0" * 26
        path = PARAMETER.sub(
            lambda match: act if match[1] == "request_id" else str(self.ids[match[1]]), self.rule
        )
        return f"{path}?{urlencode(self.query)}" if self.query else path


def session(app: Flask, seed: int, length: int) -> list[Asked]:
    chance = random.Random(seed)  # noqa: S311  (it is to be the same one again)
    # Acts of one millisecond are listed in the order of random names.
    known = [
        each
        for each in calls(app)
        if not each.session_only and "/docs" not in each.path and each.path != "/api/action-requests"
    ]
    weights = [1 if each.path.endswith("openapi.json") or "/exports/" in each.path else 6 for each in known]
    return [_asked(chance, each) for each in chance.choices(known, weights, k=length)]


def _asked(chance: random.Random, call: ApiCall) -> Asked:
    query = dict(chance.choice(QUERIES)) if call.is_safe and chance.random() < 0.4 else {}
    if not call.is_safe and call.scope != "read" and chance.random() < 0.1:
        query["dryRun"] = "true"
    example = example_of(call) or {}
    body = None if call.is_safe or "body" not in example else _body(chance, deepcopy(example["body"]))
    ids = {name: chance.randint(1, LARGEST_SMALL_ID) for name in PARAMETER.findall(call.rule)}
    return Asked(call.method, call.rule, ids, chance.randrange(10**6), query, body)


def _body(chance: random.Random, body: Any) -> Any:
    body = _renumbered(chance, body)
    if isinstance(body, dict) and body and chance.random() < 0.3:
        key = chance.choice(sorted(body))
        if chance.random() < 0.3:
            del body[key]
        else:
            body[key] = chance.choice(ODD)
    return body


def _renumbered(chance: random.Random, value: Any, key: str = "") -> Any:
    """Let ids in a body be those of other things now and then."""
    if isinstance(value, dict):
        return {name: _renumbered(chance, inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_renumbered(chance, each, key) for each in value]
    is_id = key.endswith(("Id", "ids", "Ids", "id")) and type(value) is int
    return chance.randint(1, LARGEST_SMALL_ID) if is_id and chance.random() < 0.7 else value
