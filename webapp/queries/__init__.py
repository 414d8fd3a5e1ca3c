"""Read-only questions about the books, one module per noun."""

from webapp.queries import (
    accounts,
    action_requests,
    choices,
    correction_tables,
    entry_records,
    entry_stories,
    feed_accounts,
    journal_entries,
    organizations,
    transactions,
    workspaces,
)

__all__ = [
    "accounts",
    "action_requests",
    "choices",
    "correction_tables",
    "entry_records",
    "entry_stories",
    "feed_accounts",
    "journal_entries",
    "organizations",
    "transactions",
    "workspaces",
]
