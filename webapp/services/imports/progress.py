"""The progress of an import, reported while it runs."""

from typing import Literal, Protocol

Phase = Literal["reading", "comparing", "writing"]
STEP = 5000


class Progress(Protocol):
    """A receiver of the progress of an import."""

    def __call__(self, phase: Phase, done: int, total: int | None) -> None:
        """Take how many lines of a phase are done, of how many, where that is known."""


def silent(phase: Phase, done: int, total: int | None) -> None:
    """Report to nobody."""
    del phase, done, total


def sentence(phase: Phase, done: int, total: int | None) -> str:
    """Write a phase as a sentence.

    >>> sentence("reading", 0, None), sentence("comparing", 0, 1200), sentence("writing", 5000, 100000)
    ('reading the file', 'comparing 1,200 lines with the books', 'writing 5,000 of 100,000 lines')
    """
    if phase == "reading":
        return "reading the file"
    if phase == "comparing":
        return f"comparing {total:,} lines with the books"
    return f"writing {done:,} of {total:,} lines"
