"""Trials that take long, moved out of SQLite's one writer: to a private copy of the books, while others go on writing.

A trial begins in the transaction that writes. Where it is not through within its budget it is given up between two
statements, and made again on a copy that SQLite's backup interface writes; nothing of a trial stays, so that its result
is the same. On PostgreSQL a trial keeps nobody of other organizations waiting, and goes on.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy import event, pool

from webapp.database import failures
from webapp.database.session_state import state_of
from webapp.database.sessions import begin_write, db, instance_folder, prepare_engine

Result = TypeVar("Result")

BUDGET_SECONDS: Final = 0.25
PATIENCE_SECONDS: Final = 30.0
FOLDER: Final = "trials"
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


class OverBudgetError(Exception):
    """A trial takes longer than others may wait for."""


def can_copy() -> bool:
    """Return whether trials move to a copy: with SQLite's one writer, where the transaction has written nothing yet."""
    return db.engine.dialect.name == "sqlite"


@contextmanager
def budget() -> Iterator[None]:
    """Let what is done take BUDGET_SECONDS, or raise OverBudgetError at the next statement."""
    token = _deadline.set(time.monotonic() + BUDGET_SECONDS)
    try:
        yield
    finally:
        _deadline.reset(token)


@event.listens_for(sa.Engine, "before_cursor_execute")
def _give_up(*_statement: Any) -> None:
    deadline = _deadline.get()
    if deadline is not None and time.monotonic() > deadline:
        # What is open is taken back by statements, too.
        _deadline.set(None)
        raise OverBudgetError


def on_copy(run: Callable[[], Result]) -> Result:
    """Run a trial on a private copy of the books, one at a time; the session has no transaction before and after it.

    Raises BusyError where another one takes too long, DiskFullError where there is no room for a copy.
    """
    session = db.session()
    organization_id = state_of(session).organization_id
    session.close()
    with _turn() as folder, _copied(folder / "books.sqlite") as engine:
        state_of(session).private_engine = engine
        try:
            begin_write(organization_id)
            return run()
        finally:
            session.close()
            state_of(session).private_engine = None


@contextmanager
def _turn() -> Iterator[Path]:
    """Wait for one's turn, and give an empty folder; what a killed process left behind is removed first."""
    folder = instance_folder(FOLDER)
    folder.mkdir(mode=0o700, exist_ok=True)
    gate = os.open(folder / "gate", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock(gate)
        for left in folder.glob("trial-*"):
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="trial-", dir=folder) as own:
            yield Path(own)
    finally:
        os.close(gate)


def _lock(gate: int) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise failures.BusyError from None
            time.sleep(0.01)
        else:
            return


@contextmanager
def _copied(path: Path) -> Iterator[sa.Engine]:
    """Copy the books as they are now, and give an engine for the copy, which no disk has to keep."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    module: Any = db.engine.dialect.dbapi
    try:
        _write_copy(module, str(db.engine.url.database), str(path))
    except module.Error as error:
        raise failures.of_statement(error) from error
    engine = sa.create_engine(
        f"sqlite:///{path}", module=module, poolclass=pool.NullPool, hide_parameters=True
    )
    prepare_engine(engine)
    event.listen(engine, "connect", _hurry)
    try:
        yield engine
    finally:
        engine.dispose()


def _write_copy(module: Any, source: str, target: str) -> None:
    """Write a copy by the backup interface: one snapshot, while others read and write."""
    books: sqlite3.Connection = module.connect(source)
    try:
        copy: sqlite3.Connection = module.connect(target)
        try:
            copy.execute("PRAGMA synchronous=OFF")
            books.backup(copy)
        finally:
            copy.close()
    finally:
        books.close()


def _hurry(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA synchronous=OFF")
