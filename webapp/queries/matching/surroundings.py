"""What an account has that new lines may be: asked in one statement, as most accounts have nothing of it."""

from __future__ import annotations

from typing import Final, NamedTuple

from webapp.models import FeedAccount
from webapp.snapshots.statements import TextStatement

# SQLite takes an index of some rows only where it is named and the condition is written as the index has it.
_ASKED = TextStatement(
    """
    SELECT
        EXISTS (SELECT 1 FROM transactions t WHERE t.organization_id = :organization_id
            AND t.feed_account_id = :feed_account_id AND t.line_key > ''),
        EXISTS (SELECT 1 FROM transactions t {taken_back} WHERE t.organization_id = :organization_id
            AND t.feed_account_id = :feed_account_id AND t.status = 'REMOVED' AND t.journal_entry_id IS NOT NULL),
        EXISTS (SELECT 1 FROM transactions t {by_status} WHERE t.organization_id = :organization_id
            AND t.feed_account_id = :feed_account_id AND t.status = 'PENDING')""",
    taken_back=("INDEXED BY ix_transactions_taken_back", ""),
    by_status=("INDEXED BY ix_transactions_status", ""),
)


class Surroundings(NamedTuple):
    """Whether an account has lines of files, posted lines that the feed removed, and lines that wait for the bank."""

    has_file_lines: bool
    has_removed_posted: bool
    has_pending: bool


NOTHING: Final = Surroundings(has_file_lines=False, has_removed_posted=False, has_pending=False)


def of(feed_account: FeedAccount) -> Surroundings:
    """Look what an account has."""
    asked = {"organization_id": feed_account.organization_id, "feed_account_id": feed_account.id}
    (row,) = _ASKED.rows(**asked)
    return Surroundings(*map(bool, row))
