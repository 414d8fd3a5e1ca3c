"""Read-only questions about the books, one module per noun."""

from webapp.queries import (
    accounts,
    action_requests,
    entry_records,
    journal_entries,
    organizations,
    transactions,
)

__all__ = ["accounts", "action_requests", "entry_records", "journal_entries", "organizations", "transactions"]
