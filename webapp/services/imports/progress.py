"""How far an import is, told while it runs to whoever listens."""

from __future__ import annotations

from typing import Literal, Protocol

Phase = Literal["reading", "judging", "writing"]
STEP = 5000


class Progress(Protocol):
    """Someone who is told how far an import is."""

    def __call__(self, phase: Phase, done: int, total: int | None) -> None:
        """Hear of a phase how many of its lines are done, of how many, where that is known."""


def silent(phase: Phase, done: int, total: int | None) -> None:
    """Tell nobody."""
    del phase, done, total


def sentence(phase: Phase, done: int, total: int | None) -> str:
    """Tell a phase in words.

    >>> sentence("reading", 0, None), sentence("judging", 0, 1200), sentence("writing", 5000, 100000)
    ('reading the file', 'comparing 1,200 lines with the books', 'writing 5,000 of 100,000 lines')
    """
    if phase == "reading":
        return "reading the file"
    if phase == "judging":
        return f"comparing {total:,} lines with the books"
    return f"writing {done:,} of {total:,} lines"
