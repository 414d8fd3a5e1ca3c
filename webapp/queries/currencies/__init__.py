"""Exchange rates, and what is held in other currencies."""

from webapp.queries.currencies import exchange_rates

__all__ = ["exchange_rates"]
