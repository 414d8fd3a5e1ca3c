"""Files that wait beside the books for a person, under random names, readable by their owner only.

They follow the transaction that names them: one that is taken back leaves no new file, and takes none away.
"""

import secrets
from collections.abc import Callable, Container
from datetime import datetime
from pathlib import Path

from webapp.database.places import StrangeNameError, is_name, place_in
from webapp.ledger.errors import LedgerError
from webapp.services.storage import whole_files
from webapp.services.storage.savepoints import at_end, is_trial


class FileGoneError(LedgerError):
    """The file of this proposal is not there any more; send it again."""

    code = "file_gone"


def keep(folder: Path, data: bytes, name: str | None = None) -> str:
    """Keep a file, and answer the name it is kept under; a restored one brings its name along."""
    name = name or secrets.token_hex(16)
    path = place_in(folder, name)
    if not path.exists():
        at_end(taken_back=_gone(path))
        whole_files.keep(path, data)
    return name


def read(folder: Path, name: str | None) -> bytes:
    """Read a kept file, or raise FileGoneError."""
    try:
        return place_in(folder, name).read_bytes()
    except (StrangeNameError, FileNotFoundError):
        raise FileGoneError from None


def size(folder: Path, name: str | None) -> int:
    """Give the bytes of a kept file, 0 where there is none."""
    try:
        return place_in(folder, name).stat().st_size
    except (StrangeNameError, FileNotFoundError):
        return 0


def is_there(folder: Path, name: str) -> bool:
    """Tell whether a kept file is there."""
    return is_name(name) and place_in(folder, name).is_file()


def drop(folder: Path, name: str | None) -> None:
    """Remove a kept file once the transaction stays, whether it is there or not; a trial leaves it where it is."""
    if not is_trial() and is_name(name):
        at_end(committed=_gone(place_in(folder, name)))


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
