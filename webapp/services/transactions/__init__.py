"""Acts on bank lines: confirm, edit, delete, restore, join, pair; settlements; and what the bank changes of lines."""

from webapp.services.transactions import (
    bulk_edits,
    edits,
    joins,
    lifecycle,
    links,
    settlements,
    shared_edits,
    shown_edits,
    transfers,
)
