"""Statistics of PostgreSQL's planner: new with a bulk write, in its transaction; left alone by small ones."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from webapp import postgresql
from webapp.db import begin_write, db
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
