"""Files that wait beside the books for a person, under random names, readable by their owner only.

They follow the transaction that names them: one that is taken back leaves no new file, and takes none away.
"""

import re
import secrets
from collections.abc import Callable, Container
from datetime import datetime
from pathlib import Path
from typing import Final

from webapp.ledger.errors import LedgerError
from webapp.services.storage import whole_files
from webapp.services.storage.savepoints import at_end, is_trial

NAME: Final = re.compile("[0-9a-f]{32}")
# The folder beside the books in which the files of proposals wait.
PROPOSALS: Final = "proposals"


class FileGoneError(LedgerError):
    """The file of this proposal is not there any more; send it again."""

    code = "file_gone"


def keep(folder: Path, data: bytes, name: str | None = None) -> str:
    """Keep a file, and answer the name it is kept under; a restored one brings its name along."""
    name = name or secrets.token_hex(16)
    if (folder / name).exists():
        return name
    at_end(taken_back=_gone(folder / name))
    whole_files.keep(folder / name, data)
    return name


def read(folder: Path, name: str | None) -> bytes:
    """Read a kept file, or raise FileGoneError."""
    if name is None or not NAME.fullmatch(name):
        raise FileGoneError
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        raise FileGoneError from None


def size(folder: Path, name: str | None) -> int:
    """Give the bytes of a kept file, 0 where there is none."""
    if name is None or not NAME.fullmatch(name):
        return 0
    try:
        return (folder / name).stat().st_size
    except FileNotFoundError:
        return 0


def drop(folder: Path, name: str | None) -> None:
    """Remove a kept file once the transaction stays, whether it is there or not; a trial leaves it where it is."""
    if not is_trial() and name is not None and NAME.fullmatch(name):
        at_end(committed=_gone(folder / name))


def sweep(folder: Path, *, older_than: datetime, but: Container[str] = ()) -> None:
    """Remove the files that nobody waits for any more, all but some, and what killed processes did not finish."""
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            if path.name not in but and path.stat().st_mtime <= older_than.timestamp():
                drop(folder, path.name.removeprefix("."))
        except FileNotFoundError:
            # Another process swept it in the meantime.
            continue


def _gone(path: Path) -> Callable[[], None]:
    def remove() -> None:
        path.unlink(missing_ok=True)
        whole_files.beginning_of(path).unlink(missing_ok=True)

    return remove
