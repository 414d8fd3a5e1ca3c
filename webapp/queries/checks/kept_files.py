"""Files in the instance folder: each exists, and is what was sent."""

from __future__ import annotations

from hashlib import file_digest
from pathlib import Path
from typing import NamedTuple


class FileProblem(NamedTuple):
    """What is wrong with a file: a code, and its text for a sentence."""

    code: str
    text: str


def problem_with(path: Path, sha256: str | None) -> FileProblem | None:
    """Find what is wrong with a file of this SHA-256; None where it is whole."""
    try:
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except OSError:
        return FileProblem("missing", "missing")
    return None if digest == sha256 else FileProblem("differs", "not what was sent")
