"""How far the import of a previewed file is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from webapp.services.imports.progress import Phase, Progress, sentence
from webapp.web import progress


@contextlib.contextmanager
def told(import_id: int) -> Iterator[Progress]:
    """Write down how far an import is while it runs, and forget it at its end."""
    with progress.told(str(import_id)) as say:

        def tell(phase: Phase, done: int, total: int | None) -> None:
            say(sentence(phase, done, total))

        yield tell


def read(import_id: int) -> str | None:
    """Tell in words how far an import is, none where none runs."""
    return progress.read(str(import_id))
