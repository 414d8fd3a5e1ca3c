"""What a provider said last under each of its ids, kept in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.db import db
from webapp.models import FeedAccount, FeedLine, refers_to
from webapp.models.base import table_of

SAID = table_of(FeedLine)


class Word(NamedTuple):
    """What was said of a line last; `said` is ADDED or MODIFIED, or REMOVED, which is the last of all."""

    provider_transaction_id: str
    transaction_id: int | None
    said: str
    is_pending: bool
    digest: bytes | None
    pending_id: str | None


def keep(feed_account: FeedAccount, words: Sequence[Word]) -> None:
    """Remember ids that are new."""
    if words:
        mine = {"organization_id": feed_account.organization_id, "feed_account_id": feed_account.id}
        db.session.execute(sa.insert(SAID), [{**mine, **word._asdict()} for word in words])


def keep_removed(feed_account: FeedAccount, names: Sequence[str]) -> None:
    """Remember ids that were removed before they were ever there."""
    keep(
        feed_account,
        [Word(name, None, "REMOVED", is_pending=False, digest=None, pending_id=None) for name in names],
    )


def repeat(feed_account: FeedAccount, words: Sequence[Word]) -> None:
    """Remember what was said anew; a pending line that was named before stays named."""
    link = sa.func.coalesce(sa.bindparam("new_pending_id", type_=sa.String), SAID.c.pending_id)
    _update(
        feed_account,
        {name: sa.bindparam(f"new_{name}") for name in ("said", "is_pending", "digest")}
        | {"pending_id": link},
        [
            {"its_id": word.provider_transaction_id}
            | {f"new_{name}": getattr(word, name) for name in ("said", "is_pending", "digest", "pending_id")}
            for word in words
        ],
    )


def remove(feed_account: FeedAccount, names: Sequence[str]) -> None:
    """Remember that ids were removed."""
    _update(feed_account, {"said": "REMOVED"}, [{"its_id": name} for name in names])


def _update(feed_account: FeedAccount, values: dict[str, Any], rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        db.session.execute(
            sa.update(SAID)
            .where(
                refers_to(SAID.c.feed_account_id, feed_account),
                SAID.c.provider_transaction_id == sa.bindparam("its_id"),
            )
            .values(values),
            rows,
        )
