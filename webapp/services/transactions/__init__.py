"""Acts on bank lines: confirm, edit, delete, restore, join, pair; and what the bank changes of them."""

from webapp.services.transactions import edits, joins, lifecycle, links, transfers

__all__ = ["edits", "joins", "lifecycle", "links", "transfers"]
