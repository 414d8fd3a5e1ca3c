"""A PostgreSQL that is killed loses no write that was answered (P18b), whatever it was set up to wait for."""

from dataclasses import replace
from random import Random
from uuid import uuid4

import pytest
import sqlalchemy as sa

from tests.fixtures.houses import House
from tests.fixtures.stores import PostgresqlServer
from webapp.database.sessions import db

pytestmark = [pytest.mark.rare, pytest.mark.parametrize("database_kind", ["postgresql"])]
MOST_WRITES = 12


@pytest.fixture
def own(database_kind, tmp_path):
    """A house on a server of its own, which writes its log as seldom as it can where nobody waits for it."""
    assert database_kind == "postgresql"
    store = PostgresqlServer(f"crashes-{uuid4().hex[:8]}", "own")
    store.set(wal_writer_delay="10s", wal_writer_flush_after="1GB")
    house = House(store, tmp_path)
    house.refresh()
    yield house
    house.leave()
    store.close()


def lost(house: House, crashes: int) -> int:
    """Write, and crash the server after some of the answers; gives how many answered writes are gone."""
    ada = replace(house.people["ada"], app=house.app)
    chance, answered = Random(18), []  # noqa: S311  (it repeats)
    gone = 0
    for _ in range(crashes):
        for _ in range(chance.randint(1, MOST_WRITES)):
            answered.append(f"Project {len(answered)}")
            assert ada.post("/api/projects", json={"name": answered[-1]}).status_code == 201
        house.store.crash()
        with house.app.app_context():
            there = set(db.session.scalars(sa.text("SELECT name FROM projects")))
        gone += len({*answered} - there)
        answered = [name for name in answered if name in there]
    return gone


def test_no_answered_write_is_lost_when_the_database_crashes(own, rounds, figure):
    crashes = rounds(3, 100)
    assert lost(own, crashes) == 0
    figure("P18b, PostgreSQL", f"{crashes} crashes of the server, 0 answered writes lost")


def test_a_crash_finds_a_commit_that_does_not_wait(own):
    with own.app.app_context():
        sa.event.listen(
            db.engine,
            "begin",
            lambda connection: connection.exec_driver_sql("SET LOCAL synchronous_commit = off"),
        )
    assert lost(own, 3)
