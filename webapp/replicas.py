"""Replicas of a PostgreSQL (hot standbys), from which requests that only read take what is old enough for them.

A replica is asked only once it has replayed the last write to the organization (last_writes.py): before its snapshot
begins, on the same connection. One that is not so far in a quarter of a second, or that does not answer, is left out
for a while, and the primary is asked. Who asks, and what a key still opens, is always the primary's answer.
"""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy import event

from webapp import postgresql
from webapp.config import UnsafeSettingError
from webapp.distribution.tables import is_distributed
from webapp.last_writes import FILE_NAME, LastWrites, flushed, note_commits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

PATIENCE_SECONDS: Final = 0.25
# For how long one that lags, or that does not answer, is not asked.
LAGS_SECONDS: Final = 0.5
DOWN_SECONDS: Final = 5.0
# A machine that has vanished answers nothing, not even that it is not there.
CONNECT: Final = {"connect_timeout": 2, "tcp_user_timeout": 5000}
REPLAYED: Final = "SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn"
FIRST_PAUSE_SECONDS: Final = 0.0005


class BehindError(Exception):
    """A replica has not replayed what is needed in time, or is none."""


class DownError(Exception):
    """A replica does not answer."""


class Replica:
    """A replica, and until when it is left out."""

    def __init__(self, engine: sa.Engine, clock: Callable[[], float] = time.monotonic) -> None:
        """Prepare its connections as those of the primary."""
        self.engine = engine
        self._clock = clock
        self._out_until = 0.0
        # Before the transaction begins, and with it the snapshot.
        event.listen(engine, "begin", self._catch_up)
        postgresql.prepare(engine)
        event.listen(engine, "handle_error", self._look)

    def is_asked(self) -> bool:
        """Return whether it may be asked now; after a while of being left out, whoever asks first tries it alone."""
        now = self._clock()
        if now < self._out_until:
            return False
        if self._out_until:
            self._out_until = now + DOWN_SECONDS
        return True

    def answered(self) -> None:
        """Note that it works."""
        self._out_until = 0.0

    def leave_out(self, seconds: float) -> None:
        """Do not ask it for a while."""
        self._out_until = self._clock() + seconds

    def catch_up(self, driver: Any, needed: int) -> None:
        """Wait on a connection until the replica is as far as needed; raises BehindError or DownError."""
        deadline = self._clock() + PATIENCE_SECONDS
        pause = FIRST_PAUSE_SECONDS
        while True:
            replayed = self._replayed(driver)
            if replayed is not None and replayed >= needed:
                return
            if replayed is None or self._clock() + pause > deadline:
                raise BehindError
            time.sleep(pause)
            pause *= 2

    def _replayed(self, driver: Any) -> int | None:
        """Ask how far it is; None of what is no replica."""
        try:
            ((position,),) = driver.execute(REPLAYED).fetchall()
        except self.engine.dialect.loaded_dbapi.Error as error:
            raise DownError from error
        return None if position is None else int(position)

    def _catch_up(self, connection: sa.Connection) -> None:
        self.catch_up(connection.connection.dbapi_connection, connection.get_execution_options()["replayed"])

    def _look(self, context: sa.engine.ExceptionContext) -> None:
        if context.is_disconnect:
            self.leave_out(DOWN_SECONDS)


class Replicas:
    """The replicas of an installation, which take turns."""

    def __init__(self, replicas: Sequence[Replica], writes: LastWrites) -> None:
        """Take them."""
        self.all = tuple(replicas)
        self.writes = writes
        self._turns = count()

    def asking(self, organization_id: str, ask: Callable[[Replica, int], None]) -> bool:
        """Begin to read on the first replica that can answer; False where none can, and the primary is asked."""
        needed = self.writes.needed(organization_id)
        for replica in self._in_turn():
            if not replica.is_asked():
                continue
            try:
                ask(replica, needed)
            except BehindError:
                replica.leave_out(LAGS_SECONDS)
            except (sa.exc.DBAPIError, DownError):
                replica.leave_out(DOWN_SECONDS)
            else:
                replica.answered()
                return True
        return False

    def begin(self, primary: sa.Engine) -> None:
        """Forget what was written before the service starts, which waits for all of it; raises UnsafeSettingError."""
        with primary.connect() as connection:
            if connection.info["has_nodes"] and is_distributed(connection):
                raise UnsafeSettingError(
                    "The books are on several nodes, and a replica of one does not tell how far the others are. "
                    "Unset DATABASE_REPLICA_URLS."
                )
            self.writes.begin(flushed(connection.connection.dbapi_connection))

    def dispose(self, *, close: bool = True) -> None:
        """Give up every connection to them."""
        for replica in self.all:
            replica.engine.dispose(close=close)

    def _in_turn(self) -> Iterator[Replica]:
        first = next(self._turns)
        for step in range(len(self.all)):
            yield self.all[(first + step) % len(self.all)]


def replicas_of(
    primary: sa.Engine, urls: Sequence[str], options: Mapping[str, Any], folder: Path
) -> Replicas | None:
    """Prepare the replicas of a primary, whose commits are noted from now on; None where there are none."""
    # A command may not be told of them, and what it writes is waited for all the same.
    if not urls and (primary.dialect.name != "postgresql" or not (folder / FILE_NAME).exists()):
        return None
    writes = LastWrites(folder)
    note_commits(primary, writes)
    if not urls:
        return None
    own = {**options, "connect_args": CONNECT}
    return Replicas([Replica(sa.create_engine(url, **own)) for url in urls], writes)
