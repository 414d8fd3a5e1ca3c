"""Rows that a session keeps: it forgets one that nobody holds, and would ask for it anew."""

from typing import Any

from webapp.database.session_state import state_of
from webapp.database.sessions import db


def keep(key: str, row: Any) -> None:
    """Hold a row, or several, under a key."""
    state_of(db.session()).kept[key] = row


def kept(key: str) -> Any:
    """Give the row that is held under a key; None where there is none, or its session has let it go."""
    session = db.session()
    row = state_of(session).kept.get(key)
    return row if row is not None and row in session else None
