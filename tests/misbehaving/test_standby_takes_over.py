"""The standby of a PostgreSQL takes over from a primary that died, while requests write."""

import os
import threading
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_postgresql
from tests.fixtures.programs import Program
from tests.misbehaving.standbys import Standby, binaries_of, wait_until
from webapp import create_app
from webapp.database.sessions import db
from webapp.models import Project

WRITERS = 3


@pytest.fixture
def servers(_stores, house):
    primary = Path(sa.make_url(house.settings.database_url).query["host"])
    binaries = binaries_of(_stores("postgresql"))
    with ExitStack() as running:
        made = []
        for name, source in (("first", primary), ("second", None)):
            folder = primary.with_name(f"{primary.name}-{name}-{os.getpid()}")
            made.append(Standby(binaries, source or made[0].data, folder))
            running.callback(made[-1].remove)
            if source:
                made[0].promote()
        made[0].tell("ALTER SYSTEM SET synchronous_standby_names = '*'")
        made[0].tell("ALTER SYSTEM SET synchronous_commit = on")
        made[0].tell("SELECT pg_reload_conf()")
        yield made


@pytest.fixture
def served(house, servers):
    """The application with the addresses of both, of which it asks the one that takes writes."""
    house.leave()
    address = sa.make_url(house.settings.database_url)
    both = address.set(
        query={"host": tuple(str(each.data) for each in servers), "target_session_attrs": "read-write"}
    )
    app = create_app(replace(house.settings, database_url=both.render_as_string(hide_password=False)))
    yield app
    with app.app_context():
        db.engine.dispose()


class Writing:
    """Threads that name new projects one after the other, and what came of each name."""

    def __init__(self, person, app):
        self._person, self._app = person, app
        self._numbers, self._is_over = count(), threading.Event()
        self.stored, self.refused, self.unknown, self.other = [], [], [], []
        self._threads = [threading.Thread(target=self._write) for _ in range(WRITERS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _write(self):
        person = replace(self._person, app=self._app)
        while not self._is_over.is_set():
            name = f"Project {next(self._numbers)}"
            answer = person.post("/api/projects", json={"name": name})
            code = (answer.json or {}).get("code")
            places = {"busy": self.refused, "unknown_outcome": self.unknown}
            place = self.stored if answer.status_code == 201 else places.get(code, self.other)
            place.append(name)

    def is_done_with(self, more):
        """Tell when so many more names than now are stored."""
        last = len(self.stored) + more
        return lambda: len(self.stored) >= last


@on_postgresql
def test_a_standby_takes_over_and_nothing_that_was_answered_is_lost(house, served, servers, figure):
    first, second = servers
    ada = replace(house.people["ada"], app=served)
    with Writing(ada, served) as writing:
        wait_until(writing.is_done_with(60))
        first.stop()
        wait_until(lambda: len(writing.refused) > 3)
        second.promote()
        wait_until(writing.is_done_with(60))
    with served.app_context():
        found = set(db.session.scalars(sa.select(Project.name)))
    figure(
        "failover",
        f"{len(writing.stored)} stored, {len(writing.refused)} refused, {len(writing.unknown)} unknown;"
        f" {len(set(writing.stored) - found)} lost",
    )
    assert writing.other == []
    assert set(writing.stored) <= found
    assert not set(writing.refused) & found
    assert len(writing.unknown) <= WRITERS
    program = Program(house, "check", DATABASE_URL=served.config["SETTINGS"].database_url)
    out, err = program.communicate()
    assert program.returncode == 0, (out + err).decode()
