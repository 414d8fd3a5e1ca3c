"""`tieout backup` and `tieout restore`: the same books again, in either kind of database, or nothing at all."""

import json
import shutil
import stat
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pysqlite3
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from tests.commands.conftest import PROPOSED
from tests.concurrency.crowds import Client
from tests.fixtures.helpers.documents import PDF, pdf, sent
from tests.fixtures.helpers.marks import on_sqlite
from webapp import books_alone
from webapp.cli import main
from webapp.commands import books
from webapp.database.sessions import db
from webapp.services.backups import restores

WRITERS, WORKERS = 8, 4


def manifest_of(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("manifest.json"))


def test_what_is_restored_is_the_same_to_the_last_row(
    books_of_all_kinds, backed_up, restored, empty_database_url, tmp_path
):
    path = backed_up()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    first = manifest_of(path)
    other = [("server", empty_database_url)] if empty_database_url.startswith("postgresql") else []
    for folder, address in (("file", None), *other):
        result = restored("restore", str(path), "--json", database_url=address, folder=folder)
        assert result.exit_code == 0, result.output
        assert set(json.loads(result.stdout)["organizations"]) == {"Lantern Studio", "Harbour Bakery"}
        again = tmp_path / f"{folder}.zip"
        assert restored("backup", str(again), database_url=address, folder=folder).exit_code == 0
        second = manifest_of(again)
        assert second["tables"] == first["tables"]
        assert second["organizations"] == first["organizations"]
        assert second["lastIds"] == first["lastIds"]
        for place, data in (("files", PDF), ("proposals", PROPOSED)):
            kept = [each for each in (tmp_path / folder / place).rglob("*") if each.is_file()]
            assert data in [each.read_bytes() for each in kept]
            assert {stat.S_IMODE(each.stat().st_mode) for each in kept} == {0o600}
        assert (second["files"], second["lostFiles"]) == (first["files"], [])
        assert second["files"] >= 2, "a document and a proposal; a small pushed batch is in its row"


@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_restored_tables_are_analyzed_before_anything_reads_them(
    backed_up, empty_database_url, tmp_path, monkeypatch
):
    """Without statistics the checks of a large book take plans for empty tables, and do not end."""
    path, statements, engines = backed_up(), [], []

    def listened(settings):
        app = books_alone(settings)
        with app.app_context():
            engines.append(db.engine)
            sa.event.listen(db.engine, "before_cursor_execute", lambda *told: statements.append(told[2]))
        return app

    monkeypatch.setitem(books.application.__kwdefaults__, "make", listened)
    environment = {"INSTANCE_PATH": str(tmp_path / "restored"), "DATABASE_URL": empty_database_url}
    try:
        result = CliRunner(env=environment).invoke(main, ["restore", str(path)], catch_exceptions=False)
    finally:
        engines[0].dispose()
    assert result.exit_code == 0, result.output
    looked = len(statements) - statements[::-1].index("ANALYZE") - 1
    # Putting a key back reads both its tables, the sums and the checks read all.
    reads = ("ADD CONSTRAINT", "FROM postings", "FROM accounts")
    places = [place for place, text in enumerate(statements) for each in reads if each in text]
    loaded = max(place for place, text in enumerate(statements) if "setval(" in text)
    assert loaded < looked < min(place for place in places if place > loaded)


@on_sqlite
def test_a_file_that_is_lost_keeps_no_books_from_coming_back(ada, command, restored, app, tmp_path):
    names = [sent(ada, data=pdf(text)).json["document"]["id"] for text in ("to be lost", "to stay")]
    folder = Path(app.instance_path) / "files" / ada.organization_id
    (lost,) = [
        each for each in folder.rglob("*") if each.is_file() and each.read_bytes() == pdf("to be lost")
    ]
    lost.unlink()
    path = tmp_path / "books.zip"
    told = command("backup", str(path), "--json")
    assert (told.exit_code, json.loads(told.stdout)["lostFiles"]) == (0, [lost.name])
    assert restored("restore", str(path)).exit_code == 0
    found = json.loads(restored("check", "--json").stdout)["violations"]
    assert [(each["code"], each["documentId"]) for each in found] == [("document_file_missing", names[0])]


@on_sqlite
def test_a_refused_restore_leaves_no_file(books_of_all_kinds, backed_up, restored, tmp_path):
    path = backed_up()
    for folder in ("files", "proposals"):
        with zipfile.ZipFile(path) as archive:
            kept = next(name for name in archive.namelist() if name.startswith(f"{folder}/"))
        result = restored("restore", str(changed(path, kept, lambda data: data + b"more")))
        assert (result.exit_code, "not sound" in result.stderr) == (1, True), result.output
        for place in ("files", "proposals"):
            assert [each for each in (tmp_path / "restored" / place).rglob("*") if each.is_file()] == []


@on_sqlite
def test_restored_books_go_on(books_of_all_kinds, backed_up, restored, ada, tmp_path):
    assert restored("restore", str(backed_up())).exit_code == 0
    made = restored(
        "create-token", "--organization", ada.organization_id, "--email", ada.email, "--name", "New", "--json"
    )
    assert json.loads(made.stdout)["tokenId"] > ada.token_id
    assert json.loads(restored("check", "--json").stdout)["ok"] is True
    [path] = (tmp_path / "restored").glob("*.sqlite")
    with closing(pysqlite3.connect(path)) as books:
        found = books.execute(
            "SELECT rowid FROM document_texts WHERE document_texts MATCH '\"東京.\"'"
        ).fetchall()
        assert found == books.execute("SELECT id FROM documents").fetchall()


@on_sqlite
def test_keys_can_be_revoked_on_the_way(backed_up, restored, tmp_path):
    assert restored("restore", str(backed_up()), "--revoke-tokens").exit_code == 0
    again = tmp_path / "again.zip"
    restored("backup", str(again))
    with zipfile.ZipFile(again) as archive:
        columns = manifest_of(again)["tables"]["api_tokens"]["columns"]
        rows = [json.loads(line) for line in archive.read("api_tokens.jsonl").splitlines()]
    assert rows
    assert all(row[columns.index("revoked_at")] for row in rows)


@on_sqlite
def test_nothing_is_restored_over_other_books(backed_up, restored):
    path = backed_up()
    assert restored("restore", str(path)).exit_code == 0
    result = restored("restore", str(path))
    assert (result.exit_code, "There are books in this database already" in result.stderr) == (1, True)


@on_sqlite
def test_no_file_is_written_over(command, backed_up):
    path = backed_up()
    before = path.read_bytes()
    assert command("backup", str(path)).exit_code == 1
    assert path.read_bytes() == before
    assert sorted(each.name for each in path.parent.iterdir() if "partial" in each.name) == []


def changed(path, member, change):
    other = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(other, "w") as written:
        for each in archive.namelist():
            data = archive.read(each)
            written.writestr(each, change(data) if each == member else data)
    return other


CHANGES = [
    ("postings.jsonl", lambda data: data[: data.rindex(b"\n", 0, -1) + 1]),
    ("postings.jsonl", lambda data: data.replace(b"-15000", b"-15001", 1)),
    ("journal_entries.jsonl", lambda data: data.replace(b"POSTED", b"VOIDED", 1)),
    ("manifest.json", lambda data: data.replace(b'"format": 1', b'"format": 2')),
    ("manifest.json", lambda data: data.replace(b'"revision": "', b'"revision": "x', 1)),
    ("manifest.json", lambda data: data.replace(b'"hash": "', b'"hash": "0', 1)),
    ("manifest.json", lambda data: data[:0]),
]


@on_sqlite
def test_a_changed_backup_is_refused_and_leaves_nothing(
    books_of_all_kinds, backed_up, restored, portion, subtests
):
    whole = backed_up()
    for number, (member, change) in portion(3, [*enumerate(CHANGES)]):
        with subtests.test(f"{member}, {number}"):
            result = restored("restore", str(changed(whole, member, change)))
            assert result.exit_code == 1, result.output
    # Where anything were left, the whole one would be refused, too.
    assert restored("restore", str(whole)).exit_code == 0


def test_what_is_no_archive_is_refused(restored, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("nothing")
    result = restored("restore", str(path))
    assert (result.exit_code, "not a complete backup" in result.stderr) == (1, True)


def test_a_database_that_fails_is_not_called_a_damaged_file(backed_up, restored, monkeypatch):
    whole = backed_up()
    lost = sa.exc.OperationalError("INSERT", {}, OSError("the connection was lost"))

    def failing(*_):
        raise lost

    with monkeypatch.context() as patch:
        patch.setattr(restores, "_load", failing)
        result = restored("restore", str(whole))
    assert result.exit_code == 1
    assert "The database failed (the connection was lost); nothing was restored." in result.stderr
    assert restored("restore", str(whole)).exit_code == 0


def test_backups_under_load_are_whole(gunicorn, ada, bank, command, restored, rounds, figure, tmp_path):
    count = rounds(1, 40)
    lines = bank.send_many(
        [("2026-03-02", "-1.00", f"Line {number}") for number in range(WRITERS * 40 * count)]
    )
    address = gunicorn(WORKERS)
    acknowledged, stopping, statuses = [], [], Counter()

    def confirm(number):
        client = Client(address, ada.token)
        for line in lines[number::WRITERS]:
            if stopping:
                break
            answer = client.post(f"/api/transactions/{line}/confirm")
            statuses[answer.status] += 1
            acknowledged.append((line, answer.body["result"]["journalEntryIds"][0]))
        client.close()

    whole = 0
    with ThreadPoolExecutor(WRITERS) as threads:
        writing = [threads.submit(confirm, number) for number in range(WRITERS)]
        for number in range(count):
            before = list(acknowledged)
            path = tmp_path / f"{number}.zip"
            assert command("backup", str(path)).exit_code == 0
            folder = f"restored-{number}"
            assert restored("restore", str(path), folder=folder).exit_code == 0
            with zipfile.ZipFile(path) as archive:
                columns = manifest_of(path)["tables"]["journal_entries"]["columns"]
                rows = [json.loads(line) for line in archive.read("journal_entries.jsonl").splitlines()]
            posted = {row[columns.index("id")] for row in rows if row[columns.index("status")] == "POSTED"}
            assert {entry for _, entry in before} <= posted
            whole += 1
            shutil.rmtree(tmp_path / folder)
            path.unlink()
        stopping.append(True)
        for each in writing:
            each.result()
    figure(
        "P23",
        f"{whole} of {count} backups under {WRITERS} writers whole; {dict(statuses)}",
    )
    assert set(statuses) == {200}
