"""Pushes that were taken, kept for their repetition: the digest of what was sent, the answer, and the body itself."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.canonical import sha256_hex
from webapp.ledger.files.file_kinds import JSON, cleaned
from webapp.models import FeedAccount, FeedPush
from webapp.models.base import table_of
from webapp.services.feeds.incoming_lines import PushBody
from webapp.services.storage import stored_files

_NEW = sa.insert(table_of(FeedPush))
_KEYS = ("providerTransactionId", "verdict", "transactionId", "reason")


def digest_of(body: PushBody) -> str:
    """Give the SHA-256 of the content of a push, however its JSON was written."""
    return sha256_hex(_written(body))


def _written(body: PushBody) -> str:
    return json.dumps(body, default=str, separators=(",", ":"), sort_keys=True)


def store(
    feed_account: FeedAccount,
    body: PushBody,
    digest: str,
    results: Iterable[Sequence[object]],
    *,
    sent: bytes,
    now: datetime,
) -> str:
    """Store a push with its body as its provider sent it, as evidence; answers its results as JSON."""
    answer = json.dumps({"results": [dict(zip(_KEYS, result, strict=True)) for result in results]})
    of = feed_account.organization_id
    packed = stored_files.pack(sent or _written(body).encode())
    name = cleaned(body["batch_id"], JSON.endings)
    row = {
        "organization_id": of,
        "feed_account_id": feed_account.id,
        "batch_id": body["batch_id"],
        "digest": digest,
        "answer": zlib.compress(answer.encode(), 1),
        "received_at": now,
        "file_id": stored_files.keep_body(of, packed, name, JSON.type, now=now),
    }
    db.session.execute(_NEW, [row])
    return answer
