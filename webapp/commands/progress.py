"""How far a long command is, on one line of a terminal's standard error; a pipe or a file hears nothing."""

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
        """Begin with nothing said about a file."""
        self._name = file_name
        self._is_heard = sys.stderr.isatty()
        self._has_spoken = False

    def __call__(self, phase: Phase, done: int, total: int | None) -> None:
        """Say how far a phase is."""
        self._say(f"{self._name}: {sentence(phase, done, total)}")

    def end(self) -> None:
        """Leave the line empty for what comes next."""
        if self._has_spoken:
            self._say("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _say(self, text: str) -> None:
        if self._is_heard:
            sys.stderr.write(f"\r{text[:WIDTH]:<{WIDTH}}")
            sys.stderr.flush()
            self._has_spoken = True
