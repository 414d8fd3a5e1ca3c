"""Files that wait beside the books for a person, under random names, readable by their owner only.

They follow the transaction that names them: one that is taken back leaves no new file, and takes none away.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import event, orm

from webapp.db import db
from webapp.ledger.errors import LedgerError
from webapp.services.savepoints import innermost, is_inside, is_trial

NAME: Final = re.compile("[0-9a-f]{32}")
# The folder beside the books in which the files of proposals wait.
PROPOSALS: Final = "proposals"
_MOVING: Final = "moving_files"


class FileGoneError(LedgerError):
    """The file of this proposal is not there any more; send it again."""

    code = "file_gone"


@dataclass(frozen=True, slots=True)
class _Moving:
    """A file that came, or that goes, in a transaction or savepoint which has not ended yet."""

    path: Path
    comes: bool
    inside: orm.SessionTransaction | None


def keep(folder: Path, data: bytes, name: str | None = None) -> str:
    """Keep a file, and answer the name it is kept under; a restored one brings its name along."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = name or secrets.token_hex(16)
    if (folder / name).exists():
        return name
    _move(folder / name, comes=True)
    descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return name


def read(folder: Path, name: str | None) -> bytes:
    """Read a kept file, or raise FileGoneError."""
    if name is None or not NAME.fullmatch(name):
        raise FileGoneError
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        raise FileGoneError from None


def drop(folder: Path, name: str | None) -> None:
    """Remove a kept file once the transaction stays, whether it is there or not; a trial leaves it where it is."""
    if not is_trial() and name is not None and NAME.fullmatch(name):
        _move(folder / name, comes=False)


def sweep(folder: Path, *, older_than: datetime, but: Container[str] = ()) -> None:
    """Remove the files that nobody waits for any more, all but some."""
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            if path.name not in but and path.stat().st_mtime <= older_than.timestamp():
                drop(folder, path.name)
        except FileNotFoundError:
            # Another process swept it in the meantime.
            continue


def _move(path: Path, *, comes: bool) -> None:
    session = db.session()
    session.info.setdefault(_MOVING, []).append(_Moving(path, comes, innermost(session)))


@event.listens_for(orm.Session, "after_commit")
def _settle(session: orm.Session) -> None:
    """Take the files away that go with a transaction which stays; that of a savepoint waits for the whole."""
    if not session.in_nested_transaction():
        for each in session.info.pop(_MOVING, []):
            if not each.comes:
                each.path.unlink(missing_ok=True)


@event.listens_for(orm.Session, "after_soft_rollback")
def _take_back(session: orm.Session, ended: orm.SessionTransaction) -> None:
    """Remove the files that came inside a transaction or savepoint which is taken back."""
    moving: list[_Moving] = session.info.get(_MOVING, [])
    for each in [each for each in moving if is_inside(each.inside, ended)]:
        moving.remove(each)
        if each.comes:
            each.path.unlink(missing_ok=True)
