"""What a bulk act has read ahead for all its items, where a question of one of them looks first; and what is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from webapp.database.session_state import ReadAhead, state_of
from webapp.database.sessions import db


@contextmanager
def answering(found: ReadAhead) -> Iterator[None]:
    """Answer from what was read while the block lasts."""
    state = state_of(db.session())
    before, state.ahead = state.ahead, found
    try:
        yield
    finally:
        state.ahead = before


def present() -> ReadAhead:
    """Give what is read ahead now, nothing outside a bulk act."""
    return state_of(db.session()).ahead


def keep(key: str, row: Any) -> None:
    """Hold a row that is asked for again and again: a session forgets one that nobody holds, and would ask anew."""
    state_of(db.session()).kept[key] = row


def kept(key: str) -> Any:
    """Give the row that is held under a key; None where there is none, or its session has let it go."""
    session = db.session()
    row = state_of(session).kept.get(key)
    return row if row is not None and row in session else None


__all__ = ["ReadAhead", "answering", "keep", "kept", "present"]
