"""A PostgreSQL that is killed loses no write that was answered (P18b), whatever it was set up to wait for."""

import os
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.client import HTTPException
from random import Random
from threading import Event
from uuid import uuid4

import pytest
import sqlalchemy as sa

from tests.concurrency.crowds import Client
from tests.fixtures.houses import House
from tests.fixtures.servers import Server, wait_until_ready
from tests.fixtures.stores import PostgresqlServer
from webapp.database.sessions import db
from webapp.database.tenancy import maintenance
from webapp.queries import checks

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


class Writer:
    """Makes projects until it is told to stop, each under a key until it is answered that it is there."""

    def __init__(self, server: Server, token: str, number: int) -> None:
        self._server, self._token, self._number = server, token, number
        self.done, self.again = [], 0

    def write(self, end: Event) -> None:
        while not end.is_set():
            name = f"Project {self._number}-{len(self.done)}"
            while self._status(name) != 201:
                self.again += 1
                time.sleep(0.02)
            self.done.append(name)

    def _status(self, name: str) -> int:
        client = Client(self._server.address, self._token)
        try:
            answer = client.send("POST", "/api/projects", {"name": name}, key=name.replace(" ", "-"))
        except (OSError, HTTPException):
            return 0
        finally:
            client.close()
        assert answer.status in (201, 503), answer.body
        return answer.status


def test_a_storm_that_also_stops_the_database_leaves_each_write_once(own, rounds, figure):
    """Workers, the whole server and the database are killed in turn while four programs write and ask again."""
    server, chance, end = Server(own, 2), Random(21), Event()  # noqa: S311  (it repeats)
    kills = Counter()
    writers = [Writer(server, own.people["ada"].token, number) for number in range(4)]
    kinds = {
        "a worker": lambda: os.kill(chance.choice(server.worker_pids()), signal.SIGKILL),
        "the server": lambda: (server.kill(), server.start()),
        "the database": own.store.crash,
    }
    try:
        with ThreadPoolExecutor(len(writers)) as threads:
            writing = [threads.submit(each.write, end) for each in writers]
            try:
                for kind in [*kinds] * rounds(1, 20):
                    time.sleep(chance.uniform(0.1, 0.6))
                    kinds[kind]()
                    kills[kind] += 1
                    wait_until_ready(server.address, server.process)
            finally:
                end.set()
            for each in writing:
                each.result()
    finally:
        server.kill()
    with own.app.app_context(), maintenance():
        there = Counter(db.session.scalars(sa.text("SELECT name FROM projects")))
        assert [each.message for each in checks.violations()] == []
    assert there == Counter(name for each in writers for name in each.done)
    again = sum(each.again for each in writers)
    figure("P18b, storm", f"{dict(kills)} killed, {there.total()} writes there once, sent {again} times more")


def test_a_crash_finds_a_commit_that_does_not_wait(own):
    with own.app.app_context():
        sa.event.listen(
            db.engine,
            "begin",
            lambda connection: connection.exec_driver_sql("SET LOCAL synchronous_commit = off"),
        )
    assert lost(own, 3)
