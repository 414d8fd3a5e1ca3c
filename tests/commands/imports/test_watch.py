"""`tieout watch`: files of a folder are imported or filed once they are whole, and moved beside a sentence."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from click.testing import CliRunner

from tests.api.imports.test_imports import MARCH, PATH, lines_of
from tests.fixtures import invoices
from tests.fixtures.bank_files.ofx_statements import bank_file
from tests.fixtures.helpers.documents import pdf
from tests.fixtures.helpers.replays import everything
from tests.tree import ROOT
from webapp.cli import main
from webapp.commands import files
from webapp.services.inbox import drop_folders
from webapp.services.inbox.drop_folders import DropFolder

BANK, INVOICE, RECEIPT = bank_file(*MARCH), invoices.ubl(), pdf("A meal")
KILLED = 9
FILES = {"march.ofx": BANK, "invoice.xml": INVOICE, "meal.pdf": RECEIPT}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "drop"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def watch(app, ada, folder, monkeypatch):
    """Take what is in the folder, which need not lie still for that; answers the result."""
    monkeypatch.setattr(drop_folders, "STILL_SECONDS", 0.0)
    monkeypatch.setattr(files, "PAUSE_SECONDS", 0.0)

    def run(*words):
        words = words or (str(folder), "--organization", ada.organization_id)
        with app.app_context():
            return CliRunner().invoke(main, ["watch", *words, "--once"], catch_exceptions=False)

    return run


def contents(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def sentence(folder, name):
    return (folder / f"{name}.txt").read_text().strip()


def test_a_bank_file_is_imported_and_everything_else_becomes_a_document(watch, folder, ada):
    for name, data in FILES.items():
        (folder / name).write_bytes(data)

    result = watch()

    assert result.exit_code == 0
    assert len(lines_of(ada)) == 3
    assert {each["fileName"] for each in everything(ada, "documents", "documents")} == {
        "invoice.xml",
        "meal.pdf",
    }
    assert contents(folder) == {f"done/{name}{end}" for name in FILES for end in ("", ".txt")}
    assert sentence(folder, "done/march.ofx").startswith("Imported: 3 new lines")
    assert sentence(folder, "done/invoice.xml").startswith("Filed as")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("nothing.pdf", b"", "The file is empty."),
        ("page.html", b"<html><body>Sign in</body></html>", "The file is a web page"),
        ("old.zip", b"PK\x03\x04rest", "The file"),
    ],
    ids=["empty", "a page", "an archive"],
)
def test_what_no_file_of_books_is_goes_to_refused_and_says_why(watch, folder, ada, name, data, reason):
    (folder / name).write_bytes(data)
    watch()
    assert contents(folder) == {f"refused/{name}", f"refused/{name}.txt"}
    assert sentence(folder, f"refused/{name}").startswith(reason)
    assert (folder / "refused" / name).read_bytes() == data
    assert everything(ada, "documents", "documents") == []


def test_a_bank_file_without_an_account_waits_in_the_inbox_with_its_question(watch, folder, ada, bank):
    bank.open("Savings")
    (folder / "bank.csv").write_bytes(b"Date;Text;Amount\n2026-03-02;Rent;-900.00\n2026-03-03;Coffee;-3.20\n")
    watch()
    (waiting,) = ada.get("/api/inbox").json["files"]
    assert (waiting["fileName"], waiting["code"]) == ("bank.csv", "bank_file")
    assert sentence(folder, "done/bank.csv") == f"It waits in the inbox. {waiting['question']}"
    assert ada.get(PATH).json["imports"] == []


def test_the_same_invoice_with_another_total_waits_and_names_the_one_that_is_there(watch, folder, ada):
    (folder / "invoice.xml").write_bytes(INVOICE)
    watch()
    (document,) = everything(ada, "documents", "documents")
    (folder / "again.xml").write_bytes(invoices.ubl(gross="172.49"))
    watch()
    (waiting,) = ada.get("/api/inbox").json["files"]
    assert (waiting["code"], waiting["documentId"]) == ("same_invoice", document["id"])


def test_a_file_that_came_before_its_move_is_not_taken_twice(watch, folder, ada, monkeypatch):
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    with monkeypatch.context() as patch:
        patch.setattr(DropFolder, "put_away", _killed)
        assert watch().exit_code == KILLED
    for _ in FILES:
        watch()
    assert len(everything(ada, "documents", "documents")) == 2
    assert len(lines_of(ada)) == 3
    assert [each["status"] for each in ada.get(PATH).json["imports"]] == ["IMPORTED"]
    assert "already" in " ".join(sentence(folder, f"done/{name}") for name in FILES)


def _killed(*_):
    raise SystemExit(KILLED)


def test_two_files_of_one_name_are_both_there(watch, folder):
    for number in range(2):
        (folder / "meal.pdf").write_bytes(pdf(f"Meal {number}"))
        (folder / "meal.pdf.txt").write_bytes(f"Note {number} of a meal".encode())
        watch()
    found = {path.read_bytes() for path in (folder / "done").iterdir()}
    assert {pdf("Meal 0"), pdf("Meal 1"), b"Note 0 of a meal", b"Note 1 of a meal"} <= found


def test_the_folder_that_an_organization_chose_is_watched(watch, folder, app, ada, dan):
    (folder / "meal.pdf").write_bytes(RECEIPT)
    with app.app_context():
        words = ["drop-folder", str(folder), "--organization"]
        chosen = CliRunner().invoke(main, [*words, ada.organization_id], catch_exceptions=False)
        taken = CliRunner().invoke(main, [*words, dan.organization_id])
    assert (chosen.exit_code, taken.exit_code) == (0, 1)
    with app.app_context():
        result = CliRunner().invoke(main, ["watch", "--once"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert len(everything(ada, "documents", "documents")) == 1
    assert everything(dan, "documents", "documents") == []


def test_a_file_is_whole_when_it_has_not_changed_for_two_seconds(folder):
    dropped, path = DropFolder(folder), folder / "bank.csv"
    path.write_bytes(b"Date;")
    (folder / "next.csv.part").write_bytes(b"Date;")
    (folder / "link.pdf").symlink_to(path)
    with dropped.opened():
        assert [list(dropped.whole(at)) for at in (0.0, 1.9)] == [[], []]
        path.write_bytes(b"Date;Text")
        assert list(dropped.whole(2.5)) == []
        assert list(dropped.whole(4.4)) == []
        assert list(dropped.whole(4.5)) == [["bank.csv"]]
        path.write_bytes(b"Date;Text;Amount")
        assert dropped.read("bank.csv") is None


@pytest.mark.rare
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "ended"])
def test_whoever_ends_it_at_any_moment_loses_nothing_and_gets_nothing_twice(tmp_path, folder, number, rounds):
    env = {**os.environ, "INSTANCE_PATH": str(tmp_path / "instance")}
    env.pop("DATABASE_URL", None)

    def tieout(*words, **more):
        return subprocess.run(  # noqa: PLW1510, S603  (our own words, and its answer is looked at)
            [sys.executable, "-m", "webapp.cli", *words],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            **more,
        )

    tieout("migrate", check=True)
    words = ("create-organization", "Drop", "--base-currency", "EUR", "--email", "ada@example.org")
    tieout(*words, "--password-stdin", input="correct horse battery staple", check=True)
    organization_id = tieout("organizations", "--json").stdout
    organization_id = organization_id[organization_id.index("org_") :][:24]
    count = 12
    for place in range(count):
        (folder / f"meal-{place}.pdf").write_bytes(pdf(f"Meal {place}"))
    words = [sys.executable, "-m", "webapp.cli", "watch", str(folder), "--organization", organization_id]
    for turn in range(rounds(2, 20)):
        process = subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.DEVNULL)  # noqa: S603
        time.sleep(4.2 + turn * 0.05)
        process.send_signal(number)
        process.wait(30)
    tieout(words[3], words[4], *words[5:], "--once", check=True)
    assert tieout("check").returncode == 0
    left = {path.name for path in folder.iterdir() if path.is_file()}
    done = [path for path in (folder / "done").iterdir() if path.suffix == ".pdf"]
    assert (left, len(done)) == (set(), count)
    path = tmp_path / "instance" / "tieout.sqlite"
    with closing(sqlite3.connect(path)) as books:
        assert books.execute("SELECT count(*), count(DISTINCT sha256) FROM documents").fetchone() == (
            count,
            count,
        )
