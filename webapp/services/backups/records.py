"""What is remembered of backups outside the books: when the last one was made and verified, and who knows."""

import json
from datetime import datetime
from pathlib import Path
from typing import Final

from webapp.services.storage import whole_files

FILE_NAME: Final = "backups.json"


def note(instance_path: Path, **instants: datetime) -> None:
    """Remember instants: `made`, `verified`, or `dismissed` by an owner who knows that they are old."""
    known = {name: instant.isoformat() for name, instant in {**noted(instance_path), **instants}.items()}
    whole_files.keep(instance_path / FILE_NAME, json.dumps(known).encode())


def noted(instance_path: Path) -> dict[str, datetime]:
    """Read what is remembered; a file that is not there or not whole says nothing."""
    try:
        known = json.loads((instance_path / FILE_NAME).read_text(encoding="utf-8"))
        return {name: datetime.fromisoformat(text) for name, text in known.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
