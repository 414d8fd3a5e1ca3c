"""The progress of a long command, on one line of a terminal's standard error; never in a pipe or a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from webapp.services.imports.progress import sentence

if TYPE_CHECKING:
    from webapp.services.imports.progress import Phase

WIDTH = 78


class TerminalProgress:
    """An import's progress, written over itself."""

    def __init__(self, file_name: str) -> None:
        """Begin the progress of a file."""
        self._name = file_name
        self._is_terminal = sys.stderr.isatty()
        self._has_written = False

    def __call__(self, phase: Phase, done: int, total: int | None) -> None:
        """Show how far a phase is."""
        self._write(f"{self._name}: {sentence(phase, done, total)}")

    def end(self) -> None:
        """Leave the line empty for what comes next."""
        if self._has_written:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _write(self, text: str) -> None:
        if self._is_terminal:
            sys.stderr.write(f"\r{text[:WIDTH]:<{WIDTH}}")
            sys.stderr.flush()
            self._has_written = True
