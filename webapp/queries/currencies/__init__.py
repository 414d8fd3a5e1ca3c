"""Exchange rates, and balances in other currencies."""

from webapp.queries.currencies import exchange_rates

__all__ = ["exchange_rates"]
