"""Kept files outlive a power failure: bytes, name and folder are on the disk before a commit promises them."""

import io
import os
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.fixtures import invoices
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.documents import pdf, sent
from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import db
from webapp.services.storage import whole_files

TABLE = b"When;What;How much\n2026-03-02;Coffee;-2,50\n2026-03-04;Rent;-700,00\n2026-03-05;Invoice 7;100,00\n"


@pytest.fixture
def calls(app, monkeypatch):
    noted = []
    flush, replace, make = os.fsync, os.replace, os.mkdir

    def flushed(descriptor):
        noted.append(("flush", Path(f"/proc/self/fd/{descriptor}").readlink()))
        flush(descriptor)

    def replaced(source, target, **options):
        replace(source, target, **options)
        noted.append(("name", Path(source), Path(target)))

    def made(path, *rest, **options):
        make(path, *rest, **options)
        noted.append(("folder", Path(path)))

    for name, wrapped in (("fsync", flushed), ("replace", replaced), ("mkdir", made)):
        monkeypatch.setattr(os, name, wrapped)
    with app.app_context():
        engine = db.engine

    def commit(_connection):
        noted.append(("commit",))

    sa.event.listen(engine, "commit", commit)
    yield noted
    sa.event.remove(engine, "commit", commit)


def document(ada, _agent):
    return sent(ada, data=pdf("kept")).status_code


def proposal(_ada, agent):
    return sent(agent, data=pdf("proposed")).status_code


def preview(ada, _agent):
    form = {"file": (io.BytesIO(bank_file(Line("2026-03-02", "-2.50", "Coffee", "c-1"))), "march.ofx")}
    return ada.browser().post("/imports", data=form, content_type="multipart/form-data").status_code


def refused_table(ada, _agent):
    form = {"file": (io.BytesIO(TABLE), "march.csv")}
    return ada.browser().post("/imports", data=form, content_type="multipart/form-data").status_code


@on_sqlite
@pytest.mark.parametrize(
    ("act", "folder", "status"),
    [
        (document, "files", 201),
        (proposal, "proposals", 202),
        (preview, "previews", 303),
        (refused_table, "previews", 303),
    ],
)
def test_a_file_is_on_the_disk_before_the_commit_that_names_it(
    app, ada, bank, agent, calls, act, folder, status
):
    assert act(ada, agent) == status
    (named,) = [
        each for each in calls if each[0] == "name" and Path(app.instance_path, folder) in each[2].parents
    ]
    _, beginning, path = named
    last = len(calls) - 1 - calls[::-1].index(("commit",))
    at = calls.index(named)
    assert ("flush", beginning) in calls[:at]
    assert ("flush", path.parent) in calls[at:last]
    for made in [each[1] for each in calls if each[0] == "folder"]:
        assert ("flush", made.parent) in calls[calls.index(("folder", made)) : last]


@on_sqlite
def test_a_backup_is_on_the_disk_when_the_command_ends(ada, bank, command, calls, tmp_path):
    path = tmp_path / "books.zip"
    assert command("backup", str(path)).exit_code == 0
    named = ("name", tmp_path / "books.zip.partial", path)
    at = calls.index(named)
    assert ("flush", tmp_path / "books.zip.partial") in calls[:at]
    assert ("flush", tmp_path) in calls[at:]


@on_sqlite
def test_a_restored_file_is_on_the_disk_before_the_books_that_name_it(
    ada, agent, bank, command, restored, calls, tmp_path
):
    assert (document(ada, agent), proposal(ada, agent)) == (201, 202)
    path = tmp_path / "books.zip"
    assert command("backup", str(path)).exit_code == 0
    calls.clear()
    assert restored("restore", str(path), folder="new").exit_code == 0
    named = [each for each in calls if each[0] == "name"]
    folders = [{"files", "proposals"} & set(each[2].parts) for each in named]
    assert sorted(folders, key=min) == [{"files"}, {"proposals"}]
    for each in named:
        assert ("flush", each[1]) in calls[: calls.index(each)]
        assert ("flush", each[2].parent) in calls[calls.index(each) :]


def test_what_cannot_be_written_leaves_neither_name_nor_beginning(tmp_path, monkeypatch):
    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    (tmp_path / "kept").mkdir()
    with pytest.raises(OSError, match="No space"):
        whole_files.keep(tmp_path / "kept" / "one", b"1")
    assert list((tmp_path / "kept").iterdir()) == []


def test_of_files_that_are_kept_together_none_is_left_half_where_the_disk_is_full(tmp_path, monkeypatch):
    whole_files.make_folder(tmp_path / "kept")
    waits = iter(range(10))

    def full_at_last(_descriptor):
        if next(waits) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_at_last)
    with pytest.raises(OSError, match="No space"):
        whole_files.keep_all({tmp_path / "kept" / name: b"1" for name in "abc"})
    assert list((tmp_path / "kept").iterdir()) == []


@on_sqlite
def test_files_that_are_filed_together_are_on_the_disk_before_the_commit_that_names_them(app, ada, calls):
    sheets = [(io.BytesIO(invoices.ubl(number=f"RE-{each}")), f"{each}.xml") for each in range(3)]
    answer = ada.browser().post("/inbox", data={"file": sheets}, content_type="multipart/form-data")
    assert answer.status_code == 200
    named = [
        each for each in calls if each[0] == "name" and Path(app.instance_path, "files") in each[2].parents
    ]
    assert len(named) == 3
    last = len(calls) - 1 - calls[::-1].index(("commit",))
    for each in named:
        at = calls.index(each)
        assert ("flush", each[1]) in calls[:at]
        assert ("flush", each[2].parent) in calls[at:last]
    assert sum(each == ("flush", named[0][2].parent.parent / "arriving") for each in calls) == 1
