"""PostgreSQL's planner: its statistics are new with a bulk write, in its transaction; plans of reads are kept."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from webapp import postgresql
from webapp.db import begin_write, db
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
            prepare=False,
        ).fetchone()
        connection.close()
    return found


def test_plans_of_what_is_asked_again_are_kept(app, ada, bank):
    bank.send_many([("2026-03-01", "-1.50", "Shop")])
    line = ada.get("/api/transactions").json["transactions"][0]["id"]
    ada.post(f"/api/transactions/{line}/confirm")
    entry = ada.get("/api/journal-entries").json["entries"][0]["id"]
    for _ in range(20):
        assert ada.get(f"/api/journal-entries/{entry}").status_code == 200
    # Five times with a plan of its own, and then by the one that is kept.
    for word in ("FROM api_tokens t", "WITH asked AS"):
        custom, generic = plans_kept(app, word)
        assert (custom, generic >= 10) == (5, True), word
    assert plans_kept(app, "FROM month_sums") == (None, None)


def test_what_was_read_is_answered_though_the_connection_is_lost_before_its_end(app, ada):
    with app.app_context():
        held = read_snapshots.begin(ada.organization_id)
        process = held.connection.dbapi_connection.info.backend_pid
        with db.engine.connect() as other:
            assert other.scalar(sa.text("SELECT pg_terminate_backend(:process, 5000)"), {"process": process})
        read_snapshots.end()
    assert ada.get("/api/accounts").status_code == 200
