"""What a bulk act has read ahead for all its items, where a question of one of them looks first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from webapp.db import db
from webapp.session_state import ReadAhead, state_of


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


__all__ = ["ReadAhead", "answering", "present"]
