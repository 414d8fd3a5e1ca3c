"""What an account has that new lines may be: asked in one statement, as most accounts have nothing of it."""

from __future__ import annotations

from typing import Final, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import FeedAccount, Transaction
from webapp.models.base import table_of
from webapp.queries.common.made_once import made_once


class Surroundings(NamedTuple):
    """Whether an account has lines of files, posted lines that the feed removed, and lines that wait for the bank."""

    has_file_lines: bool
    has_removed_posted: bool
    has_pending: bool


_LINE: Final = table_of(Transaction)
NOTHING: Final = Surroundings(has_file_lines=False, has_removed_posted=False, has_pending=False)


def of(feed_account: FeedAccount) -> Surroundings:
    """Look what an account has."""
    found = db.session.execute(*_of_account(feed_account.organization_id, feed_account.id)).one()
    return Surroundings(*found)


@made_once
def _of_account(organization_id: str, feed_account_id: int) -> sa.Select[bool, bool, bool]:
    of_account = _LINE.c.organization_id == organization_id, _LINE.c.feed_account_id == feed_account_id
    # By its statuses SQLite would look through all lines of files that the feed had brought already.
    taken_back = (
        sa.select(_LINE.c.id)
        .with_hint(_LINE, "INDEXED BY ix_transactions_taken_back", "sqlite")
        .where(
            *of_account,
            _LINE.c.status == sa.literal_column("'REMOVED'"),
            _LINE.c.journal_entry_id.is_not(None),
        )
    )
    return sa.select(
        sa.exists().where(*of_account, _LINE.c.line_key > ""),
        taken_back.exists(),
        sa.exists().where(*of_account, _LINE.c.status == "PENDING"),
    )
