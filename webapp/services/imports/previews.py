"""Files that somebody has looked at and may import: kept for an hour beside the books."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from webapp.services.storage import kept_files

KEPT_FOR = timedelta(hours=1)


def find(folder: Path, name: str | None, *, created_at: datetime, now: datetime) -> bytes | None:
    """Read a kept file, or none where its hour is over."""
    if now - created_at >= KEPT_FOR:
        return None
    try:
        return kept_files.read(folder, name)
    except kept_files.FileGoneError:
        return None


def sweep(folder: Path, *, now: datetime) -> None:
    """Remove the files whose hour is over."""
    kept_files.sweep(folder, older_than=now - KEPT_FOR)
