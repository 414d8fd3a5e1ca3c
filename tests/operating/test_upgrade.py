"""`tieout upgrade`: what it would change and should not is named and taken back, and a kill leaves whole books."""

# ruff: noqa: S608, ISC004  (statements of our own, each on several lines)
import json
import os
import random
import signal
from pathlib import Path

import pytest

from tests.operating.releases import NEXT, PROGRAMS, RELEASED, Books, later_version
from webapp.commands import upgrading
from webapp.database import stop
from webapp.migrations import revisions

pytestmark = pytest.mark.operates

POSTED = "SELECT max(id) FROM journal_entries WHERE status = 'POSTED'"
# Each changes the books behind their back; the facts that it changes.
PLANTED = {
    "a leg is lost": ("DELETE FROM postings WHERE id = (SELECT max(id) FROM postings)", "rows"),
    "a leg's sign is flipped": (
        f"UPDATE postings SET amount_minor = -amount_minor WHERE journal_entry_id = ({POSTED}) AND position = 0",
        "trial balance",
    ),
    "an entry's signs are flipped": (
        "UPDATE postings SET amount_minor = -amount_minor, amount_base_minor = -amount_base_minor"
        f" WHERE journal_entry_id = ({POSTED})",
        "trial balance",
    ),
    "an entry's legs change places": (
        "UPDATE postings SET account_id = (SELECT p.account_id FROM postings p WHERE p.journal_entry_id ="
        " postings.journal_entry_id AND p.position = 1 - postings.position)"
        f" WHERE journal_entry_id = ({POSTED}) AND position < 2",
        "trial balance",
    ),
    "a cent is rounded from one leg to another": (
        "UPDATE postings SET amount_base_minor = amount_base_minor + CASE WHEN id % 2 = 0 THEN 1 ELSE -1 END"
        " WHERE id IN (SELECT 2 * (max(id) / 2) FROM postings UNION SELECT 2 * (max(id) / 2) - 1 FROM postings)",
        "rows",
    ),
    "a rate is lost": ("DELETE FROM exchange_rates WHERE id = (SELECT min(id) FROM exchange_rates)", "rows"),
    "an entry has another number": (
        f"UPDATE journal_entries SET number = number + 1 WHERE id = ({POSTED})",
        "rows",
    ),
    "an entry has another day": (
        f"UPDATE journal_entries SET effective_on = '2001-01-01' WHERE id = ({POSTED})",
        "entries",
    ),
    "a settlement loses a part": (
        "DELETE FROM settlement_parts WHERE id = (SELECT max(id) FROM settlement_parts)",
        "settlements",
    ),
    "a bank line has another text": (
        "UPDATE transactions SET description = 'X' WHERE id = (SELECT min(id) FROM transactions)",
        "rows",
    ),
    "the audit trail loses its end": (
        "DELETE FROM audit_events WHERE sequence = (SELECT max(sequence) FROM audit_events)",
        "audit trail",
    ),
    "a proof is about another balance": (
        "UPDATE reconciliations SET statement_balance_minor = statement_balance_minor + 1"
        " WHERE id = (SELECT max(id) FROM reconciliations)",
        "proofs",
    ),
    "a bound row is lost": (
        "DELETE FROM bound_rows WHERE sequence = (SELECT max(sequence) FROM bound_rows)",
        "bound rows",
    ),
    "a member has another role": ("UPDATE memberships SET role = 'viewer'", "rows"),
    "a column is gone": ("ALTER TABLE organizations DROP COLUMN drop_folder", "columns that are gone"),
    "a row is added": (
        "INSERT INTO projects (organization_id, name, created_at, updated_at)"
        " SELECT id, 'X', created_at, created_at FROM organizations",
        "rows",
    ),
}
# What a version may do: new columns and tables, and changes that it names.
SOUND = (
    "ALTER TABLE postings ADD COLUMN later INTEGER",
    "UPDATE postings SET later = 2 * amount_minor",
    "CREATE TABLE later (id INTEGER)",
    "INSERT INTO later SELECT id FROM postings",
    "UPDATE accounts SET name = upper(name)",
)
CHANGES = ("accounts.name",)
# Of such an upgrade, about; SQLite takes more, and PostgreSQL a few.
LAST_STATEMENT = 400


@pytest.fixture(params=RELEASED, ids=lambda path: path.name.removesuffix(".sqlite.xz"))
def books(request, released, monkeypatch):
    monkeypatch.setenv("PATH", f"{PROGRAMS}:{os.environ['PATH']}")
    return released(request.param)


def test_every_release_is_upgraded_to_this_version_and_sound(books):
    before, _ = books.facts()
    done = books.run("upgrade", "--json")
    assert done.exit_code == 0, done.output
    assert books.facts()[0] == revisions.head_revision() >= before
    assert books.unsound() == []


@pytest.fixture
def current(books):
    """The books as this version serves them, without what their own upgrade left."""
    assert books.run("upgrade", "--i-have-a-backup").exit_code == 0
    stop.clear(books.instance)
    for copy in books.instance.glob("before-upgrade-*"):
        copy.unlink()
    return books


@pytest.fixture
def later(tmp_path, monkeypatch):
    """Be a version with one more migration, which runs some statements."""

    def become(*statements, changes=()):
        versions = later_version(tmp_path, *statements, changes=changes)
        monkeypatch.setattr(revisions, "VERSIONS", versions)
        return versions

    return become


def test_books_of_before_are_upgraded_by_no_other_command(current, later):
    before = current.facts()
    later(*SOUND, changes=CHANGES)
    for words in (("migrate",), ("restore", __file__)):
        refused = current.run(*words)
        assert (refused.exit_code, "Run: tieout upgrade" in refused.stderr) == (1, True), words
    assert current.run("migrate", "--if-empty").exit_code == 0
    assert current.facts() == before


@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_books_on_several_nodes_are_not_rehearsed(current, later, monkeypatch):
    before = current.facts()
    later(*SOUND, changes=CHANGES)
    monkeypatch.setattr(upgrading, "is_distributed", lambda _connection: True)
    refused = current.run("upgrade", "--rehearse")
    assert (refused.exit_code, "cannot be rehearsed" in refused.stderr) == (1, True), refused.output
    assert current.facts() == before
    assert not stop.is_stopped(current.instance)


def test_migrations_that_change_the_books_are_taken_back(current, later, portion):
    before = current.facts()
    for number, (kind, (statements, subject)) in portion(3, list(enumerate(PLANTED.items()))):
        later(*statements.split("; "))
        done = current.run("upgrade", "--json", "--i-have-a-backup", *["--rehearse"] * (number % 2))
        found = json.loads(done.stdout)
        assert (done.exit_code, found["kept"]) == (1, False), kind
        assert subject in {each["subject"] for each in found["differences"]}, kind
        assert not stop.is_stopped(current.instance)
    assert current.facts() == before
    assert "the books are as before" in current.run("upgrade", "--rehearse").stdout
    assert list(current.instance.iterdir()) == []


def test_a_migration_that_says_what_it_changes_is_kept(current, later):
    _, before = current.facts()
    later(*SOUND, changes=CHANGES)
    rehearsed = current.run("upgrade", "--rehearse", "--json")
    assert (rehearsed.exit_code, json.loads(rehearsed.stdout)["differences"]) == (0, []), rehearsed.output
    assert not stop.is_stopped(current.instance)
    assert current.facts()[1] == before
    done = json.loads(current.run("upgrade", "--json").stdout)
    assert (done["kept"], done["to"]) == (True, NEXT)
    assert stop.is_stopped(current.instance)
    again = current.run("upgrade")
    assert (again.exit_code, "when the server has been restarted" in again.output) == (0, True)
    (copy,) = current.instance.glob("before-upgrade-*")
    assert (str(copy), copy.stat().st_mode & 0o777) == (done["copy"], 0o600)
    if copy.suffix == ".sqlite":
        assert Books(f"sqlite:///{copy}", current.instance).facts()[1] == before
    else:
        assert copy.read_bytes().startswith(b"PGDMP")


@pytest.mark.rare
def test_an_upgrade_that_is_killed_leaves_the_old_books_or_the_new_ones(current, later, rounds, tmp_path):
    revision, before = current.facts()
    versions = later(*SOUND, changes=CHANGES)
    words = ("upgrade", "--i-have-a-backup")
    chance = random.Random(0)  # noqa: S311  (no secret)
    kills = rounds(2, 20)
    for step in range(kills):
        moment = chance.randrange(*(1 + LAST_STATEMENT * each // kills for each in (step, step + 1)))
        done = current.killed(versions, moment, *words)
        assert done.status == -signal.SIGKILL, (moment, done.said)
        found = current.facts()
        if found[0] == NEXT:
            assert step == kills - 1
        else:
            assert found == (revision, before), moment
            assert stop.revision_to_come(current.instance) in {None, NEXT}
    done = current.killed(versions, 0, *words)
    assert done.status == 0, done.said
    assert current.facts()[0] == NEXT


def test_without_pg_dump_nothing_is_changed_and_the_way_is_named(current, later, monkeypatch):
    before = current.facts()
    later(*SOUND, changes=CHANGES)
    monkeypatch.setenv("PATH", "")
    done = current.run("upgrade", "--json")
    if current.url.startswith("sqlite"):
        assert json.loads(done.stdout)["kept"] is True
        return
    refused = json.loads(done.stderr)
    assert (done.exit_code, refused["code"], current.facts()) == (1, "no_pg_dump", before)
    assert "tieout backup --to DIR --verify with the version that served" in refused["error"]
    assert not stop.is_stopped(current.instance)
    assert json.loads(current.run("upgrade", "--json", "--i-have-a-backup").stdout)["kept"] is True


def test_books_of_another_version_are_refused(books):
    engine = books.engine()
    for revision in ("0112", "99999"):
        with engine.begin() as connection:
            connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")
        done = books.run("upgrade", "--json")
        assert (done.exit_code, json.loads(done.stderr)["code"]) == (1, "unknown_books")
    engine.dispose()


def test_who_asks_during_an_upgrade_is_told_to_come_back(app, ada, client):
    with stop.stopped(Path(app.instance_path), NEXT):
        answers = [
            ada.get("/api/accounts"),
            ada.post("/api/accounts", json={}),
            client.get("/sign-in"),
            client.get("/readyz"),
        ]
        answers.append(client.post("/mcp", json={}))
        for answer in answers:
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
        assert answers[0].json["code"] == "upgrading"
        assert "The books are being upgraded" in answers[2].text
        assert client.get("/healthz").status_code == 200
        with pytest.raises(stop.UpgradeRunsError):
            stop.clear(Path(app.instance_path))
    assert client.get("/sign-in").status_code == 200
