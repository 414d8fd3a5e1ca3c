"""Through PgBouncer in transaction mode, of Debian's package: its connections are everybody's, and keep nothing."""

import os
import pwd
import shutil
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.fixtures.feeds import Feed, line
from tests.fixtures.helpers.marks import on_postgresql
from tests.fixtures.programs import Program
from tests.fixtures.servers import PATIENCE_SECONDS, free_port
from webapp import create_app
from webapp.database import pooling, tenancy
from webapp.database.sessions import begin_read, begin_write, db, scope_session
from webapp.database.tenancy import APP_ROLE

pytestmark = on_postgresql

# Two connections for all, so that each serves one organization after another.
CONFIGURATION = """
[databases]
* = host={host} port=5432 user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
server_reset_query =
"""
# What a connection is told, and whom it serves.
TOLD = sa.text("""
    SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
        current_setting('idle_in_transaction_session_timeout'), current_setting('synchronous_commit')""")
LEFT = """
    SELECT coalesce(current_setting('tieout.organization', true), ''), current_user,
        current_setting('statement_timeout'), (SELECT count(*) FROM pg_prepared_statements),
        (SELECT count(*) FROM pg_class WHERE relnamespace = pg_my_temp_schema())"""


@pytest.fixture(scope="module")
def bouncers(tmp_path_factory):
    """PgBouncer by the folder of the server's socket, each started once."""
    running = {}

    def started(host):
        if host not in running:
            running[host] = start(host, tmp_path_factory.mktemp("pgbouncer"))
        return running[host][1]

    yield started
    for process, _ in running.values():
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def start(host, folder):
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, "This test needs PgBouncer: apt-get install pgbouncer"
    port, path = free_port(), folder / "pgbouncer.ini"
    path.write_text(CONFIGURATION.format(host=host, port=port))
    # The owner of the server's socket reads it, whatever a test before this one lets others read.
    path.chmod(0o644)
    command, written = [program, str(path)], folder / "log"
    if os.getuid() == 0:
        owner = pwd.getpwuid(Path(host).stat().st_uid).pw_name
        command = ["runuser", "-u", owner, "--", program, "/dev/stdin"]
    with path.open() as configuration, written.open("w") as log:
        process = subprocess.Popen(command, stdin=configuration, stdout=log, stderr=log)  # noqa: S603
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "process up" not in written.read_text():
        assert process.poll() is None and time.monotonic() < deadline, written.read_text()  # noqa: PT018
        time.sleep(0.02)
    return process, port


@pytest.fixture
def pooled_url(bouncers, house):
    """The address of the books through PgBouncer."""
    direct = sa.make_url(house.settings.database_url)
    host = direct.query.get("host") or direct.host
    through = sa.URL.create(direct.drivername, "postgres", None, "127.0.0.1", bouncers(host), direct.database)
    return through.render_as_string()


@pytest.fixture
def pooled(house, pooled_url):
    """The application, whose database it reaches through PgBouncer."""
    house.leave()
    app = create_app(replace(house.settings, database_url=pooled_url))
    yield app
    with app.app_context():
        db.engine.dispose()


@pytest.fixture
def left(pooled_url):
    """What PgBouncer's connections have after everything, in a list of each once."""

    def asked():
        engine = sa.create_engine(pooled_url, connect_args={"prepare_threshold": None})
        with engine.connect() as first, engine.connect() as second:
            found = {tuple(each.exec_driver_sql(LEFT).one()) for each in (first, second)}
        engine.dispose()
        return found

    return asked


NOTHING_LEFT = {("", "postgres", "0", 0, 0)}


def test_each_connection_serves_one_organization_after_another(pooled, house, left):
    people = [replace(house.people[name], app=pooled) for name in ("ada", "dan")]
    accounts = {each.name: each.get("/api/accounts").json for each in people}
    wrong = []

    def ask(person):
        # More often than it takes a driver to prepare a statement.
        for _ in range(12):
            found = person.get("/api/accounts")
            if (found.status_code, found.json) != (200, accounts[person.name]):
                wrong.append(found.json)

    threads = [threading.Thread(target=ask, args=(each,)) for each in people * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert left() == NOTHING_LEFT


def test_pushes_and_imports_leave_no_temporary_table_to_others(pooled, house, left):
    ada = replace(house.people["ada"], app=pooled)
    opened = ada.post("/api/feeds/accounts", json={"name": "Bank", "currency": "EUR"})
    feed = Feed(ada, opened.json["feedAccount"]["faId"])
    for number in range(3):
        added = line(f"A{number}", f"-{number + 1}1.50", f"2026-03-0{number + 1}", f"Coffee {number}")
        assert feed.verdicts(added=[added]) == ["NEW"]
    with pooled.app_context():
        db.session.rollback()
    assert left() == NOTHING_LEFT


def test_a_transaction_has_its_limits_and_what_is_rolled_back_nothing(pooled, house, left, monkeypatch):
    ada, dan = house.people["ada"], house.people["dan"]
    monkeypatch.setattr(tenancy, "_maintains", tenancy.ContextVar("maintains", default=False))
    with pooled.app_context():
        for person in (ada, dan):
            scope_session(person.organization_id)
            begin_read()
            assert tuple(db.session.execute(TOLD).one()) == ("15s", "15s", "1min", "on")
            assert db.session.scalar(sa.text("SELECT current_user")) == APP_ROLE
            db.session.rollback()
            assert {row[:2] for row in left()} == {("", "postgres")}
            begin_write(person.organization_id)
            with pytest.raises(sa.exc.DBAPIError):
                db.session.execute(sa.text("SELECT 1 / 0"))
            db.session.rollback()
    assert left() == NOTHING_LEFT


def test_commands_work_through_it(house, pooled_url, left, tmp_path):
    for words in (("migrate",), ("check",), ("backup", str(tmp_path / "books.zip")), ("organizations",)):
        program = Program(house, *words, DATABASE_URL=pooled_url)
        out, err = program.communicate()
        assert program.returncode == 0, (out + err).decode()
    assert left() == NOTHING_LEFT


def test_a_connection_of_ones_own_keeps_its_limits_and_is_told_them_once(session, ada):
    begin_write(ada.organization_id)
    assert not session.connection().info["is_pooled"]
    assert tuple(session.execute(TOLD).one()) == ("15s", "15s", "1min", "on")
    assert pooling.FOR_TRANSACTION not in tenancy.beginning(session.connection().info, {})[0]
