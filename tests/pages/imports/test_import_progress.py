"""How far an import is: while it runs the page that waits for it can ask, and afterwards nothing of it is left."""

import json
import threading
from pathlib import Path

import pytest

from tests.api.imports.test_imports import MARCH, send
from tests.fixtures.bank_files.ofx_statements import bank_file
from webapp.services.imports import runs
from webapp.web import progress


@pytest.fixture
def previewed(ben):
    return send(ben, bank_file(*MARCH), dryRun="true").json["import"]["id"]


def test_a_page_that_waits_asks_again_until_the_file_is_in(ben, previewed):
    pages = ben.browser()
    waiting = pages.get(f"/imports/{previewed}/progress").text
    assert f'hx-get="/imports/{previewed}/progress"' in waiting
    assert "Importing" not in waiting
    assert ben.post(f"/api/feeds/imports/{previewed}/commit").status_code == 200
    done = pages.get(f"/imports/{previewed}/progress").text
    assert "hx-trigger" not in done.split('id="progress"')[1].split("</p>")[0]
    assert "Imported. Show the result." in done


def test_it_is_told_how_far_a_running_import_is(ben, cleo, previewed, house, monkeypatch):
    folder = house.settings.instance_path / "progress"
    told, whole = [], runs.take_kept

    def watched(*args, progress, **facts):
        def tell(phase, done, total):
            progress(phase, done, total)
            (file,) = folder.iterdir()
            told.append((file.name, json.loads(file.read_text())))

        return whole(*args, progress=tell, **facts)

    monkeypatch.setattr(runs, "take_kept", watched)
    assert ben.post(f"/api/feeds/imports/{previewed}/commit").status_code == 200
    assert list(folder.iterdir()) == []
    names, sentences = zip(*told, strict=True)
    assert sentences == (
        "reading the file",
        "comparing 3 lines with the books",
        "writing 0 of 3 lines",
        "writing 3 of 3 lines",
    )
    another = send(ben, bank_file(*MARCH), dryRun="true").json["import"]["id"]
    running = folder / names[0].replace(f"-{previewed}", f"-{another}")
    running.write_text(json.dumps(sentences[2]))
    waiting = cleo.browser().get(f"/imports/{another}/progress").text
    running.unlink()
    assert "Importing: writing 0 of 3 lines." in waiting


def test_another_organizations_import_is_not_told_of(dan, previewed):
    assert dan.browser().get(f"/imports/{previewed}/progress").status_code == 404


def test_two_threads_that_tell_of_one_thing_do_not_take_each_others_word(tmp_path, monkeypatch):
    replace, others = Path.replace, []

    def meanwhile(beside, path):
        if not others:
            others.append(threading.Thread(target=tell, args=("the other's",)))
            others[0].start()
            others[0].join()
        return replace(beside, path)

    monkeypatch.setattr(progress, "_path", tmp_path.joinpath)
    monkeypatch.setattr(Path, "replace", meanwhile)
    with progress.reporting("thing.json") as tell:
        tell("mine")
        assert progress.read("thing.json") == "mine"
