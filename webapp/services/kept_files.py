"""Files that wait beside the books for a person, under random names, readable by their owner only."""

from __future__ import annotations

import os
import re
import secrets
from datetime import datetime
from pathlib import Path

from webapp.ledger.errors import LedgerError
from webapp.services.savepoints import is_trial

NAME = re.compile("[0-9a-f]{32}")


class FileGoneError(LedgerError):
    """The file of this proposal is not there any more; send it again."""

    code = "file_gone"


def keep(folder: Path, data: bytes) -> str:
    """Keep a file, and answer the name it is kept under."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = secrets.token_hex(16)
    descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return name


def read(folder: Path, name: str | None) -> bytes:
    """Read a kept file, or raise FileGoneError: a backup of the books does not hold it."""
    if name is None or not NAME.fullmatch(name):
        raise FileGoneError
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        raise FileGoneError from None


def drop(folder: Path, name: str | None) -> None:
    """Remove a kept file, whether it is there or not; a trial leaves it where it is."""
    if not is_trial() and name is not None and NAME.fullmatch(name):
        (folder / name).unlink(missing_ok=True)


def sweep(folder: Path, *, older_than: datetime) -> None:
    """Remove the files that nobody waits for any more."""
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            if path.stat().st_mtime <= older_than.timestamp():
                path.unlink()
        except FileNotFoundError:
            # Another process swept it in the meantime.
            continue
