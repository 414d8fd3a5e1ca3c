"""`tieout import`: every file whole or not at all, an answer for programs and for people, and how far it is."""

import json
import os
import pty
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.api.imports.test_imports import KEYS, MARCH, PATH, counted, lines_of
from tests.fixtures.bank_files.ofx_statements import bank_file
from tests.fixtures.helpers.marks import on_sqlite
from tests.tree import ROOT
from webapp.cli import main


@pytest.fixture
def tieout(app, ada, tmp_path):
    """Run `tieout import` in Ada's books with files of these contents; answers the result."""

    def run(*contents, options=("--json",), organization=ada.organization_id):
        paths = []
        for number, data in enumerate(contents):
            paths.append(tmp_path / f"file-{number}.ofx")
            paths[-1].write_bytes(data)
        with app.app_context():
            words = ["import", *map(str, paths), "--organization", organization, *options]
            return CliRunner().invoke(main, words, catch_exceptions=False)

    return run


def test_it_answers_as_the_api_does(tieout, ada):
    result = tieout(bank_file(*MARCH, closing="5.00"))
    assert result.exit_code == 0
    (answer,) = json.loads(result.stdout)
    assert list(answer) == KEYS
    assert ada.get(f"{PATH}/{answer['id']}").json["import"] == answer


def test_a_refused_file_stops_no_other(tieout, ada):
    result = tieout(bank_file(*MARCH), b"<html>", bank_file(*MARCH))
    assert result.exit_code == 1
    answers = json.loads(result.stdout)
    assert [answer["status"] for answer in answers] == ["IMPORTED", "REFUSED", "IMPORTED"]
    assert counted(answers[2]) == [(0, 3, 0, 0)]
    assert ada.get(f"{PATH}/{answers[1]['id']}").json["import"] == answers[1]
    assert len(lines_of(ada)) == 3


def test_a_dry_run_leaves_nothing_behind(tieout, ada, house):
    folder = house.settings.instance_path / "previews"
    before = set(folder.glob("*"))
    result = tieout(bank_file(*MARCH), b"<html>", options=("--dry-run", "--json"))
    taken, refused = json.loads(result.stdout)
    assert (result.exit_code, taken["status"], counted(taken)) == (1, "PREVIEWED", [(3, 0, 0, 0)])
    assert (refused["status"], taken["id"], refused["id"]) == ("REFUSED", None, None)
    assert lines_of(ada) == ada.get(PATH).json["imports"] == []
    assert set(folder.glob("*")) == before


def test_people_read_a_sentence(tieout):
    result = tieout(bank_file(*MARCH), b"<html>", options=())
    assert result.exit_code == 1
    assert "file-0.ofx: added 3" in result.stdout
    assert "file-1.ofx: refused." in result.stdout


def test_a_statement_without_a_number_goes_to_the_chosen_account(tieout, ada):
    made = ada.post("/api/feeds/accounts", json={"name": "Main", "currency": "EUR"}).json["feedAccount"]
    chosen = ("--account", str(made["faId"]), "--json")
    (answer,) = json.loads(tieout(bank_file(*MARCH, account=None), options=chosen).stdout)
    assert [each["faId"] for each in answer["accounts"]] == [made["faId"]]


@on_sqlite
@pytest.mark.parametrize(
    "options", [("--account", "987654321"), ("--account", "x"), ("--mapping", "no/such/file")]
)
def test_wrong_use_is_told_apart(tieout, options):
    result = tieout(bank_file(*MARCH), options=options)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_an_unknown_organization_is_wrong_use(tieout):
    result = tieout(bank_file(*MARCH), organization="org_nobody")
    assert result.exit_code == 2
    assert "There is no organization" in result.stderr


def test_a_terminal_hears_how_far_an_import_is_and_standard_output_does_not(house, ada, tmp_path):
    path = tmp_path / "march.ofx"
    path.write_bytes(bank_file(*MARCH))
    ours, theirs = pty.openpty()
    ended = subprocess.run(  # noqa: S603  (our own program)
        [
            sys.executable,
            "-m",
            "webapp.cli",
            "import",
            str(path),
            "--organization",
            ada.organization_id,
            "--json",
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": house.settings.database_url,
            "INSTANCE_PATH": str(house.settings.instance_path),
        },
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
    )
    heard = os.read(ours, 65536).decode()
    os.close(ours)
    os.close(theirs)
    assert "march.ofx: reading the file" in heard
    assert "march.ofx: comparing 3 lines with the books" in heard
    assert "march.ofx: writing 3 of 3 lines" in heard
    assert json.loads(ended.stdout)[0]["accounts"][0]["added"] == 3
