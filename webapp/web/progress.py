"""How far something long is: a sentence in a small file beside the books, which every worker can read."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from webapp.web.auth import here, settings


@contextlib.contextmanager
def told(name: str) -> Iterator[Callable[[str], None]]:
    """Write down how far a thing is while it runs, and forget it at its end."""
    path = _path(name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def tell(sentence: str) -> None:
        beside = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        beside.write_text(json.dumps(sentence))
        beside.replace(path)

    try:
        yield tell
    finally:
        path.unlink(missing_ok=True)


def read(name: str) -> str | None:
    """Tell in words how far a thing is, none where it does not run."""
    try:
        said: str = json.loads(_path(name).read_text())
    except FileNotFoundError:
        return None
    return said


def _path(name: str) -> Path:
    """Name the file of a thing, so that nobody reaches another organization's."""
    return settings().instance_path / "progress" / f"{here()}-{name}.json"
