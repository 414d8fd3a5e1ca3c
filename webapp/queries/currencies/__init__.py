"""Exchange rates, balances in other currencies, and their revaluations."""

from webapp.queries.currencies import exchange_rates, revaluation_verdicts, revaluations
