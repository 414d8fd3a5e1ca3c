"""The chart, balances, bank accounts, merchants, projects, what a person may choose from."""

from webapp.queries.accounts import accounts, choices, feed_accounts, merchants, projects

__all__ = ["accounts", "choices", "feed_accounts", "merchants", "projects"]
