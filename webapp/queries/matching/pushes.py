"""What a push asks first: whether it was taken before, and whether there are documents that its lines may pay."""

from typing import NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import Document, FeedAccount, FeedPush
from webapp.queries.common.made_once import made_once


class EarlierPush(NamedTuple):
    """A push that was taken: the digest of its content, and its answer, deflated."""

    digest: str
    answer: bytes


class Asked(NamedTuple):
    """A push with the same batchId, if one was taken, and whether the organization has documents."""

    earlier: EarlierPush | None
    has_documents: bool


def before(feed_account: FeedAccount, batch_id: str) -> Asked:
    """Look what there is before a push is taken, by the batchId of its sender."""
    of_push = _before(feed_account.organization_id, feed_account.id, batch_id)
    has_documents, digest, answer = db.session.execute(*of_push).one()
    return Asked(None if digest is None else EarlierPush(digest, answer), has_documents)


@made_once
def _before(organization_id: str, feed_account_id: int, batch_id: str) -> sa.Select[bool, str, bytes]:
    asked = sa.select(sa.literal(1).label("one")).subquery()
    is_the_same = sa.and_(
        FeedPush.organization_id == organization_id,
        FeedPush.feed_account_id == feed_account_id,
        FeedPush.batch_id == batch_id,
    )
    return (
        sa.select(
            sa.exists().where(Document.organization_id == organization_id), FeedPush.digest, FeedPush.answer
        )
        .select_from(asked)
        .outerjoin(FeedPush, is_the_same)
    )
