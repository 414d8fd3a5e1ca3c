"""Entries, their legs, history and what stands against a void."""

from webapp.queries.journal import (
    attachments,
    correction_tables,
    entries,
    entry_details,
    entry_records,
    manual_entries,
    void_previews,
)

__all__ = [
    "attachments",
    "correction_tables",
    "entries",
    "entry_details",
    "entry_records",
    "manual_entries",
    "void_previews",
]
