"""The last event of each provider transaction id, stored in bulk."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.matching.pushed_lines import SHARED
from webapp.models import FeedAccount, FeedLine, refers_to
from webapp.models.base import table_of

_FEED_LINES = table_of(FeedLine)
_NEW = sa.insert(_FEED_LINES)


class LastEvent(NamedTuple):
    """The last event of a line; `event` is ADDED or MODIFIED, or REMOVED until it is sent again."""

    provider_transaction_id: str
    transaction_id: int | None
    event: str
    is_pending: bool
    digest: bytes | None
    pending_id: str | None


def add(feed_account: FeedAccount, events: Sequence[LastEvent]) -> None:
    """Store the events of new ids."""
    if events:
        mine = {"organization_id": feed_account.organization_id, "feed_account_id": feed_account.id}
        db.session.flush()
        db.session.execute(_NEW, [{**mine, **event._asdict()} for event in events])


def add_removed(feed_account: FeedAccount, names: Sequence[str]) -> None:
    """Store ids that were removed before any line of them came."""
    add(
        feed_account,
        [LastEvent(name, None, "REMOVED", is_pending=False, digest=None, pending_id=None) for name in names],
    )


def replace(feed_account: FeedAccount, events: Sequence[LastEvent]) -> None:
    """Store later events of ids; a pending id that an earlier event named stays, and so does a row."""
    if not events:
        return
    link = sa.func.coalesce(sa.bindparam("new_pending_id", type_=sa.String), _FEED_LINES.c.pending_id)
    _update(
        feed_account,
        {name: sa.bindparam(f"new_{name}") for name in ("transaction_id", "event", "is_pending", "digest")}
        | {"pending_id": link},
        [
            {"its_id": event.provider_transaction_id}
            | {
                f"new_{name}": getattr(event, name)
                for name in ("transaction_id", "event", "is_pending", "digest", "pending_id")
            }
            for event in events
        ],
    )


def rename(feed_account: FeedAccount, names: Mapping[str, str]) -> None:
    """Store lines under other ids, some of which are those of others among them."""
    aside = [{"its_id": old, "aside": f"\u2192 {number}"} for number, old in enumerate(names)]
    to: dict[str, Any] = {"provider_transaction_id": sa.bindparam("aside")}
    _update(feed_account, to, aside)
    _update(
        feed_account,
        to,
        [{"its_id": each["aside"], "aside": names[each["its_id"]]} for each in aside],
    )


def share(feed_account: FeedAccount, name: str, own_key: str | None, *, is_known: bool) -> None:
    """Store that an id names several lines; the line that it named alone so far is known under a key of its own."""
    marker = LastEvent(name, None, "REMOVED", is_pending=False, digest=SHARED, pending_id=None)
    if own_key is not None:
        _update(feed_account, {"provider_transaction_id": own_key}, [{"its_id": name}])
    if own_key is None and is_known:
        replace(feed_account, [marker])
    else:
        add(feed_account, [marker])


def remove(feed_account: FeedAccount, names: Sequence[str]) -> None:
    """Store that ids were removed."""
    _update(feed_account, {"event": "REMOVED"}, [{"its_id": name} for name in names])


def _update(feed_account: FeedAccount, values: dict[str, Any], rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        db.session.execute(
            sa.update(_FEED_LINES)
            .where(
                refers_to(_FEED_LINES.c.feed_account_id, feed_account),
                _FEED_LINES.c.provider_transaction_id == sa.bindparam("its_id"),
            )
            .values(values),
            rows,
        )
