"""The rows that confirming or changing many lines asks for one by one: read into the session with a statement each."""

from collections.abc import Iterable, Sequence

from webapp.models import Account, FeedAccount, JournalEntry, Transaction
from webapp.queries.common import kept_rows, lookups
from webapp.queries.common.parts import with_parts


def load(
    organization_id: str, ids: Sequence[int], account_ids: Iterable[int | None] = ()
) -> Sequence[Transaction]:
    """Give lines, read with their entries, legs and accounts, where the session then finds them.

    `account_ids` are other accounts that the act names.
    """
    lines = list(lookups.by_id(Transaction, organization_id, ids).values())
    entries = lookups.by_id(JournalEntry, organization_id, {line.journal_entry_id for line in lines}).values()
    with_parts(JournalEntry.postings, entries)
    touched = {posting.account_id for entry in entries for posting in entry.postings}
    accounts = lookups.by_id(Account, organization_id, {*touched, *account_ids}).values()
    feeds = lookups.by_id(FeedAccount, organization_id, {line.feed_account_id for line in lines}).values()
    kept_rows.keep("lines", [*lines, *entries, *accounts, *feeds])
    return lines
