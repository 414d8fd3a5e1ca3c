"""What a person does in the journal without a bank line: manual entries, voids, lock date, financial year, rates."""

from webapp.services.bookkeeping import (
    entry_previews,
    exchange_rates,
    financial_years,
    lock_dates,
    manual_entries,
    revaluations,
    voids,
)

__all__ = [
    "entry_previews",
    "exchange_rates",
    "financial_years",
    "lock_dates",
    "manual_entries",
    "revaluations",
    "voids",
]
