"""Migrations run both ways on both databases, and end where the models are."""

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from tests.api.test_imports import MARCH, counted, imported
from tests.ofx_statements import Line, bank_file
from webapp.db import Base, prepare_engine
from webapp.migrations import current_revision, downgrade, head_revision, upgrade


@pytest.fixture
def engine(empty_database_url):
    """An engine on a database that has no tables yet."""
    options = {}
    if empty_database_url.startswith("sqlite"):
        import pysqlite3  # noqa: PLC0415  (as the application does)

        options["module"] = pysqlite3
    engine = sa.create_engine(empty_database_url, **options)
    prepare_engine(engine)
    yield engine
    engine.dispose()


def differences(engine):
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return compare_metadata(context, Base.metadata)


def test_migrations_end_where_the_models_are(engine):
    upgrade(engine)
    assert current_revision(engine) == head_revision()
    assert differences(engine) == []


def test_migrations_run_both_ways(engine):
    upgrade(engine)
    downgrade(engine)
    assert set(sa.inspect(engine).get_table_names()) == {"alembic_version"}
    upgrade(engine)
    assert differences(engine) == []


def test_migrating_books_that_are_up_to_date_changes_nothing(engine):
    upgrade(engine)
    upgrade(engine)
    assert current_revision(engine) == head_revision()


def test_a_database_without_tables_has_no_revision(engine):
    assert current_revision(engine) is None


def test_keys_of_lines_are_written_short_and_whole_again(ben, session):
    imported(ben, bank_file(*MARCH[:2], Line("2026-03-05", "-3.00", pending=True)))
    engine = session.get_bind()
    before = keys(session)
    session.rollback()
    session.close()
    downgrade(engine, "0006")
    whole = keys(session)
    assert {len(key) for key in whole} == {64}
    session.rollback()
    upgrade(engine)
    assert keys(session) == before
    assert counted(imported(ben, bank_file(*MARCH[:2]))) == [(0, 2, 0, 0)]


def keys(session):
    return session.scalars(sa.text("SELECT line_key FROM transactions ORDER BY id")).all()
