"""PostgreSQL: its statistics are new with a bulk write, in its transaction; a lost connection is not used."""

import time
from datetime import UTC, datetime

import psycopg
import pytest
import sqlalchemy as sa

from webapp.database import pooling, postgresql
from webapp.database.sessions import begin_write, db
from webapp.models import Project

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


def test_what_was_read_is_answered_though_the_connection_is_lost_before_its_end(app, ada):
    lost = []

    def lose(connection):
        if not lost:
            lost.append(connection.scalar(sa.text("SELECT pg_backend_pid()")))
            with db.engine.connect() as other:
                assert other.scalar(
                    sa.text("SELECT pg_terminate_backend(:process, 5000)"), {"process": lost[0]}
                )

    with app.app_context():
        engine = db.engine
    sa.event.listen(engine, "commit", lose)
    try:
        assert ada.get("/api/accounts").status_code == 200
    finally:
        sa.event.remove(engine, "commit", lose)
    assert lost
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


@pytest.mark.parametrize("rests", [0, pooling.REST_SECONDS + 1])
def test_a_connection_that_rested_is_asked_before_it_is_used(app, ada, monkeypatch, rests):
    """One whose other end has vanished says nothing: here the driver fails as it does then."""
    with app.app_context():
        db.engine.dispose()
        with db.engine.connect() as connection:
            lost, info = connection.connection.dbapi_connection, connection.info
        info["used_at"] = time.monotonic() - rests
        monkeypatch.setattr(lost, "execute", failing)
        with db.engine.connect() as connection:
            assert (connection.connection.dbapi_connection is lost) == (rests == 0)


def failing(_statement):
    raise psycopg.OperationalError
