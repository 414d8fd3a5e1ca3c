"""The steps of a request in the database, one of which fails there: a statement, or a COMMIT."""

from __future__ import annotations

import shutil
import socket
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pysqlite3
import sqlalchemy as sa
from sqlalchemy.engine.interfaces import ExecuteStyle

from tests.fixtures.helpers.faulty_disk import FULL
from webapp.database.sessions import Base, db

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# What the notes of a last use change, which no act waits for.
SEEN = {"last_used_at", "last_seen_at"}
# A try to sign in is counted whatever comes of it.
COUNTED = "sign_in_counters"
_BODY = "$$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$"
NO_ROOM = f"DO {_BODY}"
# The same for what is prepared, which a block cannot be.
NO_ROOM_TO_WRITE = f"CREATE OR REPLACE FUNCTION pg_temp.no_room() RETURNS integer LANGUAGE plpgsql AS {_BODY}"


class FailingStep:
    """Counts the steps of the application in its database, and lets one of them fail."""

    def __init__(self, app) -> None:
        with app.app_context():
            self._engine = db.engine
        self._is_sqlite = self._engine.dialect.name == "sqlite"
        self._real_commit = self._engine.dialect.do_commit
        self._number, self.counted = 0, 0

    @property
    def has_failed(self) -> bool:
        return 0 < self._number <= self.counted

    @contextmanager
    def armed(self, number: int) -> Iterator[FailingStep]:
        """Let a step fail, the first one being 1."""
        self._number, self.counted = number, 0
        listeners = (("before_cursor_execute", self._before), ("after_cursor_execute", self._after))
        for name, listener in listeners:
            sa.event.listen(self._engine, name, listener, retval=name.startswith("before"))
        sa.event.listen(self._engine, "handle_error", self._failed)
        self._engine.dialect.do_commit = self._commit
        try:
            yield self
        finally:
            self._engine.dialect.do_commit = self._real_commit
            sa.event.remove(self._engine, "handle_error", self._failed)
            for name, listener in listeners:
                sa.event.remove(self._engine, name, listener)

    def _is_due(self) -> bool:
        self.counted += 1
        return self.counted == self._number

    def _before(self, connection, _cursor, statement, parameters, context, _is_many):
        if not self._is_due():
            return statement, parameters
        if self._is_sqlite:
            # It is interrupted at its first instruction; in a write that ends the whole transaction.
            connection.connection.dbapi_connection.set_progress_handler(lambda: 1, 1)
            return statement, parameters
        if context is None and statement.lstrip().startswith(("INSERT", "UPDATE")):
            connection.connection.dbapi_connection.execute(NO_ROOM_TO_WRITE)
            return "SELECT pg_temp.no_room()", {}
        style = context.execute_style if context else None
        return NO_ROOM, [{}] if style is ExecuteStyle.EXECUTEMANY else {}

    def _after(self, connection, *_others) -> None:
        if self._is_sqlite:
            connection.connection.dbapi_connection.set_progress_handler(None, 0)

    def _failed(self, context) -> None:
        if self._is_sqlite and context.connection is not None:
            context.connection.connection.dbapi_connection.set_progress_handler(None, 0)

    def _commit(self, driver) -> None:
        if self._is_due():
            if not self._is_sqlite:
                driver.execute(NO_ROOM)
            failure = pysqlite3.OperationalError("database or disk is full")
            failure.sqlite_errorcode = FULL
            raise failure
        self._real_commit(driver)


class FailingBelow(FailingStep):
    """Counts what reaches the database, whoever asks it, past SQLAlchemy too, and lets one of it fail.

    SQLite traces each statement, also those of triggers and of new connections, and interrupts one. On the way to
    PostgreSQL one message is lost with its connection.
    """

    def __init__(self, app) -> None:
        super().__init__(app)
        self._drivers: list[pysqlite3.Connection] = []
        self._is_due_now, self._way = False, None if self._is_sqlite else Way(self._passes)

    @contextmanager
    def armed(self, number: int) -> Iterator[FailingBelow]:
        self._number, self.counted = number, 0
        event = ("connect", self._trace) if self._is_sqlite else ("do_connect", self._lead)
        self._engine.dispose()
        sa.event.listen(self._engine, *event, insert=self._is_sqlite)
        try:
            yield self
        finally:
            sa.event.remove(self._engine, *event)
            self._engine.dispose()
            # One that fails as it is made is nobody's, until the collector of garbage comes.
            while self._drivers:
                self._drivers.pop().close()

    def _trace(self, driver, _record) -> None:
        self._drivers.append(driver)

        def traced(_statement: str) -> None:
            if self._is_due():
                self._is_due_now = True
                driver.set_progress_handler(self._interrupts, 1)

        driver.set_trace_callback(traced)

    def _interrupts(self) -> int:
        is_due, self._is_due_now = self._is_due_now, False
        return int(is_due)

    def close(self) -> None:
        if self._way is not None:
            self._way.close()

    def _lead(self, _dialect, _record, _words, named) -> None:
        self._way.leads_to = f"{named['host']}/.s.PGSQL.{named.get('port') or 5432}"
        named |= {"host": "127.0.0.1", "port": self._way.port, "sslmode": "disable", "gssencmode": "disable"}

    def _passes(self) -> bool:
        return not self._is_due()


class Way:
    """A way to PostgreSQL's socket; a message that may not pass is lost, and the connection with it."""

    def __init__(self, passes: Callable[[], bool]) -> None:
        self._passes, self.leads_to = passes, ""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.leads_to)
            for each in ((near, far, self._passes), (far, near, lambda: True)):
                threading.Thread(target=self._pass, args=each, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, passes: Callable[[], bool]) -> None:
        with suppress(OSError):
            # The tests' own clearing up, after a COMMIT, is no message of the product.
            while (data := source.recv(65536)) and (b"DISCARD TEMP" in data or passes()):
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        source.close()


class Kept:
    """Books and the files beside them, kept to be given back."""

    def __init__(self, house) -> None:
        self._house = house
        self._folder = Path(house.settings.instance_path)
        self._files = self._folder.with_name(f"{self._folder.name}-kept")
        with house.app.app_context():
            self._engine = db.engine
        house.leave()
        house.store.copy("books", "kept")
        shutil.rmtree(self._files, ignore_errors=True)
        shutil.copytree(self._folder, self._files)

    def give_back(self) -> None:
        self._house.leave()
        self._house.store.copy("kept", "books")
        shutil.rmtree(self._folder)
        shutil.copytree(self._files, self._folder)

    def state(self) -> dict[str, list[str]]:
        engine = self._engine.execution_options(read_only=True)
        with engine.connect() as connection:
            rows = {
                table.name: sorted(map(repr, connection.execute(sa.select(*columns(table))).all()))
                for table in Base.metadata.sorted_tables
                if table.name != COUNTED
            }
        return {**rows, "files": sorted(str(each) for each in self._folder.rglob("*") if each.is_file())}

    def close(self) -> None:
        self._house.leave()
        self._house.store.drop("kept")
        shutil.rmtree(self._files)


def columns(table) -> list[sa.Column]:
    return [column for column in table.c if column.name not in SEEN]
