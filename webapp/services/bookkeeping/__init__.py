"""What a person does in the journal without a bank line: manual entries, voids, the lock date, rates, revaluation."""

from webapp.services.bookkeeping import (
    entry_previews,
    exchange_rates,
    lock_dates,
    manual_entries,
    revaluations,
    voids,
)

__all__ = ["entry_previews", "exchange_rates", "lock_dates", "manual_entries", "revaluations", "voids"]
