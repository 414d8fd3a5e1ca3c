"""Acts on bank lines: confirm, edit, delete, restore, join, pair; settlements; and what the bank changes of lines."""

from webapp.services.transactions import (
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
    "confirmations",
    "edits",
    "joins",
    "lifecycle",
    "links",
    "settlements",
    "shared_edits",
    "transfers",
]
