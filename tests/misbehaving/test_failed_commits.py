"""What fails outside the program is answered with what is true of the books, and goes on when the cause is gone."""

import errno
import socket
import threading
from contextlib import contextmanager, suppress
from dataclasses import replace
from io import BytesIO

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from tests.fixtures.helpers.faulty_disk import FSYNC_FAILED, FULL, faulty_disk
from tests.fixtures.helpers.marks import on_sqlite
from webapp import create_app
from webapp.database.sessions import db
from webapp.services.accounts import projects
from webapp.services.storage import arriving_files, whole_files

on_postgresql = pytest.mark.parametrize("database_kind", ["postgresql"])
both = pytest.mark.both
KEY = {"Idempotency-Key": "k-1"}
# The simple query of PostgreSQL's protocol.
COMMIT = b"Q\x00\x00\x00\x0bCOMMIT\x00"
PDF = b"%PDF-1.7\n%%EOF\n"


def named(person, *, key=True):
    return person.post("/api/projects", json={"name": "Studio"}, headers=KEY if key else {})


def names(person):
    answer = person.get("/api/projects")
    assert answer.status_code == 200
    return [each["name"] for each in answer.json["projects"]]


def is_refused(answer, code):
    """Check an answer whole: what a program reads of it, and that nothing of the database is in it."""
    assert (answer.status_code, answer.mimetype) == (503, "application/json")
    assert answer.json.keys() == {"error", "code"}
    assert answer.json["code"] == code
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Request-Id"]
    said = answer.json["error"]
    assert ("not known" in said) == (code == "unknown_outcome")
    assert ("Nothing was changed" in said) == (code != "unknown_outcome")
    return True


@contextmanager
def statements(app, before, after):
    """Change the database itself for a while."""

    def run(texts):
        with app.app_context(), db.engine.connect() as connection:
            for text in texts:
                connection.exec_driver_sql(text)
            connection.commit()

    run(before)
    try:
        yield
    finally:
        run(after)


def refusing(app, sqlstate=None):
    """Let the database refuse each COMMIT of a new project, on PostgreSQL with an SQLSTATE."""
    if sqlstate is None:
        missing = "REFERENCES unmet (id) DEFERRABLE INITIALLY DEFERRED"
        body = "INSERT INTO wanting VALUES (1);"
        tables = [
            "CREATE TABLE unmet (id integer PRIMARY KEY)",
            f"CREATE TABLE wanting (id integer {missing})",
        ]
        gone = ["DROP TABLE wanting", "DROP TABLE unmet"]
    else:
        body, tables, gone = f"RAISE EXCEPTION 'no' USING ERRCODE = '{sqlstate}';", [], []
    if app.config["SETTINGS"].is_sqlite:
        made = [*tables, f"CREATE TRIGGER refuses AFTER INSERT ON projects BEGIN {body} END"]
        return statements(app, made, ["DROP TRIGGER refuses", *gone])
    function = (
        f"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN {body} RETURN NULL; END$$"
    )
    trigger = (
        "CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON projects "
        "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()"
    )
    return statements(
        app, [*tables, function, trigger], ["DROP TRIGGER refuses ON projects", "DROP FUNCTION refuse", *gone]
    )


@both
def test_a_refused_commit_changes_nothing_and_the_next_try_does_it(app, ada):
    with refusing(app):
        assert is_refused(named(ada), "busy")
        assert names(ada) == []
    again = named(ada)
    assert (again.status_code, "Idempotency-Replayed" in again.headers) == (201, False)
    assert names(ada) == ["Studio"]


@on_postgresql
@pytest.mark.parametrize(
    ("sqlstate", "code"), [("53100", "disk_full"), ("P0001", "busy"), ("23514", "busy"), ("40001", "busy")]
)
def test_postgresql_says_why_it_refuses_a_commit(app, ada, sqlstate, code):
    with refusing(app, sqlstate):
        assert is_refused(named(ada), code)
        assert names(ada) == []
    assert named(ada).status_code == 201


@on_postgresql
def test_a_full_disk_of_postgresql_is_one_wherever_it_fails(app, ada):
    """A trigger that fails at the statement, as a page that finds no room does."""
    body = "BEGIN RAISE EXCEPTION ''could not extend file'' USING ERRCODE = ''53100''; END"
    trigger = "CREATE TRIGGER full BEFORE INSERT ON projects FOR EACH ROW EXECUTE FUNCTION fill()"
    with statements(
        app,
        [
            f"CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS '{body}'",
            trigger.replace(" full ", " fills "),
        ],
        ["DROP TRIGGER fills ON projects", "DROP FUNCTION fill"],
    ):
        assert is_refused(named(ada), "disk_full")
        assert names(ada) == []
    assert named(ada).status_code == 201


@on_sqlite
@pytest.mark.parametrize(("result", "code"), [(FULL, "disk_full"), (FSYNC_FAILED, "unknown_outcome")])
def test_sqlite_says_what_became_of_a_commit_that_its_disk_failed(house, ada, result, code):
    failing = "write" if result == FULL else "sync"
    with faulty_disk(house) as disk, synced(house):
        assert names(ada) == []
        disk.fault = lambda step, _path: result if step == failing else 0
        assert is_refused(named(ada), code)
        assert names(ada) == []
        disk.fault = lambda _step, _path: 0
        assert named(ada).status_code == 201
        assert named(ada).headers["Idempotency-Replayed"] == "true"
        assert names(ada) == ["Studio"]


@on_sqlite
def test_connections_that_were_opened_on_a_read_only_disk_are_given_up(app, ada):
    """SQLite opens a file for reading where it may not write, and a connection stays as it was opened."""
    with app.app_context(), db.engine.connect() as connection:
        assert names(ada) == []
        connection.exec_driver_sql("PRAGMA query_only = ON")
    with app.app_context():
        for _ in range(db.engine.pool.checkedin()):
            with db.engine.connect() as connection:
                connection.connection.dbapi_connection.execute("PRAGMA query_only = ON")
    assert is_refused(named(ada), "busy")
    assert names(ada) == []
    assert named(ada).status_code == 201
    assert names(ada) == ["Studio"]


@contextmanager
def synced(house):
    """Let the application wait for its disk, as it does outside of tests."""
    from tests.fixtures.stores import hurry  # noqa: PLC0415

    with house.app.app_context():
        sa.event.remove(db.engine, "connect", hurry)
        try:
            yield
        finally:
            sa.event.listen(db.engine, "connect", hurry)


class CutWay:
    """A way to PostgreSQL that is cut at an act's COMMIT once it is armed: before it arrives, or its answer leaves.

    The first COMMIT ends the read in which the caller is found.
    """

    def __init__(self, url):
        self._real = make_url(url)
        self.arrives = None
        self._has_read = False
        self._is_silent = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.url = f"postgresql+psycopg://postgres@127.0.0.1:{port}/{self._real.database}?sslmode=disable&gssencmode=disable"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(f"{self._real.query['host']}/.s.PGSQL.5432")
            for each in ((near, far, self._asks), (far, near, self._answers)):
                threading.Thread(target=self._pass, args=each, daemon=True).start()

    def _pass(self, source, target, is_passed):
        try:
            while (data := source.recv(65536)) and is_passed(data):
                target.sendall(data)
        except OSError:
            pass
        finally:
            for each in (source, target):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            source.close()

    def _asks(self, data):
        if self.arrives is None or COMMIT not in data:
            return True
        if not self._has_read:
            self._has_read = True
            return True
        self._is_silent, self.arrives, self._has_read = self.arrives, None, False
        return self._is_silent

    def _answers(self, _data):
        was_silent, self._is_silent = self._is_silent, False
        return not was_silent


@pytest.fixture
def way(house):
    """A way to the books that can be cut, and Ada's program on it."""
    way = CutWay(house.settings.database_url)
    app = create_app(replace(house.settings, database_url=way.url))
    yield way, replace(house.people["ada"], app=app)
    with app.app_context():
        db.engine.dispose()
    way.close()


@on_postgresql
@pytest.mark.parametrize("arrives", [True, False], ids=["COMMIT arrived", "COMMIT lost"])
def test_a_connection_lost_during_commit_has_an_unknown_outcome_and_its_key_finds_out(way, ada, arrives):
    way, program = way
    assert names(program) == []
    way.arrives = arrives
    assert is_refused(named(program), "unknown_outcome")
    assert names(ada) == (["Studio"] if arrives else [])
    again = named(program)
    assert (again.status_code, again.headers.get("Idempotency-Replayed")) == (
        201,
        "true" if arrives else None,
    )
    assert names(ada) == ["Studio"]


@on_postgresql
def test_a_page_says_of_an_unknown_outcome_what_a_person_can_do(way):
    way, program = way
    browser = program.browser()
    way.arrives = True
    answer = browser.post("/accounts", data={"name": "Tea", "type": "EXPENSE"})
    assert (answer.status_code, answer.mimetype) == (503, "text/html")
    assert "Load the page again and look" in answer.text
    assert "Nothing was changed" not in answer.text
    assert answer.headers["Retry-After"]


@on_postgresql
def test_the_file_of_a_document_whose_commit_may_have_happened_stays(way, ada):
    way, program = way
    way.arrives = True
    assert is_refused(sent(program), "unknown_outcome")
    document = ada.get("/api/documents").json["documents"][0]
    assert ada.get(f"/api/documents/{document['id']}/file").data == PDF
    assert sent(program).headers["Idempotency-Replayed"] == "true"


def sent(person):
    form = {"data": {"file": (BytesIO(PDF), "bill.pdf")}, "content_type": "multipart/form-data"}
    return person.post("/api/documents", headers=KEY, **form)


@on_postgresql
def test_a_connection_that_the_server_ends_before_the_commit_has_changed_nothing(app, ada, monkeypatch):
    real = projects.create

    def create(*args, **options):
        made = real(*args, **options)
        own = db.session.scalar(sa.text("SELECT pg_backend_pid()"))
        with psycopg.connect(app.config["SETTINGS"].database_url.replace("+psycopg", "")) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", (own,))
        return made

    with monkeypatch.context() as patched:
        patched.setattr(projects, "create", create)
        answer = named(ada)
    assert answer.json["code"] in {"busy", "unknown_outcome"}
    assert is_refused(answer, answer.json["code"])
    assert names(ada) == []
    assert named(ada).status_code == 201


@both
def test_a_transaction_that_the_database_has_ended_is_never_called_stored(app, ada, monkeypatch):
    """What swallows an error of the database would else commit nothing, and answer 201."""
    real = projects.create

    def create(*args, **options):
        made = real(*args, **options)
        driver = db.session.connection().connection.dbapi_connection
        if app.config["SETTINGS"].is_sqlite:
            driver.execute("ROLLBACK")
        else:
            with suppress(psycopg.Error):
                driver.execute("SELECT 1 / 0")
        return made

    with monkeypatch.context() as patched:
        patched.setattr(projects, "create", create)
        assert is_refused(named(ada), "busy")
        assert is_refused(named(ada, key=False), "busy")
    assert names(ada) == []
    assert named(ada).status_code == 201


@both
@pytest.mark.parametrize(
    ("number", "code"),
    [(errno.ENOSPC, "disk_full"), (errno.EDQUOT, "disk_full"), (errno.EIO, "busy"), (errno.EROFS, "busy")],
    ids=["full", "quota", "broken", "read only"],
)
def test_a_disk_that_takes_no_file_takes_no_document(ada, monkeypatch, kept_documents, number, code):
    def fail(*_args):
        raise OSError(number, "no")

    with monkeypatch.context() as patched:
        patched.setattr(whole_files.os, "fsync", fail)
        assert is_refused(sent(ada), code)
    assert ada.get("/api/documents").json["documents"] == []
    assert kept_documents() == set()
    assert sent(ada).status_code == 201


@on_sqlite
def test_a_file_that_is_not_settled_after_its_commit_does_not_deny_the_commit(ada, monkeypatch):
    def fail(*_args, **_options):
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr(arriving_files, "_drop", fail)
    assert sent(ada).status_code == 201


@both
def test_a_database_that_is_gone_is_503_on_a_page_and_in_the_interface(app, ada, monkeypatch):
    browser = ada.browser()

    def fail(*_args, **_options):
        raise sa.exc.OperationalError("SELECT", {}, psycopg.OperationalError("gone"))

    monkeypatch.setattr(sa.orm.Session, "connection", fail)
    monkeypatch.setattr(sa.orm.Session, "execute", fail)
    assert is_refused(ada.get("/api/projects"), "busy")
    page = browser.get("/")
    assert (page.status_code, page.mimetype, page.headers["Retry-After"]) == (503, "text/html", "2")
    assert "Nothing was changed" in page.text
