"""Clients that connect by OAuth: those that are shipped, those that the operator added, and documents of their own.

All are kept as data: `{name, clientId, redirects}`. A shipped client id may have one part that varies, `{id}`, which
matches `pattern`; its redirect addresses have the same one. A document is kept by its client id as it was last read.
"""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

SHIPPED: Final = Path(__file__).with_name("clients.json")
ADDED, DOCUMENTS = "oauth_clients.json", "oauth_documents.json"
PART: Final = "{id}"
# The names of a person's own machine, on which a program listens at whichever port is free.
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its id, what it is called, and the addresses that a person may be sent back to.

    Of those that its own document names only what is `known` here needs no owner.
    """

    id: str
    name: str
    redirects: tuple[str, ...]
    known: tuple[str, ...]

    @property
    def host(self) -> str:
        """The host that its id names, or else the id."""
        return urlsplit(self.id).hostname or self.id

    def takes(self, redirect: str) -> bool:
        """Return whether a person may be sent to an address: letter by letter, on this machine with any port."""
        return _is_among(redirect, self.redirects)

    def needs_owner(self, redirect: str) -> bool:
        """Return whether only an owner may let it have a person sent to an address."""
        return not _is_among(redirect, self.known)


def find(client_id: str, instance_path: Path, hosts: Collection[str] | None) -> Client | None:
    """Find a client by its id: as the operator added it, as its document says, or as it is shipped.

    Documents count of shipped clients and on these `hosts`; with none this server calls nobody, and none counts.
    """
    mine, of_us = added(client_id, instance_path), shipped(client_id)
    document = None if hosts is None else documents(instance_path).get(client_id)
    if mine is not None or document is None or hosts is None:
        return mine or of_us
    if of_us is None and urlsplit(client_id).hostname not in hosts:
        return None
    name, known = (of_us.name, of_us.redirects) if of_us else (document["name"], ())
    return Client(client_id, name, tuple(document["redirects"]), known)


def added(client_id: str, instance_path: Path) -> Client | None:
    """Find a client as the operator added it."""
    return _listed(client_id, all_added(instance_path))


def shipped(client_id: str) -> Client | None:
    """Find a client that is shipped."""
    return _listed(client_id, _all_shipped())


def all_added(instance_path: Path) -> list[dict[str, Any]]:
    """List the clients that the operator added."""
    found: list[dict[str, Any]] = _read(instance_path / ADDED, [])
    return found


def documents(instance_path: Path) -> dict[str, dict[str, Any]]:
    """Give the documents of clients by their ids: `{name, redirects, sha256, readAt}`."""
    found: dict[str, dict[str, Any]] = _read(instance_path / DOCUMENTS, {})
    return found


def may_return(address: str) -> bool:
    """Return whether people may be sent to an address at all: HTTPS, or on their own machine.

    >>> may_return("https://claude.ai/back"), may_return("http://[::1]:80/x"), may_return("http://claude.ai/back")
    (True, True, False)
    """
    is_plain = address.isascii() and address.isprintable() and not set(address) & set(" ;,'\"<>\\")
    if not is_plain:
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    is_own = parts.scheme == "http" and parts.hostname in LOOPBACK
    is_whole = bool(parts.hostname) and not parts.fragment and parts.username is None
    return is_whole and (parts.scheme == "https" or is_own)


def _listed(client_id: str, found: Sequence[dict[str, Any]]) -> Client | None:
    for each in found:
        part = re.escape(each["clientId"]).replace(re.escape(PART), f"({each.get('pattern', '')})")
        fits = re.fullmatch(part, client_id)
        if fits is not None:
            part = fits[1] if fits.groups() else ""
            redirects = tuple(address.replace(PART, part) for address in each["redirects"])
            return Client(client_id, each["name"], redirects, redirects)
    return None


@cache
def _all_shipped() -> Sequence[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return found


def _read(file: Path, empty: Any) -> Any:
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else empty


def _is_among(redirect: str, addresses: Collection[str]) -> bool:
    return redirect in addresses or any(
        urlsplit(each).hostname in LOOPBACK and _without_port(each) == _without_port(redirect)
        for each in addresses
    )


def _without_port(address: str) -> tuple[str, str | None, str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.path, f"{parts.query}#{parts.fragment}"
