"""How far the import of a previewed file is: a small file beside the books, which every worker can read."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from webapp.services.import_progress import Phase, Progress, sentence
from webapp.web.auth import here, settings


@contextlib.contextmanager
def told(import_id: int) -> Iterator[Progress]:
    """Write down how far an import is while it runs, and forget it at its end."""
    path = _path(import_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def tell(phase: Phase, done: int, total: int | None) -> None:
        beside = path.with_suffix(f".{os.getpid()}")
        beside.write_text(json.dumps(sentence(phase, done, total)))
        beside.replace(path)

    try:
        yield tell
    finally:
        path.unlink(missing_ok=True)


def read(import_id: int) -> str | None:
    """Tell in words how far an import is, none where none runs."""
    try:
        said: str = json.loads(_path(import_id).read_text())
    except FileNotFoundError:
        return None
    return said


def _path(import_id: int) -> Path:
    """Name the file of an import, so that nobody reaches another organization's."""
    return settings().instance_path / "progress" / f"{here()}-{import_id}.json"
