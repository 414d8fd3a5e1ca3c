"""The doors by which an agent comes in: plain HTTP, and the official client of the protocol for models; both count."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

# Tokens, as the audit of the interface counted them.
BYTES_OF_A_TOKEN = 4


class Count:
    """How much an agent asked and read, and how often a person was asked."""

    def __init__(self) -> None:
        self.calls = self.bytes_read = self.approvals = 0

    def read(self, size: int) -> None:
        """Count a call that was answered with so many bytes."""
        self.calls += 1
        self.bytes_read += size

    @property
    def tokens(self) -> int:
        """The bytes as tokens."""
        return self.bytes_read // BYTES_OF_A_TOKEN


class Http:
    """The API, as a program with a key meets it."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token, self.count = address, token, Count()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Make a call, and give its answer; a refusal ends the task."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self._address}/api{path}", data, headers, method=method)  # noqa: S310  (our own address)
        try:
            with urlopen(request) as answer:  # noqa: S310  (the same)
                told = answer.read()
        except HTTPError as refusal:
            raise SystemExit(f"{method} {path} was refused: {refusal.read().decode()}") from refusal
        self.count.read(len(told))
        return json.loads(told)


class Tools:
    """The tools for models, as the official client of the protocol calls them."""

    def __init__(self, client: Client) -> None:
        self._client, self.count = client, Count()

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and give its answer as data; a model reads the text of it."""
        result = await self._client.call_tool(tool, arguments)
        text = "".join(each.text for each in result.content)
        if result.is_error or result.structured_content is None:
            raise SystemExit(f"{tool} was refused: {text}")
        self.count.read(len(text.encode()))
        found: dict[str, Any] = result.structured_content
        return found


@asynccontextmanager
async def tools(address: str, token: str, mode: str) -> AsyncIterator[Tools]:
    """Connect in one era of the protocol."""
    async with (
        create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http,
        Client(
            streamable_http_client(f"{address}/mcp", http_client=http), mode=mode, read_timeout_seconds=60
        ) as client,
    ):
        yield Tools(client)
