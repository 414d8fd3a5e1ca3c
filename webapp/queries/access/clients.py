"""Clients that connect by OAuth: those that are shipped, and those that the operator added.

Both are kept as data: `{name, clientId, redirects}`. A shipped client id may have one part that varies, `{id}`, which
matches `pattern`; its redirect addresses have the same one.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

SHIPPED: Final = Path(__file__).with_name("clients.json")
FILE_NAME: Final = "oauth_clients.json"
PART: Final = "{id}"
# The names of a person's own machine, on which a program listens at whichever port is free.
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its id, what it is called, and the addresses that a person may be sent back to."""

    id: str
    name: str
    redirects: tuple[str, ...]

    @property
    def host(self) -> str:
        """The host that its id names, or else the id."""
        return urlsplit(self.id).hostname or self.id

    def takes(self, redirect: str) -> bool:
        """Return whether a person may be sent to an address: letter by letter, on this machine with any port."""
        return redirect in self.redirects or any(
            urlsplit(each).hostname in LOOPBACK and _without_port(each) == _without_port(redirect)
            for each in self.redirects
        )


def find(client_id: str, instance_path: Path) -> Client | None:
    """Find a client by its id; what the operator added comes first."""
    for each in (*added(instance_path), *_shipped()):
        part = re.escape(each["clientId"]).replace(re.escape(PART), f"({each.get('pattern', '')})")
        found = re.fullmatch(part, client_id)
        if found is not None:
            part = found[1] if found.groups() else ""
            redirects = tuple(address.replace(PART, part) for address in each["redirects"])
            return Client(client_id, each["name"], redirects)
    return None


def added(instance_path: Path) -> list[dict[str, Any]]:
    """List the clients that the operator added."""
    file = instance_path / FILE_NAME
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return found


@cache
def _shipped() -> Sequence[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return found


def _without_port(address: str) -> tuple[str, str | None, str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.path, f"{parts.query}#{parts.fragment}"
