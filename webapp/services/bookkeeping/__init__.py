"""What a person does without a bank line: manual entries, voids, lock date, financial year, rates, retention."""

from webapp.services.bookkeeping import (
    disposals,
    document_bookings,
    entry_previews,
    exchange_rates,
    financial_years,
    lock_dates,
    manual_entries,
    posted_corrections,
    retention,
    revaluations,
    schedule_changes,
    schedules,
    tax_adjustments,
    voids,
)
