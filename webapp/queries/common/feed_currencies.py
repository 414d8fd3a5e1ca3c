"""All feed accounts of the books, with what is asked of them for each line."""

from typing import TypeAlias

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import FeedAccount
from webapp.models.base import table_of
from webapp.queries.common.made_once import made_once

# The id of a feed account, its account and its currency.
Feed: TypeAlias = sa.Row[tuple[int, int, str]]


def of_books(organization_id: str) -> dict[int | None, Feed]:
    """Read the accounts and currencies of all feed accounts, by their ids."""
    return {row.id: row for row in db.session.execute(*_currencies(organization_id))}


@made_once
def _currencies(organization_id: str) -> sa.Select[tuple[int, int, str]]:
    feed = table_of(FeedAccount).c
    return sa.select(feed.id, feed.account_id, feed.currency).where(feed.organization_id == organization_id)
