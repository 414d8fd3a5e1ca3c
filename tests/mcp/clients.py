"""A client of the protocol for models that sends message by message, and holds each answer to the published schema."""

from __future__ import annotations

from itertools import count
from typing import Any

from jsonschema import Draft202012Validator
from mcp_types import methods
from mcp_types.jsonrpc import JSONRPCError

from webapp.mcp.messages import (
    CAPABILITIES,
    LEGACY,
    META,
    METHOD_HEADER,
    MODERN,
    NAME_HEADER,
    NAMED_BY,
    PROTOCOL_VERSION,
    VERSION_HEADER,
    encoded,
)
from webapp.mcp.tools import TOOLS

NUMBERS = count(1)
# Tokens, as the audit of the interface counted them.
BYTES_OF_A_TOKEN = 4


def envelope(version: str = MODERN) -> dict[str, Any]:
    """The metadata that a modern request carries."""
    return {PROTOCOL_VERSION: version, CAPABILITIES: {}}


def headers_of(method: str, params: dict[str, Any], version: str) -> dict[str, str]:
    """The headers that a request has beside its body."""
    headers = {VERSION_HEADER: version, "Accept": "application/json, text/event-stream"}
    if version == MODERN:
        headers[METHOD_HEADER] = method
        if method in NAMED_BY:
            headers[NAME_HEADER] = encoded(str(params[NAMED_BY[method]]))
    return headers


class Model:
    """A model behind a key: it asks in one era, and counts what it reads."""

    def __init__(self, person, version: str = MODERN) -> None:
        self.person, self.version = person, version
        self.calls, self.bytes_read = 0, 0

    @property
    def tokens(self) -> int:
        return self.bytes_read // BYTES_OF_A_TOKEN

    def post(self, method: str, headers: dict[str, str] | None = None, **params: Any):
        """Send a request, and give the whole answer."""
        if self.version == MODERN:
            params = {META: envelope(), **params}
        body = {"jsonrpc": "2.0", "id": next(NUMBERS), "method": method, "params": params}
        sent = headers_of(method, params, self.version) | (headers or {})
        answer = self.person.post("/mcp", json=body, headers=sent)
        if answer.is_json and "result" in answer.json:
            result = answer.json["result"]
            methods.validate_server_result(method, self.version, result)
            if "structuredContent" in result:
                VALIDATORS[params["name"]].validate(result["structuredContent"])
        elif answer.is_json and "jsonrpc" in answer.json:
            JSONRPCError.model_validate({"id": None, **answer.json})
        return answer

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request that is answered."""
        answer = self.post(method, **params)
        assert answer.status_code == 200, answer.json
        return answer.json["result"]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and give what it answers as data."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result["isError"], result["content"][0]["text"]
        self.calls += 1
        self.bytes_read += len(result["content"][0]["text"].encode())
        return result["structuredContent"]

    def refusal(self, tool: str, **arguments: Any) -> str:
        """Call a tool that the books refuse, and give the sentence."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        return result["content"][0]["text"]


VALIDATORS = {each.name: Draft202012Validator(each.definition["outputSchema"]) for each in TOOLS}
ERAS = (MODERN, *LEGACY)
