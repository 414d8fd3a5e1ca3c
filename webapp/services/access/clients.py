"""Clients by OAuth: what one says of itself at the address that is its id, read when a person connects it.

It counts as it was read, with its day and its hash, so that nothing changes between the consent and the first tokens.
"""

import hashlib
import json
from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final
from urllib.parse import urlsplit

from webapp.ledger.canonical import instant_text
from webapp.ledger.errors import LedgerError
from webapp.queries.access import clients
from webapp.services.operating.outbound import Gate

MOST_BYTES: Final = 5 * 1024
SECONDS: Final = 3
# How a client shows who it is where it has no secret; it is taken whatever else a client prefers.
NO_SECRET: Final = "none"  # noqa: S105  (a word of the protocol)
FRESH: Final = timedelta(hours=1)
MOST_KEPT: Final = 200
MOST_REDIRECTS: Final = 20
LONGEST_NAME, LONGEST_REDIRECT = 100, 2000


def renew(client_id: str, instance_path: Path, gate: Gate, now: datetime) -> None:
    """Read a client's document, unless it was read lately; one that is not as it should be changes nothing.

    Only clients that are shipped, and those on hosts that the operator lists, are asked. Where the operator added a
    client, its document says nothing.
    """
    kept = clients.documents(instance_path)
    host = urlsplit(client_id).hostname or ""
    is_known = host in gate.hosts or clients.shipped(client_id) is not None
    is_fresh = client_id in kept and kept[client_id]["readAt"] > instant_text(now - FRESH)
    if not is_known or is_fresh or clients.added(client_id, instance_path) is not None:
        return
    try:
        data = gate.get(client_id, {host}, most_bytes=MOST_BYTES, seconds=SECONDS)
        found = _read(client_id, host, data)
    except (LedgerError, ValueError, RecursionError):
        return
    facts = {**found, "sha256": hashlib.sha256(data).hexdigest(), "readAt": instant_text(now)}
    newest = sorted({**kept, client_id: facts}.items(), key=lambda each: each[1]["readAt"])[-MOST_KEPT:]
    write(instance_path / clients.DOCUMENTS, dict(newest))


def write(file: Path, found: Any) -> None:
    """Keep clients in a file that is never half written."""
    with NamedTemporaryFile("w", dir=file.parent, prefix=file.name, delete=False, encoding="utf-8") as new:
        json.dump(found, new, indent=2)
    Path(new.name).replace(file)


def _read(client_id: str, host: str, data: bytes) -> dict[str, Any]:
    """Read a document's name and the addresses that it may have people sent back to; raises ValueError."""
    document = json.loads(data)
    if not isinstance(document, dict) or document.get("client_id") != client_id:
        raise ValueError(client_id)
    preferred = document.get("token_endpoint_auth_method", NO_SECRET)
    if NO_SECRET not in (preferred, *_texts(document, "token_endpoint_auth_methods_supported")):
        raise ValueError(preferred)
    redirects = [each for each in _texts(document, "redirect_uris") if _is_its_own(each, client_id, host)]
    if not redirects:
        raise ValueError(document)
    name = document.get("client_name")
    is_name = isinstance(name, str) and name.isprintable() and 0 < len(name) <= LONGEST_NAME
    return {"name": name if is_name else host, "redirects": redirects[:MOST_REDIRECTS]}


def _texts(document: dict[str, Any], key: str) -> Collection[str]:
    found = document.get(key, [])
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _is_its_own(address: str, client_id: str, host: str) -> bool:
    """Return whether an address is of the client's own host, of the person's machine, or shipped with the client."""
    if len(address) > LONGEST_REDIRECT or not clients.may_return(address):
        return False
    shipped = clients.shipped(client_id)
    is_near = urlsplit(address).hostname in {host, *clients.LOOPBACK}
    return is_near or (shipped is not None and address in shipped.redirects)
