"""Read-only questions about the books, one module per noun."""

from webapp.queries import (
    accounts,
    action_requests,
    choices,
    correction_tables,
    entry_records,
    entry_stories,
    exchange_rates,
    feed_accounts,
    journal_entries,
    merchants,
    organizations,
    projects,
    rules,
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
    "exchange_rates",
    "feed_accounts",
    "journal_entries",
    "merchants",
    "organizations",
    "projects",
    "rules",
    "transactions",
    "workspaces",
]
