"""The progress of a long command, on one line of a terminal's standard error; never in a pipe or a file."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from webapp.services.imports.progress import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webapp.services.imports.progress import Phase

WIDTH = 78


class ProgressLine:
    """A line that is written over itself."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._has_written = False

    def show(self, text: str) -> None:
        """Write a text over the previous one."""
        if self._is_terminal:
            sys.stderr.write(f"\r{text[:WIDTH]:<{WIDTH}}")
            sys.stderr.flush()
            self._has_written = True

    def end(self) -> None:
        """Leave the line empty for what comes next."""
        if self._has_written:
            self.show("")
            sys.stderr.write("\r")
            sys.stderr.flush()


class TerminalProgress(ProgressLine):
    """An import's progress, written over itself."""

    def __init__(self, file_name: str) -> None:
        super().__init__()
        self._name = file_name

    def __call__(self, phase: Phase, done: int, total: int | None) -> None:
        """Show the progress of a phase."""
        self.show(f"{self._name}: {sentence(phase, done, total)}")


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a text during the command, and clear the line at the end."""
    line = ProgressLine()
    try:
        yield line.show
    finally:
        line.end()
