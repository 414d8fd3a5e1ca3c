"""Files on their way: written before the transaction that names them ends, each with a mark until that has ended.

As long as a file may stay or go, a mark is beside it, so that what a killed process left is found and removed.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from webapp.database.places import evidence_folder, evidence_place, is_name, place_in
from webapp.database.sessions import db, instance_folder
from webapp.models import StoredFile
from webapp.services.storage import whole_files
from webapp.services.storage.savepoints import at_end

LEFT_AFTER: Final = timedelta(hours=1)


def sweep(organization_id: str, *, now: datetime) -> None:
    """Remove the files that were on their way when a process was killed, unless a row has them."""
    _remove_older_names()
    marks = _marks(organization_id)
    if not marks.is_dir():
        return
    old = [each.name for each in marks.iterdir() if is_name(each.name) and _is_old(each, now)]
    if not old:
        return
    named = set(
        db.session.scalars(
            sa.select(StoredFile.kept_name).where(
                StoredFile.organization_id == organization_id, StoredFile.kept_name.in_(old)
            )
        )
    )
    for name in old:
        _drop(organization_id, name, is_kept=name in named)


def mark(organization_id: str, names: Iterable[str], *, stays: bool) -> None:
    """Mark files, and decide on them at the end of the open transaction or savepoint: each stays, or goes."""
    marks = _marks(organization_id)
    whole_files.make_folder(marks)
    for name in names:
        # A mark that a killed process left is as young as this one from now on, so that nobody sweeps it meanwhile.
        place_in(marks, name).touch(mode=0o600)
        at_end(
            committed=partial(_drop, organization_id, name, is_kept=stays),
            taken_back=partial(_drop, organization_id, name, is_kept=not stays),
        )
    whole_files.sync(marks)


def _is_old(mark: Path, now: datetime) -> bool:
    try:
        return mark.stat().st_mtime <= (now - LEFT_AFTER).timestamp()
    except FileNotFoundError:
        # Its transaction has just ended.
        return False


def _marks(organization_id: str) -> Path:
    return evidence_folder(organization_id) / "arriving"


def _drop(organization_id: str, name: str, *, is_kept: bool) -> None:
    """Take the mark from a file, and the file too where no row has it."""
    path = evidence_place(organization_id, name)
    if not is_kept:
        path.unlink(missing_ok=True)
        whole_files.beginning_of(path).unlink(missing_ok=True)
    place_in(_marks(organization_id), name).unlink(missing_ok=True)


def _remove_older_names() -> None:
    """Remove the names that files of documents had in earlier versions, where they have the present one too."""
    earlier = instance_folder("documents")
    for path in earlier.iterdir() if earlier.is_dir() else ():
        if path.is_file() and path.stat().st_nlink > 1:
            path.unlink(missing_ok=True)
