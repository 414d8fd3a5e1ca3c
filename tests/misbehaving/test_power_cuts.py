"""A loss of power at any moment loses no write that was answered (P18): a disk that forgets what was not synced."""

from contextlib import contextmanager
from random import Random

import pysqlite3
import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.faulty_disk import faulty_disk
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.stores import hurry
from webapp.database.sessions import db

# A checkpoint every few writes: it is what writes to the database's own file.
CHECKPOINT_PAGES = 60
# Of the steps on the disk, the share at which its power goes; a write has some forty.
SHARE = 0.02
BROKEN = {"the whole database"}


@contextmanager
def waiting(house, synchronous):
    """Let the application wait for its disk as a setting of SQLite says; none is its own."""

    def connect(connection, _record):
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        if synchronous:
            connection.execute(f"PRAGMA synchronous = {synchronous}")

    with house.app.app_context():
        engine = db.engine
    sa.event.remove(engine, "connect", hurry)
    sa.event.listen(engine, "connect", connect)
    try:
        yield
    finally:
        sa.event.remove(engine, "connect", connect)
        sa.event.listen(engine, "connect", hurry)


def moments(house, ada, count, synchronous=None):
    """Write until the power could have gone at so many moments; gives what was answered and on the disk at each."""
    chance, answered, found = Random(18), [], []  # noqa: S311  (it repeats)
    with faulty_disk(house) as disk, waiting(house, synchronous):

        def watch():
            if chance.random() < SHARE:
                found.append((list(answered), disk.without_power(chance.choice([0, 0.5]), chance)))

        disk.watch = watch
        while len(found) < count:
            name = f"Project {len(answered)}"
            assert ada.post("/api/projects", json={"name": name}).status_code == 201
            answered.append(name)
        disk.watch = lambda: None
    return found[:count]


def lost(folder, answered, files):
    """Give what was answered and is not there when the database is opened again, or that it is broken."""
    folder.mkdir()
    for name, contents in files.items():
        (folder / name).write_bytes(contents.whole())
    connection = pysqlite3.connect(folder / "books.sqlite")
    try:
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            return BROKEN
        there = {name for (name,) in connection.execute("SELECT name FROM projects")}
    except pysqlite3.DatabaseError:
        return BROKEN
    finally:
        connection.close()
    # One more write may have been stored whose answer was still on its way.
    return {*answered} - there if len(there - {*answered}) <= 1 else BROKEN


@on_sqlite
def test_no_answered_write_is_lost_when_the_power_goes(house, ada, rounds, figure, tmp_path):
    found = moments(house, ada, rounds(12, 100))
    gone = [lost(tmp_path / str(place), *each) for place, each in enumerate(found)]
    assert gone == [set()] * len(found)
    figure("P18b", f"{len(found)} losses of power during {len(found[-1][0])} writes, 0 answered writes lost")


@on_sqlite
@pytest.mark.rare
@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_this_disk_finds_a_database_that_does_not_wait_for_it(
    house, ada, rounds, figure, tmp_path, synchronous
):
    found = moments(house, ada, rounds(8, 100), synchronous)
    gone = [lost(tmp_path / str(place), *each) for place, each in enumerate(found)]
    assert any(gone)
    figure(
        f"P18b, synchronous={synchronous}",
        f"{sum(map(bool, gone))} of {len(found)} losses of power lose writes",
    )
