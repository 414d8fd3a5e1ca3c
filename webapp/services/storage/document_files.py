"""Files of documents: kept beside the books under random names, readable by their owner only, and whole or not at all.

A file is written before the transaction that names it ends, and deleted when that is rolled back; one whose document
is deleted is deleted after the commit. As long as either is possible a mark is beside it, so that what a killed
process left is found and removed.
"""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from webapp.db import db, instance_folder
from webapp.models import Document
from webapp.services.storage import whole_files
from webapp.services.storage.savepoints import at_end
from webapp.tenancy import is_bound

NAME: Final = re.compile("[0-9a-f]{32}")
LEFT_AFTER: Final = timedelta(hours=1)


def folder() -> Path:
    """Give the folder of the files of documents."""
    return instance_folder("documents")


def path_of(name: str) -> Path:
    """Give the path of a file by a name that `keep` gave; raises ValueError for any other."""
    if not NAME.fullmatch(name):
        raise ValueError(name)
    return folder() / name


def keep(data: bytes, name: str | None = None) -> str:
    """Keep a file as part of the open transaction, and answer the name it is kept under.

    A restored file brings its name along; where a file has it already that one stays.
    """
    name = name or secrets.token_hex(16)
    path = path_of(name)
    if path.exists():
        return name
    _wait(name, stays=True)
    whole_files.keep(path, data)
    return name


def release(name: str) -> None:
    """Delete a file once the open transaction is committed; it stays where that is rolled back."""
    _wait(name, stays=False)


def kept() -> sa.Select[Any, Any]:
    """Select the name that each file is kept under, and its SHA-256, in the order in which they came."""
    named = sa.select(Document.kept_file, Document.sha256).where(Document.kept_file.is_not(None))
    return named.order_by(Document.id)


def sweep(*, now: datetime) -> None:
    """Remove the files that were on their way when a process was killed, unless a document names them."""
    if not _marks().is_dir():
        return
    old = [each.name for each in _marks().iterdir() if NAME.fullmatch(each.name) and _is_old(each, now)]
    if not old:
        return
    asked: sa.Executable = sa.select(Document.kept_file).where(Document.kept_file.in_(old))
    if is_bound(db.session()):
        # The folder is one for all: a file of other books must not look like one that nobody names.
        asked = sa.text("SELECT named_by_documents(:names)").bindparams(names=old)
    named = set(db.session.scalars(asked, execution_options={"across_organizations": True}))
    for name in old:
        _drop(name, is_kept=name in named)


def _wait(name: str, *, stays: bool) -> None:
    """Mark a file, and settle it at the end of the open transaction or savepoint."""
    mark = _mark(name)
    whole_files.make_folder(mark.parent)
    # A mark that a killed process left is as young as this one from now on, so that nobody sweeps it meanwhile.
    mark.touch(mode=0o600)
    at_end(
        committed=partial(_drop, name, is_kept=stays),
        taken_back=partial(_drop, name, is_kept=not stays),
    )
    whole_files.sync_folder(mark.parent)


def _is_old(mark: Path, now: datetime) -> bool:
    try:
        return mark.stat().st_mtime <= (now - LEFT_AFTER).timestamp()
    except FileNotFoundError:
        # Its transaction has just ended.
        return False


def _marks() -> Path:
    return folder() / "arriving"


def _mark(name: str) -> Path:
    return _marks() / name


def _drop(name: str, *, is_kept: bool) -> None:
    """Take the mark from a file, and the file too where nothing names it."""
    path = path_of(name)
    if not is_kept:
        path.unlink(missing_ok=True)
        whole_files.beginning_of(path).unlink(missing_ok=True)
    _mark(name).unlink(missing_ok=True)
