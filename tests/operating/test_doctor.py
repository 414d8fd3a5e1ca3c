# ruff: noqa: S608, S104  (statements and addresses of the tests)
"""`tieout doctor`: each planted fault is named with its mend, and a sound installation has none."""

import json
import os
import shutil
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from tests.operating.releases import RELEASED
from webapp.commands import doctor as command
from webapp.database import postgresql, stop
from webapp.migrations import revisions
from webapp.migrations.upgrades import upgrade
from webapp.services.backups import records
from webapp.services.operating import diagnosis, machine

pytestmark = pytest.mark.operates
NOW = datetime.now(UTC)
OLD = NOW - timedelta(days=8)
HEAD = f"UPDATE alembic_version SET version_num = '{revisions.head_revision()}'"


@pytest.fixture
def sound(released, monkeypatch):
    """An installation with books and a verified backup, on a disk that waits."""
    books = released(RELEASED[0])
    engine = books.engine()
    upgrade(engine)
    engine.dispose()
    records.note(books.instance, made=NOW, verified=NOW)
    with changed(books) as connection:
        connection.exec_driver_sql("UPDATE organizations SET created_at = '2026-01-01 00:00:00+00:00'")
        connection.exec_driver_sql(
            f"UPDATE exchange_rates SET day = '{NOW.date()}' WHERE id IN"
            " (SELECT max(id) FROM exchange_rates GROUP BY organization_id, currency)"
        )
    monkeypatch.setattr(machine, "sync_seconds", lambda _folder: 0.001)
    # The tests' own server is hurried, and its role a superuser.
    monkeypatch.setattr(diagnosis, "weaknesses", lambda _connection: {})
    # These books have no files next to them, and the rows above were changed past the acts.
    monkeypatch.setattr(diagnosis.checks, "violations", list)
    for name in ("HOST", "PROXY_HOPS", "TRUSTED_HOSTS", "FLASK_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in books.environment.items():
        monkeypatch.setenv(name, value)
    return books


@contextmanager
def changed(books):
    engine = books.engine()
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def looked():
    return {each.code: each for each in command._found(quick=False)}  # noqa: SLF001


def env(**values):
    return lambda _books, patch: [patch.setenv(name, value) for name, value in values.items()]


def record(**instants):
    def plant(books, _patch):
        (books.instance / records.FILE_NAME).unlink(missing_ok=True)
        records.note(books.instance, **instants)

    return plant


def replaced(owner, name, value):
    return lambda _books, patch: patch.setattr(owner, name, value)


def statement(text, undo):
    def plant(books, _patch):
        with changed(books) as connection:
            connection.exec_driver_sql(text)
        return undo

    return plant


def made(name, mode=0o600):
    def plant(books, _patch):
        (books.instance / name).touch()
        (books.instance / name).chmod(mode)

    return plant


FULL = SimpleNamespace(free=0)
NO_INODES = SimpleNamespace(
    f_favail=0, f_files=9, f_frsize=4096, f_blocks=2**32, f_bfree=2**32, f_bavail=2**32
)


def server(**facts):
    """A statement that answers as a server with these facts would."""
    values = {
        "room": 97,
        "encoding": "UTF8",
        "version": 170000,
        "only_reads": False,
        **facts,
    }
    columns = [sa.literal(value).label(name) for name, value in values.items()]
    now = facts.get("now", sa.func.clock_timestamp())
    return replaced(diagnosis, "SERVER", sa.select(*columns, *([] if "now" in facts else [now.label("now")])))


def job(state, code):
    insert = (
        "INSERT INTO jobs (organization_id, kind, subject, occurrence, state, run_at, attempts, created_at)"
        f" SELECT min(id), 'CHECK', '', 'planted', '{state}', '{OLD:%F %T}', 1, '{OLD:%F %T}' FROM organizations"
    )
    return statement(insert, "DELETE FROM jobs WHERE occurrence = 'planted'"), code


PLANTED = {
    "FLASK_DEBUG is on": (env(FLASK_DEBUG="1"), "unsafe_setting"),
    "every host is trusted": (env(TRUSTED_HOSTS="*"), "unsafe_setting"),
    "PORT is no number": (env(PORT="http"), "unsafe_setting"),
    "another database": (env(DATABASE_URL="mysql://x"), "unsafe_setting"),
    "a secret's file is not there": (env(DATABASE_URL_FILE="/nowhere"), "unsafe_setting"),
    "the folder is open": (lambda books, _: books.instance.chmod(0o755), "unsafe_setting"),
    "a file is open": (made("notes", 0o644), "unsafe_setting"),
    "no proxy": (env(HOST="0.0.0.0"), "plain_http"),
    "the demo is open": (
        lambda books, patch: (made("demo_sign_in")(books, patch), patch.setenv("HOST", "10.0.0.1")),
        "demo_open",
    ),
    "the proxy's name is missing": (env(PROXY_HOPS="1"), "hosts_unnamed"),
    "a proxy is not named": (made(machine.PROXY_MARK), "proxy_unknown"),
    "no limit": (env(RATE_LIMIT="0"), "no_rate_limit"),
    "no books": (
        env(INSTANCE_PATH="/nowhere/at/all", DATABASE_URL="sqlite:////nowhere/at/all.sqlite"),
        "no_books",
    ),
    "the database is down": (env(DATABASE_URL="postgresql://x@127.0.0.1:9/x"), "database_unavailable"),
    "an older schema": (
        statement("UPDATE alembic_version SET version_num = '0112'", HEAD),
        "migration_pending",
    ),
    "a newer schema": (statement("UPDATE alembic_version SET version_num = '9999'", HEAD), "unknown_books"),
    "an upgrade is over": (made(stop.FILE_NAME), "requests_stopped"),
    "the disk is full": (replaced(shutil, "disk_usage", lambda _path: FULL), "books_space"),
    "TMPDIR is full": (replaced(shutil, "disk_usage", lambda _path: FULL), "temporary_space"),
    "the disk takes no more files": (
        replaced(os, "statvfs", lambda _path: NO_INODES),
        "books_inodes",
    ),
    "an old Python": (replaced(sys, "version_info", (3, 9)), "old_python"),
    "a job waits": job("WAITING", "jobs_wait"),
    "a job failed": job("FAILED", "job_failed"),
    "nothing can be written": (replaced(os, "access", lambda *_: False), "books_read_only"),
    "another user's files": (replaced(os, "geteuid", lambda: 4711), "foreign_files"),
    "the books are in memory": (replaced(machine, "file_system", lambda _path: "tmpfs"), "books_in_memory"),
    "the disk lies": (replaced(machine, "sync_seconds", lambda _folder: 1e-7), "dishonest_disk"),
    "the clock is behind": (
        replaced(command, "datetime", SimpleNamespace(now=lambda _zone: datetime(2020, 1, 1, tzinfo=UTC))),
        "clock_behind",
    ),
    "no backup": (lambda books, _: (books.instance / records.FILE_NAME).unlink(), "no_backup"),
    "an old backup": (record(made=OLD, verified=OLD), "old_backup"),
    "no backup was verified": (record(made=NOW), "unverified_backup"),
    "an old verification": (record(made=NOW, verified=OLD), "old_verification"),
    "old rates": (
        statement(
            f"UPDATE exchange_rates SET day = '2000-01-01' WHERE day = '{NOW.date()}'",
            f"UPDATE exchange_rates SET day = '{NOW.date()}' WHERE day = '2000-01-01'",
        ),
        "old_rates",
    ),
    "no drop folder": (
        statement(
            "UPDATE organizations SET drop_folder = '/nowhere/at/all'",
            "UPDATE organizations SET drop_folder = NULL",
        ),
        "no_drop_folder",
    ),
}
ON_POSTGRESQL = {
    "few connections": (server(room=10), "few_connections"),
    "another encoding": (server(encoding="LATIN1"), "encoding"),
    "a standby": (server(only_reads=True), "only_reads"),
    "an old server": (server(version=130021), "old_postgresql"),
    "a role for maintenance": (replaced(diagnosis, "refusal", lambda _connection: "No."), "unsafe_role"),
    "clocks differ": (server(now=OLD), "clocks_differ"),
    "a strong role": (
        replaced(diagnosis, "weaknesses", lambda c: {"database_role": postgresql.strong_role(c)}),
        "database_role",
    ),
    "a hurried disk": (
        replaced(diagnosis, "weaknesses", lambda c: {"database_disk": postgresql.hurried_disk(c)}),
        "database_disk",
    ),
}


ON_SQLITE = {
    "an old library": (replaced(diagnosis, "LIBRARY", sa.select(sa.literal("3.40.1"))), "old_sqlite")
}


def test_a_sound_installation_has_no_finding_and_each_planted_fault_is_named(sound, portion):
    kinds = PLANTED | (ON_SQLITE if sound.url.startswith("sqlite") else ON_POSTGRESQL)
    assert (looked(), len(kinds) >= 25) == ({}, True)
    missed = []
    for kind, (plant, code) in portion(3, list(kinds.items())):
        with pytest.MonkeyPatch.context() as patch:
            undo = plant(sound, patch)
            found = looked()
            missed += [] if code in found and found[code].mend else [(kind, *found)]
        sound.instance.chmod(0o700)
        for path in sound.instance.iterdir():
            path.unlink()
        records.note(sound.instance, made=NOW, verified=NOW)
        if isinstance(undo, str):
            statement(undo, None)(sound, None)
    assert missed == []
    assert looked() == {}


def test_the_command_says_each_sentence_with_its_mend(sound, monkeypatch):
    assert sound.run("doctor", "--quick").stdout == "This installation is in order.\n"
    monkeypatch.setenv("PROXY_HOPS", "1")
    result = sound.run("doctor", "--quick", "--json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["ok"]) == (1, False)
    assert [each["code"] for each in answer["findings"]] == ["hosts_unnamed"]
    assert "\n    TRUSTED_HOSTS=books.example.org\n" in sound.run("doctor", "--quick").stdout


def test_books_that_are_not_sound_are_named_unless_it_is_to_be_quick(sound, monkeypatch):
    monkeypatch.undo()
    for name, value in sound.environment.items():
        monkeypatch.setenv(name, value)
    assert "unsound" in looked()
    assert "unsound" not in {each.code for each in command._found(quick=True)}  # noqa: SLF001
