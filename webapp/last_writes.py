"""How far the log of the primary had come after the last write to each organization: what a replica must have replayed.

It is noted after the COMMIT and before the answer, in a file of the instance, which all processes share that
serve the books. Organizations that share a place in it wait for each other's writes, and never for less than their own.
"""

from __future__ import annotations

import fcntl
import os
import struct
import threading
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from webapp.tenancy import EVERYBODY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import sqlalchemy as sa

FILE_NAME: Final = "last_writes"
# The first place is of what was written to more than one organization, or to none.
PLACES: Final = 4096
OF_ALL: Final = 0
WIDTH: Final = 8
POSITION: Final = struct.Struct("<Q")
# A place whose position could not be asked: no replica has come so far, until a later write is noted.
UNKNOWN: Final = 2**64 - 1
# The log is on the disk that far, so that a replica has or will get it: what others have only begun is beyond it.
FLUSHED: Final = "SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn"


class LastWrites:
    """The file of positions, one of 64 bits for each place."""

    def __init__(self, folder: Path) -> None:
        """Open the file, or make it."""
        self._lock = threading.Lock()
        self._file = os.open(folder / FILE_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if os.fstat(self._file).st_size != PLACES * WIDTH:
            os.ftruncate(self._file, PLACES * WIDTH)

    def note(self, organization_id: str | None, position: int) -> None:
        """Remember a write; an earlier position never replaces a later one."""
        place = place_of(organization_id)
        with self._alone(place):
            before = self._at(place)
            if before == UNKNOWN or position > before:
                self._set(place, position)

    def needed(self, organization_id: str) -> int:
        """Tell what a replica must have replayed, before it is asked for the rows of an organization."""
        return max(self._at(OF_ALL), self._at(place_of(organization_id)))

    def begin(self, position: int) -> None:
        """Forget all, which may be of another database, and wait for what the primary has written until now."""
        os.ftruncate(self._file, 0)
        os.ftruncate(self._file, PLACES * WIDTH)
        self._set(OF_ALL, position)

    def _at(self, place: int) -> int:
        (position,) = POSITION.unpack(os.pread(self._file, WIDTH, place * WIDTH).ljust(WIDTH, b"\xff"))
        return int(position)

    def _set(self, place: int, position: int) -> None:
        os.pwrite(self._file, POSITION.pack(position), place * WIDTH)

    @contextmanager
    def _alone(self, place: int) -> Iterator[None]:
        """Let one thread of one process at a time change a place."""
        with self._lock:
            fcntl.lockf(self._file, fcntl.LOCK_EX, WIDTH, place * WIDTH)
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, WIDTH, place * WIDTH)


def place_of(organization_id: str | None) -> int:
    """Choose the place of an organization; what is of no single one has the first.

    >>> place_of(None), place_of("*"), 1 <= place_of("org_1") < PLACES
    (0, 0, True)
    """
    if organization_id is None or organization_id == EVERYBODY:
        return OF_ALL
    digest = blake2b(organization_id.encode(), digest_size=WIDTH).digest()
    return 1 + int.from_bytes(digest, "big") % (PLACES - 1)


def note_commits(engine: sa.Engine, writes: LastWrites) -> None:
    """Ask after each COMMIT of an engine how far the log is, and note it before anybody is answered.

    It is a message of its own: an error of it must not be taken for one of the COMMIT.
    """

    def commit(connection: Any) -> None:
        info = connection.info
        if info.get("reads_only", False):
            connection.commit()
            return
        position = UNKNOWN
        try:
            connection.commit()
            with suppress(engine.dialect.loaded_dbapi.Error):
                position = flushed(connection)
        finally:
            # Also where it is not known whether this was stored.
            writes.note(None if info.get("saw_others") else info.get("sees"), position)

    engine.dialect.do_commit = commit  # type: ignore[assignment,method-assign]


def flushed(connection: Any) -> int:
    """Ask the primary on a connection of its driver how far its log is."""
    cursor = connection.cursor()
    cursor.execute(FLUSHED)
    ((position,),) = cursor.fetchall()
    return int(position)
