"""A full disk stops writes and nothing else, and they go on when there is room again (P19)."""

import errno
import threading
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import psycopg
import pytest

from tests.fixtures.helpers.faulty_disk import faulty_disk
from tests.fixtures.helpers.trial_calls import FILE
from tests.misbehaving.test_failed_commits import is_refused, sent
from webapp.database.sessions import begin_read
from webapp.queries import checks
from webapp.web.access import heavy_calls

WRITERS = 3
KIBIBYTE = 1024
# PostgreSQL has no room for another act in its chain once it has so many, and finds out at COMMIT.
FILL = """
    CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF (SELECT count(*) FROM audit_events) > {most} THEN
            RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100';
        END IF;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER fills AFTER INSERT ON audit_events
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fill()"""
FREE = "DROP TRIGGER IF EXISTS fills ON audit_events; DROP FUNCTION IF EXISTS fill"


class Writers:
    """Programs that write at the same time, and note what each was answered."""

    def __init__(self, person) -> None:
        self._person = person
        self.answered, self.refused = [], []

    def write(self, times, *, until_refused=False):
        threads = [
            threading.Thread(target=self._write, args=(writer, times, until_refused))
            for writer in range(WRITERS)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    def _write(self, writer, times, until_refused):
        for number in range(times):
            name = f"Project {writer} {len(self.answered)} {number}"
            answer = self._person.post("/api/projects", json={"name": name})
            if answer.status_code == 201:
                self.answered.append(name)
                continue
            self.refused.append(answer)
            if until_refused:
                return


@contextmanager
def small_disk(house):
    """Give the books little more room than they have; gives what makes more of it."""
    if house.settings.is_sqlite:
        with faulty_disk(house) as disk:
            with house.app.app_context():
                begin_read()
            disk.room = disk.size() + 128 * KIBIBYTE
            yield lambda: setattr(disk, "room", None)
        return
    url = house.settings.database_url.replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as connection:
        (acts,) = connection.execute("SELECT count(*) FROM audit_events").fetchone()
        connection.execute(FILL.format(most=acts + 8))
        yield lambda: connection.execute(FREE)
        connection.execute(FREE)


@pytest.mark.both
def test_a_full_disk_refuses_writes_loses_none_and_takes_them_again(
    house, ada, rounds, figure, kept_documents
):
    writers, browser, patience = Writers(ada), ada.browser(), rounds(200, 2000)
    with small_disk(house) as free:
        writers.write(patience, until_refused=True)
        assert len(writers.refused) == WRITERS
        assert writers.answered
        refused_in = len(writers.answered)
        writers.write(rounds(2, 50))
        assert len(writers.answered) == refused_in
        assert all(is_refused(each, "disk_full") for each in writers.refused)
        assert is_refused(sent(ada), "disk_full")
        assert kept_documents() == set()
        page = browser.post("/accounts", data={"name": "Tea", "type": "EXPENSE"})
        assert (page.status_code, "free space" in page.text) == (503, True)
        assert {*names(ada)} == {*writers.answered}
        assert browser.get("/").status_code == 200
        free()
        writers.write(1)
        assert sent(ada).status_code == 201
    assert len(writers.answered) == refused_in + WRITERS
    assert {*names(ada)} == {*writers.answered}
    with house.app.app_context():
        begin_read()
        assert list(checks.violations()) == []
    figure("P19", f"{len(writers.refused)} writes refused, 0 of {len(writers.answered)} answered ones lost")


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_full_disk_takes_no_slot_of_heavy_calls_away(ada, monkeypatch):
    def fail(*_args):
        raise OSError(errno.ENOSPC, "no")

    with monkeypatch.context() as patched:
        patched.setattr(heavy_calls.os, "pwrite", fail)
        assert [ada.get("/api/exports/hledger").status_code for _ in range(6)] == [200] * 6
    assert ada.get("/api/exports/hledger").status_code == 200


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_disk_that_takes_no_report_of_progress_stops_no_import(app, ada, monkeypatch):
    file = {"file": (BytesIO(FILE), "april.ofx"), "dryRun": "true"}
    preview = ada.post("/api/feeds/imports", data=file, content_type="multipart/form-data").json["import"]
    real = Path.write_text

    def fail(path, *args, **options):
        if path.parent.name == "progress":
            path.touch()
            raise OSError(errno.ENOSPC, "no")
        return real(path, *args, **options)

    monkeypatch.setattr(Path, "write_text", fail)
    assert ada.post(f"/api/feeds/imports/{preview['id']}/commit", json={}).status_code == 200
    assert list((app.config["SETTINGS"].instance_path / "progress").iterdir()) == []


def names(person):
    found, cursor = [], ""
    while cursor is not None:
        answer = person.get(f"/api/projects?limit=200{cursor and f'&cursor={cursor}'}")
        assert answer.status_code == 200
        found += [each["name"] for each in answer.json["projects"]]
        cursor = answer.json["nextCursor"]
    return found
