"""Backups that keep themselves: named by their instant, thinned, verified by a restore, and remembered."""

import json
import zipfile
from datetime import UTC, datetime

import pytest

from webapp.services.backups import records

OLD = [
    *("tieout-20260930T020000000000Z.zip", "tieout-20261001T020000000000Z.zip"),
    *("tieout-20261031T020000000000Z.zip", f"tieout-{datetime.now(UTC):%Y%m}01T000000000000Z.zip"),
]


@pytest.mark.both
def test_a_folder_keeps_the_newest_and_one_of_each_month(ada, command, app, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in (*OLD, "tieout-mine.zip", "other.zip"):
        (folder / name).touch()
    made = [
        json.loads(command("backup", "--to", str(folder), "--keep", "1", "--json").stdout) for _ in range(2)
    ]
    names = {path.name for path in folder.iterdir()}
    newest = made[1]["file"].rpartition("/")[2]
    assert names == {OLD[0], OLD[2], newest, "tieout-mine.zip", "other.zip"}
    assert zipfile.is_zipfile(made[1]["file"])


@pytest.mark.both
def test_a_verified_backup_was_restored_and_is_remembered(books_of_all_kinds, command, app, tmp_path):
    instance = tmp_path / "x"
    result = command("backup", str(tmp_path / "books.zip"), "--verify", "--json")
    assert (result.exit_code, json.loads(result.stdout)["verified"]) == (0, True), result.output
    noted = records.noted(type(instance)(app.instance_path))
    assert noted["made"] == noted["verified"]
    assert (datetime.now(UTC) - noted["verified"]).total_seconds() < 60
    assert command("backup", str(tmp_path / "plain.zip")).exit_code == 0
    later = records.noted(type(instance)(app.instance_path))
    assert later["verified"] == noted["verified"] < later["made"]


@pytest.mark.parametrize("words", [(), ("a.zip", "--to", "."), ("a.zip", "--keep", "3")])
def test_words_that_do_not_belong_together_are_refused(installation, words):
    result = installation("backup", *words)
    assert (result.exit_code, "Name a FILE, or a folder with --to" in result.stderr) == (2, True)
