"""What would put the books at risk stops the start, with what is true and the command that mends it (P58)."""

import os
import shlex
import stat
import subprocess
from datetime import UTC, datetime

import pysqlite3
import pytest
import sqlalchemy as sa

from webapp import file_safety
from webapp.config import Settings, UnsafeSettingError, make_instance
from webapp.database import sqlite
from webapp.database.postgresql import hurried_disk, strong_role
from webapp.database.sessions import db
from webapp.migrations import revisions


@pytest.fixture
def start(tmp_path):
    """Read the settings of an installation of the test's own, as every command does first."""

    def settings(**environment):
        return Settings.from_environment({"INSTANCE_PATH": str(tmp_path / "our books"), **environment})

    return settings


@pytest.fixture
def instance(start):
    """An installation with a database, a folder of documents and a file of an earlier version."""
    folder = start().instance_path
    make_instance(folder)
    for name in ("documents", "proposals"):
        (folder / name).mkdir(mode=0o700)
    for name in ("tieout.sqlite", "tieout.sqlite-wal", "secret_key", "demo_sign_in"):
        (folder / name).touch(mode=0o600)
    start()
    return folder


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("", 0o755),
        ("", 0o777),
        ("documents", 0o755),
        ("proposals", 0o710),
        ("tieout.sqlite", 0o644),
        ("tieout.sqlite", 0o640),
        ("tieout.sqlite-wal", 0o604),
        ("secret_key", 0o644),
        ("demo_sign_in", 0o660),
    ],
)
def test_what_others_could_read_stops_the_start_and_the_command_mends_it(start, instance, name, mode):
    path = instance / name
    path.chmod(mode)
    with pytest.raises(UnsafeSettingError) as refused:
        start()
    sentence, _, command = str(refused.value).partition(" Run: ")
    assert f"{path} (mode {mode:03o})" in sentence
    subprocess.run(shlex.split(command), check=True)  # noqa: S603  (our own words)
    assert start().instance_path == instance


def test_one_command_mends_all_of_it(start, instance):
    for path in (instance, *instance.iterdir()):
        path.chmod(0o777)
    with pytest.raises(UnsafeSettingError) as refused:
        start()
    for command in str(refused.value).partition(" Run: ")[2].split(" && "):
        subprocess.run(shlex.split(command), check=True)  # noqa: S603  (our own words)
    start()
    assert {stat.S_IMODE(each.stat().st_mode) for each in instance.iterdir()} == {0o700, 0o600}


@pytest.mark.parametrize("mode", [0o755, 0o777])
def test_an_empty_folder_of_a_newcomer_is_closed_and_used(start, tmp_path, mode):
    folder = tmp_path / "our books"
    folder.mkdir()
    (folder / ".gitkeep").touch()
    folder.chmod(mode)
    assert stat.S_IMODE(start().instance_path.stat().st_mode) == 0o700


def test_a_database_that_others_may_replace_stops_the_start(start, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(UnsafeSettingError, match=r"may replace .* Run: chmod go-w "):
        start(DATABASE_URL=f"sqlite:///{folder}/books.sqlite")
    folder.chmod(0o1777)
    start(DATABASE_URL=f"sqlite:///{folder}/books.sqlite")


def test_a_folder_that_cannot_be_made_is_refused_in_a_sentence(start, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UnsafeSettingError, match="set INSTANCE_PATH to a folder of this user"):
        make_instance(start(INSTANCE_PATH=str(tmp_path / "file" / "books")).instance_path)


@pytest.mark.parametrize(
    ("kind", "is_refused"),
    [("nfs4", True), ("cifs", True), ("fuse.sshfs", True), ("ext4", False), ("overlay", False)],
)
def test_sqlite_on_a_network_file_system_is_refused(start, tmp_path, monkeypatch, kind, is_refused):
    mounts = tmp_path / "mountinfo"
    shared = str(tmp_path / "our books").replace(" ", "\\040")
    mounts.write_text(
        f"21 1 8:1 / / rw - ext4 /dev/a rw\n40 21 0:50 / {shared} rw,relatime shared:3 - {kind} host:/books rw\n"
    )
    monkeypatch.setattr(file_safety, "MOUNTS", mounts)
    if is_refused:
        with pytest.raises(UnsafeSettingError, match=rf"network file system \({kind}\).*Set INSTANCE_PATH"):
            start()
    assert start(DATABASE_URL="postgresql://books@db/tieout")
    if not is_refused:
        assert start()


def test_an_affected_sqlite_is_refused_only_where_it_cannot_leave_wal(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "FIRST_SAFE_WAL_VERSION", (99,))
    path = str(tmp_path / "books.sqlite")
    other = pysqlite3.connect(path)
    other.execute("PRAGMA journal_mode=WAL")
    other.execute("CREATE TABLE rows_of_others (id INTEGER)")
    ours = pysqlite3.connect(path)
    monkeypatch.setattr(sqlite, "PATIENCE_MILLISECONDS", 10)
    with pytest.raises(UnsafeSettingError, match="can damage books in WAL mode"):
        sqlite.prepare(ours)
    other.close()
    sqlite.prepare(ours)
    assert ours.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    ours.close()


def test_books_of_another_revision_are_not_served_and_not_ready(app, client, monkeypatch):
    monkeypatch.setattr(revisions, "head_revision", lambda: "another")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "migration_pending\n")


@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_a_role_that_may_do_more_than_keep_books_is_named(app, client):
    """The server of the tests has one role, a superuser; another is made for this and goes with the transaction."""
    with app.app_context(), db.engine.connect() as connection:
        assert "is a superuser" in strong_role(connection)
        name = f"books_{os.getpid()}_{datetime.now(UTC):%H%M%S%f}"
        connection.execute(sa.text(f"CREATE ROLE {name}"))
        for right, word in (("BYPASSRLS", "may bypass"), ("NOBYPASSRLS CREATEROLE", "may create roles")):
            connection.execute(sa.text(f"RESET ROLE; ALTER ROLE {name} {right}; SET ROLE {name}"))
            assert word in strong_role(connection)
        connection.execute(sa.text(f"RESET ROLE; ALTER ROLE {name} NOCREATEROLE; SET ROLE {name}"))
        assert strong_role(connection) is None
        connection.rollback()
    answer = client.get("/readyz")
    assert (answer.text, answer.headers["X-Degraded"]) == ("ok\n", "database_role, database_disk")


@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_a_server_that_does_not_wait_for_its_disk_is_named(app):
    """The server of the tests does not, and yet a commit waits for the log."""
    with app.app_context(), db.engine.connect() as connection:
        assert "fsync and full_page_writes: " in hurried_disk(connection)
        assert connection.scalar(sa.text("SHOW synchronous_commit")) == "on"
