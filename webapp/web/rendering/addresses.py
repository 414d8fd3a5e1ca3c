"""The address of a bank line."""

from __future__ import annotations

from flask import url_for


def line_address(fa_id: int, transaction_id: int, edit: str | None = None) -> str:
    """Give the address of a bank line: among all lines of its account, opened and scrolled to."""
    anchor = f"line-{transaction_id}"
    return url_for(
        "feed_accounts.show", fa_id=fa_id, show="all", line=transaction_id, edit=edit, _anchor=anchor
    )
