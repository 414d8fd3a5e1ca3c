"""Files in the instance folder: each exists, and is what was sent."""

from __future__ import annotations

import gzip
import zlib
from hashlib import file_digest
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Final, NamedTuple


class FileProblem(NamedTuple):
    """What is wrong with a file: a code, and its text for a sentence."""

    code: str
    text: str


DIFFERS: Final = FileProblem("differs", "not what was sent")


def problem_with(
    file: Path | bytes, sha256: str | None, *, is_compressed: bool = False
) -> FileProblem | None:
    """Find what is wrong with a file of this SHA-256, which gzip may have compressed; None where it is whole."""
    try:
        with _opened(file) as raw, gzip.open(raw) if is_compressed else raw as plain:
            digest = file_digest(plain, "sha256").hexdigest()
    except (gzip.BadGzipFile, EOFError, zlib.error):
        return DIFFERS
    except OSError:
        return FileProblem("missing", "missing")
    return None if digest == sha256 else DIFFERS


def _opened(file: Path | bytes) -> BytesIO | BufferedReader:
    return BytesIO(file) if isinstance(file, bytes) else file.open("rb")
