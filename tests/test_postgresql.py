"""PostgreSQL's planner: its statistics are new with a bulk write, in its transaction; plans of reads are kept."""

import time
from datetime import UTC, date, datetime
from decimal import Decimal

import psycopg
import pytest
import sqlalchemy as sa

from webapp.database import messages, postgresql
from webapp.database.messages import Planning
from webapp.database.sessions import begin_write, db
from webapp.models import Project
from webapp.snapshots import read_snapshots

pytestmark = pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
NOW = datetime(2026, 11, 1, tzinfo=UTC)
KNOWN_ACCOUNTS = sa.text("SELECT reltuples FROM pg_class WHERE oid = 'accounts'::regclass")
KNOWN = sa.text("SELECT reltuples FROM pg_class WHERE oid = 'projects'::regclass")


def write(organization_id, count, name):
    db.session.execute(
        sa.insert(Project),
        [
            {
                "organization_id": organization_id,
                "name": f"{name} {number}",
                "created_at": NOW,
                "updated_at": NOW,
            }
            for number in range(count)
        ],
    )


def test_a_bulk_write_leaves_the_planner_knowing_it(session, ada, monkeypatch):
    monkeypatch.setattr(postgresql, "BULK_ROWS", 40)
    before = session.scalar(KNOWN)
    session.rollback()
    begin_write(ada.organization_id)
    write(ada.organization_id, 20, "Few")
    session.commit()
    assert session.scalar(KNOWN) == before
    session.rollback()
    begin_write(ada.organization_id)
    write(ada.organization_id, 60, "Many")
    session.commit()
    assert session.scalar(KNOWN) >= 80
    # Small tables too, if they had no rows when they were looked at last.
    assert session.scalar(KNOWN_ACCOUNTS) > 0


def test_what_is_taken_back_costs_nothing_and_is_counted_nowhere(session, ada, monkeypatch):
    monkeypatch.setattr(postgresql, "BULK_ROWS", 40)
    begin_write(ada.organization_id)
    write(ada.organization_id, 60, "Many")
    session.rollback()
    before = session.scalar(KNOWN)
    session.commit()
    assert session.scalar(KNOWN) == before


def test_a_bulk_write_waits_for_nobody_who_looks_at_the_same_table(session, ada, monkeypatch):
    """A second transaction holds the lock that ANALYZE needs; the write is committed all the same."""
    monkeypatch.setattr(postgresql, "BULK_ROWS", 40)
    begin_write(ada.organization_id)
    write(ada.organization_id, 60, "Many")
    with db.engine.connect() as other:
        other.exec_driver_sql("LOCK TABLE projects IN SHARE UPDATE EXCLUSIVE MODE")
        session.commit()
    assert session.scalar(sa.select(sa.func.count()).select_from(Project)) >= 60


def plans_kept(app, word):
    """Give how often a statement with a word in it was planned on its own, and how often answered by a kept plan."""
    with app.app_context():
        connection = db.engine.raw_connection()
        found = connection.dbapi_connection.execute(
            "SELECT sum(custom_plans), sum(generic_plans) FROM pg_prepared_statements WHERE statement LIKE %s",
            [f"%{word}%"],
        ).fetchone()
        connection.close()
    return found


def test_plans_of_what_is_asked_again_are_kept(app, ada, bank):
    bank.send_many([("2026-03-01", "-1.50", "Shop")])
    line = ada.get("/api/transactions").json["transactions"][0]["id"]
    ada.post(f"/api/transactions/{line}/confirm")
    entry = ada.get("/api/journal-entries").json["entries"][0]["id"]
    for _ in range(20):
        # Who asks the second one is looked up each time.
        assert ada.get(f"/api/journal-entries/{entry}").status_code == 200
        assert ada.get("/api/projects").status_code == 200
    # Five times with a plan of its own, and then by the one that is kept.
    for word in ("FROM api_tokens t", "WITH asked AS"):
        custom, generic = plans_kept(app, word)
        assert (custom, generic >= 10) == (5, True), word
    assert plans_kept(app, "FROM month_sums") == (None, None)


def test_what_was_read_is_answered_though_the_connection_is_lost_before_its_end(app, ada):
    with app.app_context():
        held = read_snapshots.begin(ada.organization_id)
        ((process,),) = held.rows("SELECT pg_backend_pid()", {})
        with db.engine.connect() as other:
            assert other.scalar(sa.text("SELECT pg_terminate_backend(:process, 5000)"), {"process": process})
        read_snapshots.end()
    assert ada.get("/api/accounts").status_code == 200


def test_a_connection_that_the_server_closed_in_the_pool_is_not_used(app, ada):
    with app.app_context():
        db.engine.dispose()
        with db.engine.connect() as connection:
            process = connection.scalar(sa.text("SELECT pg_backend_pid()"))
        with db.engine.connect() as first, db.engine.connect() as other:
            assert first.scalar(sa.text("SELECT pg_backend_pid()")) == process
            first.rollback()
            first.close()
            assert other.scalar(sa.text("SELECT pg_terminate_backend(:process, 5000)"), {"process": process})
        for _ in range(3):
            assert ada.get("/api/reconciliations/accounts").status_code == 200
            assert ada.post("/api/projects/1/close").status_code == 404


@pytest.mark.parametrize("rests", [0, messages.REST_SECONDS + 1])
def test_a_connection_that_rested_is_asked_before_it_is_used(app, ada, monkeypatch, rests):
    """One whose other end has vanished says nothing: here the driver fails as it does then."""
    with app.app_context():
        db.engine.dispose()
        with db.engine.connect() as connection:
            lost = connection.connection.dbapi_connection
            kept = connection.info["messages"]
        monkeypatch.setattr(kept, "_used_at", time.monotonic() - rests)
        monkeypatch.setattr(kept, "ask", failing)
        with db.engine.connect() as connection:
            assert (connection.connection.dbapi_connection is lost) == (rests == 0)


def failing(_statements):
    raise psycopg.OperationalError


VALUES = [
    "it's",
    "back\\slash'",
    '"',
    "%(id)s %s %",
    "; SELECT 1",
    "über",
    -5,
    0,
    True,
    None,
    Decimal("-1.50"),
    date(2026, 3, 1),
]


KINDS = {
    str: "text",
    int: "bigint",
    bool: "boolean",
    Decimal: "numeric",
    date: "date",
    list: "bigint[]",
    bytes: "bytea",
    datetime: "timestamptz",
}


@pytest.mark.parametrize("planning", Planning)
def test_values_in_a_message_are_what_they_were(app, planning):
    with app.app_context(), db.engine.connect() as connection:
        said = connection.info["messages"]
        for value in [*VALUES, [1, 2], []]:
            text = f"SELECT CAST(%(value)s AS {KINDS.get(type(value), 'text')}), '5%%'"
            asked = said.written(text, {"value": value}, planning)
            assert said.ask(asked) == [[(value, "5%")]]
        with pytest.raises(psycopg.DataError):
            said.written("SELECT %(value)s", {"value": "nul\0"})


def test_values_beside_a_message_are_what_they_were(app):
    with app.app_context(), db.engine.connect() as connection:
        said = connection.info["messages"]
        for value in [*VALUES, [1, 2], [], b"nul\0 and \xff", b"", NOW]:
            kind = KINDS.get(type(value), "text")
            text = f"SELECT CAST(%(value)s AS {kind}), '5%%', %(other)s::text, CAST(%(value)s AS {kind})"
            answer = said.change(text, {"value": value, "other": "b"})
            assert answer.rows == [(value, "5%", "b", value)]
            assert (answer.rowcount, answer.statusmessage) == (1, "SELECT 1")
        with pytest.raises(psycopg.DataError):
            said.change("SELECT %(value)s::text", {"value": "nul\0"})


def test_a_change_that_fails_is_the_error_of_its_statement_and_can_be_made_again(app):
    with app.app_context(), db.engine.connect() as connection:
        said = connection.info["messages"]
        for _ in range(2):
            with pytest.raises(psycopg.errors.DivisionByZero):
                said.change("SELECT 1 / CAST(%(by)s AS integer)", {"by": 0})
            connection.rollback()
            assert said.change("SELECT 1 / CAST(%(by)s AS integer)", {"by": 1}).rows == [(1,)]


def test_what_fails_in_a_message_is_the_error_of_its_statement(app):
    with app.app_context(), db.engine.connect() as connection:
        said = connection.info["messages"]
        with pytest.raises(psycopg.errors.DivisionByZero):
            said.ask(["BEGIN", "SELECT 1", "SELECT 1 / 0", "SELECT 2"])
        said.end()
        assert said.is_there()
        assert said.ask(["SELECT 3"]) == [[(3,)]]
