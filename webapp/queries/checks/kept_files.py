"""What is kept beside the books: each file is there, and is what was sent."""

from __future__ import annotations

from hashlib import file_digest
from pathlib import Path
from typing import NamedTuple


class Wrong(NamedTuple):
    """What is wrong with a file, as a code says it and as a sentence does."""

    code: str
    words: str


def wrong_with(path: Path, sha256: str | None) -> Wrong | None:
    """Tell what is wrong with a file of this SHA-256; None where it is whole."""
    try:
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except OSError:
        return Wrong("missing", "missing")
    return None if digest == sha256 else Wrong("differs", "not what was sent")
