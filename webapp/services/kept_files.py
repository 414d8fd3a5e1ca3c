"""Files that wait beside the books for a person's decision, readable by their owner only."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from webapp.ledger.errors import LedgerError
from webapp.services import previews

NAME = re.compile("[0-9a-f]{32}")


class FileGoneError(LedgerError):
    """The file of this proposal is not there any more; send it again."""

    code = "file_gone"


def keep(folder: Path, data: bytes) -> str:
    """Keep a file, and answer the name it is kept under."""
    return previews.keep(folder, data)


def read(folder: Path, name: str | None) -> bytes:
    """Read a kept file, or raise FileGoneError: a backup of the books does not hold it."""
    if name is None or not NAME.fullmatch(name):
        raise FileGoneError
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        raise FileGoneError from None


def sweep(folder: Path, *, older_than: datetime) -> None:
    """Remove the files that nobody waits for any more."""
    for path in folder.iterdir() if folder.is_dir() else ():
        # Another process may sweep at the same time.
        with suppress(FileNotFoundError):
            if path.stat().st_mtime <= older_than.timestamp():
                path.unlink()


def drop(folder: Path, name: str | None) -> None:
    """Remove a kept file, whether it is there or not."""
    previews.drop(folder, name)
