"""A command that fails says one sentence on standard error and exits with 1, whatever failed; never a traceback."""

import json

import click
import psycopg
import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from webapp.cli import PLACES, main
from webapp.commands import inspection
from webapp.database.failures import BusyError
from webapp.database.sessions import db

FAILURES = [
    (BusyError(), "The books are busy; try again in a few seconds.", "busy"),
    (
        OSError(28, "No space left on device", "/books/x"),
        "/books/x: No space left on device.",
        "system_failed",
    ),
    (KeyboardInterrupt(), "The command was stopped. What the command did not report as done", "stopped"),
    (MemoryError(), "too little memory", "out_of_memory"),
    (
        sa.exc.OperationalError("SELECT 1", {}, OSError("disk full")),
        "The database failed (disk full). What",
        "database_failed",
    ),
    (
        psycopg.errors.DiskFull("could not extend file"),
        "The database failed (could not extend file). What",
        "database_failed",
    ),
    (
        sa.exc.OperationalError("SELECT 1", {}, OSError("gone"), connection_invalidated=True),
        "The connection to the database was lost (gone).",
        "unknown_outcome",
    ),
    (
        sa.exc.DatabaseError("SELECT 1", {}, OSError("malformed")),
        "The database failed (malformed). What",
        "database_failed",
    ),
    (ZeroDivisionError("a fault of ours"), "The program failed (ZeroDivisionError).", "program_failed"),
]


@pytest.fixture
def failing(command, monkeypatch):
    def run(error, *words):
        def fail(*_):
            raise error

        monkeypatch.setattr(inspection.checks, "violations", fail)
        return command(*words)

    return run


@on_sqlite
@pytest.mark.parametrize(("error", "sentence", "code"), FAILURES, ids=lambda each: type(each).__name__)
def test_whatever_fails_becomes_a_sentence(failing, tmp_path, monkeypatch, error, sentence, code):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for words in (["check"], ["backup", str(tmp_path / "books.zip")]):
        result = failing(error, *words)
        assert (result.exit_code, result.stdout) == (1, "")
        assert sentence in result.stderr
        assert "Traceback" not in result.stderr
        assert len(result.stderr.splitlines()) == 1
    result = failing(error, "check", "--json")
    found = json.loads(result.stderr)
    assert (result.exit_code, result.stdout, found["code"]) == (1, "", code)
    assert sentence in found["error"]


@on_sqlite
def test_wrong_use_is_json_too(command):
    result = command("tokens", "list", "--organization", "org_none", "--json")
    assert (result.exit_code, result.stdout, json.loads(result.stderr)["code"]) == (2, "", "usage")
    result = command("import", "--json")
    assert (result.exit_code, json.loads(result.stderr)["error"]) == (2, "Missing argument 'FILE...'.")


@on_sqlite
def test_a_fault_of_the_program_asks_for_a_report_and_keeps_its_details(failing, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = failing(ZeroDivisionError("a fault of ours"), "check")
    assert "Please report this" in result.stderr
    (kept,) = tmp_path.glob("tieout-failure-*.txt")
    assert str(kept) in result.stderr
    assert "ZeroDivisionError: a fault of ours" in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0


@on_sqlite
def test_the_details_are_shown_to_who_asks(failing):
    result = failing(ZeroDivisionError("a fault of ours"), "--traceback", "check")
    assert (result.exit_code, "Traceback (most recent" in result.stderr) == (1, True)


def test_every_command_is_guarded():
    commands = [main.get_command(None, name) for name in PLACES]
    assert [each.name for each in commands] == list(PLACES)
    groups = [each for each in commands if isinstance(each, click.Group)]
    commands += [each for group in groups for each in group.commands.values()]
    assert {each.callback.__code__.co_name for each in commands} == {"guarded"}


@pytest.mark.usefixtures("planned_each_time")
def test_a_command_has_the_time_that_it_needs_and_the_server_has_not(command, session, monkeypatch):
    """Asked within a command's transaction, and after it."""
    asked = {}

    def look(*_):
        if db.engine.dialect.name == "postgresql":
            names = (
                "statement_timeout",
                "idle_in_transaction_session_timeout",
                "lock_timeout",
                "plan_cache_mode",
            )
            asked.update({name: db.session.scalar(sa.text(f"SHOW {name}")) for name in names})
        return []

    monkeypatch.setattr(inspection.checks, "violations", look)
    assert json.loads(command("check", "--json").stdout)["ok"]
    if session.get_bind().dialect.name == "postgresql":
        none = {"statement_timeout": "0", "idle_in_transaction_session_timeout": "0", "lock_timeout": "15s"}
        none["plan_cache_mode"] = "force_custom_plan"
        assert asked == none
        assert session.scalar(sa.text("SHOW statement_timeout")) == "15s"
