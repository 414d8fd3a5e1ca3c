"""Files that somebody has looked at and may import: kept for an hour beside the books, readable by their owner only."""

from __future__ import annotations

import os
import re
import secrets
from datetime import datetime, timedelta
from pathlib import Path

from webapp.services.savepoints import is_trial

KEPT_FOR = timedelta(hours=1)
NAME = re.compile("[0-9a-f]{32}")


def keep(folder: Path, data: bytes) -> str:
    """Keep a file, and answer the name it is kept under."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = secrets.token_hex(16)
    _write(folder / name, data)
    return name


def find(folder: Path, name: str | None, *, created_at: datetime, now: datetime) -> bytes | None:
    """Read a kept file, or none where its hour is over."""
    if name is None or not NAME.fullmatch(name) or now - created_at >= KEPT_FOR:
        return None
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        return None


def drop(folder: Path, name: str | None) -> None:
    """Remove a kept file, whether it is there or not; a trial leaves it where it is."""
    if not is_trial() and name is not None and NAME.fullmatch(name):
        (folder / name).unlink(missing_ok=True)


def sweep(folder: Path, *, now: datetime) -> None:
    """Remove the files whose hour is over."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        try:
            if path.stat().st_mtime <= (now - KEPT_FOR).timestamp():
                path.unlink()
        except FileNotFoundError:
            # Another process swept it in the meantime.
            continue


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
