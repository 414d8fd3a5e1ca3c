"""Reading from replicas: what is old enough for whoever asks, and the primary where none is, or none answers."""

import os
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_postgresql
from tests.fixtures.programs import Program
from tests.replicas.standbys import Standby, binaries_of, wait_until
from webapp import create_app, last_writes, replicas, tenancy
from webapp.config import Settings, UnsafeSettingError
from webapp.db import db
from webapp.last_writes import OF_ALL, UNKNOWN, LastWrites, place_of


@pytest.fixture(scope="module")
def standbys(_houses, _stores, tmp_path_factory):
    """Two replicas of the tests' PostgreSQL."""
    _houses("postgresql")
    address = sa.make_url(_stores("postgresql").url("books"))
    primary = Path(address.query["host"])
    binaries = binaries_of(_stores("postgresql"))
    made = []
    with ExitStack() as running:
        for number in (1, 2):
            # Processes that test side by side have one server, and replicas of their own.
            folder = primary.with_name(f"{primary.name}-replica-{os.getpid()}-{number}")
            made.append(Standby(binaries, primary, folder))
            running.callback(made[-1].remove)
        yield made


@pytest.fixture
def served(house, standbys):
    """The application with two replicas."""
    house.leave()
    address = sa.make_url(house.settings.database_url)
    urls = tuple(
        address.set(query={"host": str(each.data)}).render_as_string(hide_password=False) for each in standbys
    )
    app = create_app(replace(house.settings, replica_urls=urls))
    app.extensions["replicas"].writes.begin(0)
    yield app
    with app.app_context():
        db.engine.dispose()
    app.extensions["replicas"].dispose()


@pytest.fixture
def answered(served, monkeypatch):
    """Count who answered what reads: a replica or the primary."""
    counts, asking = Counter(), replicas.Replicas.asking

    def counting(self, *words):
        is_answered = asking(self, *words)
        counts["replica" if is_answered else "primary"] += 1
        return is_answered

    monkeypatch.setattr(replicas.Replicas, "asking", counting)
    return counts


@pytest.fixture
def reader(house, served):
    return replace(house.people["ada"], app=served)


@pytest.fixture
def project(reader):
    """Name a project anew, and tell how it is called."""
    made = reader.post("/api/projects", json={"name": "North"})
    assert made.status_code == 201, made.json

    class Naming:
        path = f"/api/projects/{made.json['project']['id']}"

        def call(self, name):
            changed = reader.patch(self.path, json={"name": name})
            assert changed.status_code == 200, changed.json

        def name(self):
            found = reader.get("/api/projects")
            assert found.status_code == 200, found.json
            return found.json["projects"][0]["name"]

    return Naming()


@on_postgresql
def test_nobody_misses_what_they_wrote(project, answered, rounds, figure):
    count = rounds(100, 10_000)
    missed, began = 0, time.monotonic()
    for number in range(count):
        project.call(f"North {number}")
        missed += project.name() != f"North {number}"
    took = (time.monotonic() - began) / count * 1000
    figure("replicas", f"{missed} of {count} reads missed the own write before; {took:.1f} ms for both")
    assert missed == 0
    # A replica of a busy machine is not waited for, and the primary answers.
    assert answered["replica"] > count / 2


@on_postgresql
def test_a_replica_that_lags_is_left_out_and_comes_back(project, answered, standbys, monkeypatch):
    monkeypatch.setattr(replicas, "LAGS_SECONDS", 0.05)
    for each in standbys:
        each.tell("SELECT pg_wal_replay_pause()")
    try:
        project.call("East")
        began = time.monotonic()
        assert project.name() == "East"
        # A quarter of a second for each of the two, once.
        assert time.monotonic() - began < 2 * replicas.PATIENCE_SECONDS + 1
        assert answered["primary"] == 1
    finally:
        for each in standbys:
            each.tell("SELECT pg_wal_replay_resume()")
    wait_until(lambda: project.name() == "East" and answered["replica"] > 0)


@on_postgresql
def test_a_replica_that_died_is_left_out_and_comes_back(project, answered, standbys, monkeypatch):
    monkeypatch.setattr(replicas, "DOWN_SECONDS", 0.05)
    first, second = standbys
    assert project.name() == project.name() == "North"
    first.stop()
    try:
        answered.clear()
        assert {project.name() for _ in range(4)} == {"North"}
        assert answered["replica"] >= 1
        second.stop()
        assert {project.name() for _ in range(4)} == {"North"}
        assert answered["primary"] >= 1
        answered.clear()
    finally:
        first.start()
        second.start()
    wait_until(lambda: project.name() == "North" and answered["replica"] > 0)


@on_postgresql
def test_a_key_is_revoked_at_once_though_no_replica_knows(house, served, reader, standbys):
    other = replace(reader.with_scopes("read"), app=served)
    assert other.get("/api/projects").status_code == 200
    for each in standbys:
        each.tell("SELECT pg_wal_replay_pause()")
    try:
        ended = reader.browser().post(f"/settings/keys/{other.token_id}/revoke")
        assert ended.status_code in {200, 303}, ended.text
        assert other.get("/api/projects").status_code == 401
        assert other.get("/api/accounts").status_code == 401
    finally:
        for each in standbys:
            each.tell("SELECT pg_wal_replay_resume()")


@on_postgresql
def test_frequent_reads_and_pages_come_from_a_replica_too(reader, answered):
    def come_from_a_replica():
        answered.clear()
        assert reader.get("/api/accounts").status_code == 200
        assert reader.browser().get("/").status_code in {200, 303}
        return answered["replica"] == 2

    wait_until(come_from_a_replica)


@on_postgresql
def test_what_no_single_organization_wrote_is_waited_for_by_all(served, reader, project):
    writes = served.extensions["replicas"].writes
    before = writes.needed("org_of_nobody")
    with served.app_context():
        db.session.execute(sa.text("UPDATE users SET name = name"))
        db.session.commit()
    assert writes.needed("org_of_nobody") > before
    own = writes.needed(reader.organization_id)
    project.call("West")
    assert writes.needed(reader.organization_id) > own


@on_postgresql
def test_a_command_that_knows_no_replicas_is_waited_for_as_well(house, served, reader):
    writes = served.extensions["replicas"].writes
    before = writes.needed(reader.organization_id)
    program = Program(
        house, "tokens", "revoke", "--organization", reader.organization_id, str(reader.token_id)
    )
    out, err = program.communicate()
    assert program.returncode == 0, (out + err).decode()
    assert writes.needed(reader.organization_id) > before


@on_postgresql
def test_books_on_several_nodes_have_no_replicas(served, monkeypatch):
    monkeypatch.setattr(replicas, "is_distributed", lambda _connection: True)
    monkeypatch.setattr(tenancy, "SERVER", "SELECT true, true WHERE %s = 'tieout_app'")
    with served.app_context():
        db.engine.dispose()
        with pytest.raises(UnsafeSettingError, match="Unset DATABASE_REPLICA_URLS"):
            served.extensions["replicas"].begin(db.engine)
        db.engine.dispose()


@on_postgresql
def test_the_service_begins_with_all_that_was_written_before(served, reader):
    found = served.extensions["replicas"]
    with served.app_context():
        found.begin(db.engine)
    assert 0 < found.writes.needed(reader.organization_id) < UNKNOWN
    assert reader.get("/api/projects").status_code == 200


def test_a_later_position_stays_and_an_unknown_one_until_the_next(tmp_path):
    writes = LastWrites(tmp_path)
    writes.note("org_1", 20)
    writes.note("org_1", 10)
    other = LastWrites(tmp_path)
    assert (other.needed("org_1"), other.needed("org_2")) == (20, 0)
    other.note("org_1", UNKNOWN)
    assert writes.needed("org_1") == UNKNOWN
    writes.note("org_1", 30)
    assert other.needed("org_1") == 30
    other.note(None, 40)
    assert writes.needed("org_1") == writes.needed("org_2") == 40
    assert place_of(None) == OF_ALL != place_of("org_1")
    writes.begin(5)
    assert other.needed("org_1") == 5
    assert (tmp_path / last_writes.FILE_NAME).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"DATABASE_REPLICA_URLS": "postgresql://b/books"}, "no PostgreSQL of which they could be replicas"),
        (
            {"DATABASE_URL": "postgresql://a/books", "DATABASE_REPLICA_URLS": "sqlite:///books"},
            "must list addresses that begin with postgresql://",
        ),
    ],
)
def test_what_can_be_no_replica_stops_the_start(tmp_path, environment, sentence):
    with pytest.raises(UnsafeSettingError, match=sentence):
        Settings.from_environment({"INSTANCE_PATH": str(tmp_path / "instance"), **environment})


def test_replicas_are_listed_by_commas_and_spaces(tmp_path):
    found = Settings.from_environment(
        {
            "INSTANCE_PATH": str(tmp_path / "instance"),
            "DATABASE_URL": "postgresql://a/books",
            "DATABASE_REPLICA_URLS": "postgresql://b/books, postgres://c/books",
        }
    )
    assert found.replica_urls == ("postgresql+psycopg://b/books", "postgresql+psycopg://c/books")
