"""The chart, balances, bank accounts, merchants, projects, and the choices of forms."""

from webapp.queries.accounts import accounts, choices, feed_accounts, merchants, projects
