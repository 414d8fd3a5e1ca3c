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
