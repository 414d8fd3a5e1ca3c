"""Schemathesis talking to the application: every call of the OpenAPI document, by its rules and against them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import from_schema
from schemathesis.engine.events import FatalError, NonFatalError, ScenarioFinished
from schemathesis.transport.wsgi import WSGI_TRANSPORT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flask import Flask
    from schemathesis.engine.recorder import ScenarioRecorder

    from tests.fixtures.people import Person

# What a program may send: JSON has no NUL that a database would take, and no body is read twice.
GENERATION = {"allow-x00": False, "mode": "all", "database": "none"}


@dataclass
class Talk:
    """What a conversation came to: requests by the status of their answers, and what did not hold."""

    statuses: Counter[int] = field(default_factory=Counter)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        return sum(self.statuses.values())

    def note(self, event: ScenarioFinished) -> None:
        recorder = event.recorder
        for interaction in recorder.interactions.values():
            if interaction.response is not None:
                self.statuses[interaction.response.status_code] += 1
        for case, nodes in recorder.checks.items():
            for node in nodes:
                if node.failure_info is not None:
                    failure = node.failure_info.failure
                    self.failures.setdefault(
                        f"{recorder.label}: {node.name}: {failure.title}",
                        f"{failure.message}\n{node.failure_info.code_sample}\n{answer(recorder, case)}",
                    )


def answer(recorder: ScenarioRecorder, case: str) -> str:
    interaction = recorder.interactions.get(case)
    if interaction is None or interaction.response is None:
        return "No answer came."
    return f"{interaction.response.status_code} {interaction.response.content[:500]!r}"


def by_token(person: Person) -> dict[str, str]:
    """Speak as a program does."""
    return {"Authorization": f"Bearer {person.token}"}


def by_session(person: Person) -> dict[str, str]:
    """Speak as the web client does."""
    return {"Cookie": f"tieout={person.cookie()}", "Sec-Fetch-Site": "same-origin"}


def without_credentials(document: dict[str, Any]) -> None:
    """Leave out how to authenticate where the session does: a made-up token beside its cookie would decide alone."""
    del document["security"]
    for item in document["paths"].values():
        for method, operation in item.items():
            if method != "parameters":
                del operation["security"]


def with_selected_keys(document: dict[str, Any]) -> None:
    """Let the records of answers lack keys: a document cannot say that `fields` selects some."""
    schemas = document["components"]["schemas"]
    for item in document["paths"].values():
        for method, operation in item.items():
            if method != "parameters" and any(each["name"] == "fields" for each in operation["parameters"]):
                answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
                for envelope in referred(answer.get("anyOf", [answer])):
                    members = schemas[envelope].get("properties", {}).values()
                    for record in referred(each.get("items", each) for each in members):
                        schemas[record].pop("required", None)


def with_own_codes(document: dict[str, Any]) -> None:
    """Hold each refusal to the codes that its call names, which are fewer than those of the schema of its status."""
    operations = [
        operation
        for item in document["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    ]
    answers = [*document["components"]["responses"].values()]
    answers += [answer for each in operations for answer in each["responses"].values()]
    for answer in answers:
        content = answer.get("content", {}).get("application/json", {})
        if content.get("schema", {}).get("$ref", "").removeprefix("#/components/schemas/Error").isdigit():
            own = {"properties": {"code": {"enum": [*content["examples"]]}}}
            content["schema"] = {"allOf": [content["schema"], own]}


def referred(shapes: Iterable[dict[str, Any]]) -> list[str]:
    """Give the names of the shapes that some others are references to."""
    return [each["$ref"].rpartition("/")[2] for each in shapes if "$ref" in each]


def in_process(send: Callable[..., Any], case: Any, *, session: Any = None, **options: Any) -> Any:
    """Leave out what only a socket has a use for; a probe without credentials is sent with it to any application.

    Werkzeug's client takes cookies from nobody's header, so that they go into its jar.
    """
    for name in ("max_redirects", "verify", "cert", "proxies"):
        options.pop(name, None)
    written = {**(options.get("headers") or {})}
    if "Cookie" in written:
        options["cookies"] = dict([written.pop("Cookie").split("=", 1)])
        options["headers"] = written
    return send(case, session=session, **options)


def talk(app: Flask, headers: dict[str, str], *, seed: int, examples: int, phases: tuple[str, ...]) -> Talk:
    """Hold all checks over generated requests, valid ones and others, `examples` of each kind for each call."""
    every = ("examples", "coverage", "fuzzing", "stateful")
    config = SchemathesisConfig.from_dict(
        {
            # Werkzeug's client takes an answer as it is sent, and unpacks none.
            "headers": {**headers, "Accept-Encoding": "identity"},
            "seed": seed,
            "continue-on-failure": True,
            "generation": {**GENERATION, "max-examples": examples},
            "phases": {name: {"enabled": name in phases} for name in every},
            "checks": {
                "positive_data_acceptance": {
                    "expected-statuses": ["2xx", "403", "404", "409", "422"],
                }
            },
        }
    )
    # Werkzeug's client keeps its own cookies, and takes none from a header, unless it is told to keep none.
    document = app.test_client(use_cookies=False).get("/api/openapi.json", headers=headers).get_json()
    with_selected_keys(document)
    with_own_codes(document)
    if "Cookie" in headers:
        without_credentials(document)
    schema = schemathesis.openapi.from_dict(document, config=config)
    schema.app = app
    told = Talk()
    with patch.object(WSGI_TRANSPORT, "send", partial(in_process, WSGI_TRANSPORT.send)):
        for event in from_schema(schema).execute():
            if isinstance(event, ScenarioFinished):
                told.note(event)
            elif isinstance(event, NonFatalError):
                told.failures.setdefault(f"error: {event.label}: {event.value}", str(event.info))
            elif isinstance(event, FatalError):
                raise event.exception
    return told
