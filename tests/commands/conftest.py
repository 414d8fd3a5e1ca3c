"""Running `tieout`: in the books of a test, or in an installation of its own."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from tests.fixtures.helpers.documents import pdf, sent
from tests.tree import ROOT
from webapp.cli import main

PROPOSED = pdf("to be approved")


@pytest.fixture(autouse=True)
def _umask():
    """A command closes its files to everybody else; the test process goes on as before."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def installation(tmp_path):
    """Run a command as an operator does, with settings from the environment only; answers its result."""
    ours = {
        "INSTANCE_PATH": str(tmp_path / "instance"),
        "DATABASE_URL": None,
        "HOST": None,
    }

    def run(*words, **settings):
        return CliRunner(env={**ours, **settings}).invoke(main, words, catch_exceptions=False)

    return run


@pytest.fixture
def restored(tmp_path):
    """Run a command in books of their own, as an operator does; answers its result."""

    def run(*words, database_url=None, folder="restored"):
        ours = {"INSTANCE_PATH": str(tmp_path / folder), "DATABASE_URL": database_url}
        if database_url is None:
            return CliRunner(env=ours).invoke(main, words, catch_exceptions=False)
        # A server's connections end with the process that opened them.
        done = subprocess.run(  # noqa: S603  (our own words)
            [sys.executable, "-m", "webapp.cli", *words],
            cwd=ROOT,
            env={**os.environ, **{name: value for name, value in ours.items() if value}},
            capture_output=True,
            text=True,
            check=False,
        )
        return SimpleNamespace(
            exit_code=done.returncode,
            stdout=done.stdout,
            stderr=done.stderr,
            output=f"{done.stdout}{done.stderr}",
        )

    return run


@pytest.fixture
def backed_up(command, tmp_path):
    def write(name="books.zip"):
        path = tmp_path / name
        result = command("backup", str(path))
        assert result.exit_code == 0, result.output
        return path

    return write


@pytest.fixture
def books_of_all_kinds(ada, bank, desk):
    """Lines confirmed, corrected, voided and reconciled, in two currencies, text of any language, and two files.

    The merchant that was made first is merged into the one after it, and that into the last.
    """
    first, second, last = (bank.merchant(name) for name in ("REWE", "Rewe", "REWE Markt"))
    for one, into in ((first, second), (second, last)):
        assert ada.post(f"/api/merchants/{one}/merge", json={"mergedIntoId": into}).status_code == 200
    lines = bank.send_many(
        [("2026-10-02", "1000.00", "東京 “quotes”\nand more"), ("2026-10-30", "-150.00", "Rent")]
    )
    desk.confirm(*lines)
    desk.prove()
    ada.patch(f"/api/transactions/{lines[1]}", json={"accountId": bank.account("Rent", "EXPENSE")})
    desk.confirm(lines[1])
    pushed = {
        "providerTransactionId": "p1",
        "pending": True,
        "bookedOn": "2026-10-31",
        "amount": "-4.00",
        "currency": "EUR",
        "description": "A coffee",
    }
    batch = {"batchId": "b1", "added": [pushed]}
    assert ada.post(f"/api/feeds/accounts/{bank.fa_id}/transactions", json=batch).status_code == 200
    bank.open("Dollars", "USD")
    bank.quote("2026-10-02", "USD", "1.0842")
    other = bank.send("2026-10-02", "77.00", "A client abroad")
    desk.confirm(other)
    desk.void(desk.line(other)["journalEntryId"])
    document = sent(ada, name="東京.pdf", total="77.00").json["document"]
    relation = {"transactionId": other}
    assert ada.post(f"/api/documents/{document['id']}/relations", json=relation).status_code == 201
    assert sent(ada.with_scopes("read", "propose"), data=PROPOSED).status_code == 202
