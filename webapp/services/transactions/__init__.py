"""Acts on bank lines: confirm, edit, delete, restore, join, pair; settlements; and what the bank changes of lines."""

from webapp.services.transactions import (
    bulk_edits,
    confirmations,
    edits,
    joins,
    lifecycle,
    links,
    settlements,
    shared_edits,
    transfers,
)

__all__ = [
    "bulk_edits",
    "confirmations",
    "edits",
    "joins",
    "lifecycle",
    "links",
    "settlements",
    "shared_edits",
    "transfers",
]
