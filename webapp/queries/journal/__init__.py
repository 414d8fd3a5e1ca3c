"""Journal entries: their legs, records, corrections and history, and previews of voids."""

from webapp.queries.journal import (
    attachments,
    correction_tables,
    day_books,
    entries,
    entry_details,
    entry_records,
    lock_exceptions,
    manual_entries,
    schedules,
    void_previews,
)
