"""Canonical JSON, SHA-256 and instants as text: one way to write a record, so that its hash is reproducible."""

import hashlib
import json
from datetime import UTC, datetime

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical_json(record: object) -> str:
    """Write a record as JSON with sorted keys, no spaces and no escaped letters.

    Write money as text: nothing would refuse a float, and it would mean something else elsewhere.

    >>> canonical_json({"name": "Zoë", "amount": "-12.50", "at": None, "ids": [2, 1]})
    '{"amount":"-12.50","at":null,"ids":[2,1],"name":"Zoë"}'
    """
    return _encode(record)


def sha256_hex(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes in lower-case hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def instant_text(at: datetime) -> str:
    """Write an aware instant in RFC 3339, in UTC with Z and milliseconds, as the interface sends it.

    >>> from datetime import timedelta, timezone
    >>> instant_text(datetime(2026, 11, 3, 1, 30, tzinfo=timezone(timedelta(hours=2))))
    '2026-11-02T23:30:00.000Z'
    """
    if at.tzinfo is None:
        raise ValueError(at)
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def camel(name: str) -> str:
    """Write a name in camel case, as in JSON.

    >>> camel("organization_id"), camel("amount_base"), camel("id")
    ('organizationId', 'amountBase', 'id')
    """
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)
