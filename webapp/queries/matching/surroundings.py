"""What an account has that new lines may be: asked in one statement, as most accounts have nothing of it."""

from typing import Final, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import FeedAccount, Transaction
from webapp.queries.common.made_once import made_once
from webapp.queries.matching import feed_lines


class Surroundings(NamedTuple):
    """Whether an account has lines of files, posted lines that the feed removed, and lines that wait for the bank."""

    has_file_lines: bool
    has_removed_posted: bool
    has_pending: bool


NOTHING: Final = Surroundings(has_file_lines=False, has_removed_posted=False, has_pending=False)


def of(feed_account: FeedAccount) -> Surroundings:
    """Look what an account has."""
    found = db.session.execute(*_of_account(feed_account.organization_id, feed_account.id)).one()
    return Surroundings(*found)


@made_once
def _of_account(organization_id: str, feed_account_id: int) -> sa.Select[bool, bool, bool]:
    of_account = (
        Transaction.organization_id == organization_id,
        Transaction.feed_account_id == feed_account_id,
    )
    return sa.select(
        sa.exists().where(*of_account, Transaction.line_key > ""),
        feed_lines.taken_back(organization_id, feed_account_id).exists(),
        sa.exists().where(*of_account, Transaction.status == "PENDING"),
    )
