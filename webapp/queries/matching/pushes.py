"""What a push asks first: whether it was taken before, and whether there are documents that its lines may pay."""

from __future__ import annotations

from typing import NamedTuple

from webapp.models import FeedAccount
from webapp.snapshots.statements import PlannedOnce

_ASKED = PlannedOnce("""
    SELECT EXISTS (SELECT 1 FROM documents d WHERE d.organization_id = :organization_id), p.digest, p.answer
    FROM (SELECT 1 AS one) asked LEFT JOIN feed_pushes p ON p.organization_id = :organization_id
        AND p.feed_account_id = :feed_account_id AND p.batch_id = :batch_id""")


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
    of_account = {"organization_id": feed_account.organization_id, "feed_account_id": feed_account.id}
    ((has_documents, digest, answer),) = _ASKED.rows(**of_account, batch_id=batch_id)
    earlier = None if digest is None else EarlierPush(digest, answer)
    return Asked(earlier, bool(has_documents))
