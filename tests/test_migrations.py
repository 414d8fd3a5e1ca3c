"""Migrations run both ways on both databases, end where the models are, and may be killed at any step."""

import re
import signal
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path

import pysqlite3
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from webapp.database.sessions import Base, prepare_engine
from webapp.migrations.revisions import VERSIONS, current_revision, head_revision
from webapp.migrations.shapes import ORGANIZATION, SECRETS, shaped
from webapp.migrations.statements import FOLDER
from webapp.migrations.upgrades import downgrade, upgrade
from webapp.models.base import Organized

pytestmark = pytest.mark.operates

SQL = sorted(FOLDER.rglob("*.sql"))
DIGESTS = Path("tests/migrations.sha256")
POLICIES = sa.text("""
    SELECT c.relname AS table, c.relrowsecurity AND c.relforcerowsecurity AS is_forced, count(*) AS policies,
        min(substring(pg_get_expr(p.polqual, c.oid) FROM '^\\(\\(?(\\w+)'))
            FILTER (WHERE p.polname = 'of_organization') AS column
    FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid GROUP BY c.oid, c.relname""")
# Its last argument is the beginning of a statement; that statement is the last one.
KILLED = """
import os, signal, sys
import sqlalchemy as sa
from tests.test_migrations import engine_on
from webapp.migrations import upgrades
from webapp.database.tenancy import maintenance
url, way, last = sys.argv[1:]
engine = engine_on(url)
@sa.event.listens_for(engine, "after_cursor_execute")
def kill(connection, cursor, statement, *_):
    if last in statement:
        os.kill(os.getpid(), signal.SIGKILL)
with maintenance():
    getattr(upgrades, way)(engine)
"""
# An INSERT without its columns, and a SELECT of all; rows of functions are read by the names of their columns.
BY_ORDER = re.compile(
    r"INSERT (?:OR \w+ )?INTO \S+\s+(?:VALUES|SELECT|WITH)\b[^\n]*"
    r"|(?:SELECT|RETURNING) \*(?! FROM \w+_of_person\()[^\n]*"
)


@pytest.fixture
def engine(empty_database_url):
    engine = engine_on(empty_database_url)
    yield engine
    engine.dispose()


def engine_on(url):
    """Make an engine as the application does."""
    engine = sa.create_engine(url, **({"module": pysqlite3} if url.startswith("sqlite") else {}))
    prepare_engine(engine)
    return engine


def is_of_models(name, kind, _parents):
    own = ("line_words", "ix_transactions_words", "document_texts", "ix_documents_texts")
    return not (kind in {"table", "index"} and name.startswith(own))


def differences(engine):
    with engine.connect() as connection:
        opts = {"compare_type": True, "include_name": is_of_models}
        context = MigrationContext.configure(connection, opts=opts)
        return compare_metadata(context, shaped(Base.metadata, engine.name))


def test_migrations_end_where_the_models_are(engine):
    upgrade(engine)
    assert current_revision(engine) == head_revision()
    assert differences(engine) == []


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_indexes_of_some_rows_have_the_conditions_of_the_models(engine):
    """SQLite takes such an index only for a condition in the same words."""
    upgrade(engine)
    inspector = sa.inspect(engine)
    found = {
        each["name"]: str(each["dialect_options"].get("sqlite_where"))
        for name in inspector.get_table_names()
        for each in inspector.get_indexes(name)
    }
    conditions = {
        each.name: str(each.dialect_options["sqlite"]["where"])
        for table in Base.metadata.sorted_tables
        for each in table.indexes
    }
    assert {name: found[name] for name in conditions} == conditions


def test_the_revision_that_is_expected_is_that_of_the_last_step():
    assert head_revision() == ScriptDirectory(VERSIONS.parent).get_current_head()


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


def test_every_table_with_an_organization_is_apart_on_postgresql(engine):
    """The application sees the rows of one organization, the owner of the tables those of all."""
    upgrade(engine)
    if engine.name == "sqlite":
        return
    expected = {("organizations", "id")}
    expected |= {(each.name, ORGANIZATION) for each in Base.metadata.sorted_tables if ORGANIZATION in each.c}
    with engine.connect() as connection:
        found = connection.execute(POLICIES).all()
    assert {(each.table, each.column) for each in found} == expected
    assert all(each.is_forced and each.policies == 2 for each in found)


@pytest.mark.parametrize("statement", ["CREATE TABLE postings", "INSERT INTO alembic_version"])
def test_a_migration_that_is_killed_changes_nothing_and_runs_again(engine, statement):
    killed(engine, "upgrade", statement)
    assert set(sa.inspect(engine).get_table_names()) == set()
    upgrade(engine)
    assert differences(engine) == []


def test_a_way_back_that_is_killed_changes_nothing_and_runs_again(engine):
    upgrade(engine)
    killed(engine, "downgrade", "DROP TABLE organizations")
    assert current_revision(engine) == head_revision()
    assert differences(engine) == []
    downgrade(engine)
    assert set(sa.inspect(engine).get_table_names()) == {"alembic_version"}


def killed(engine, way, statement):
    url = engine.url.render_as_string(hide_password=False)
    run = subprocess.run([sys.executable, "-c", KILLED, url, way, statement], check=False)  # noqa: S603  (our own program)
    assert run.returncode == -signal.SIGKILL


def test_files_of_sql_are_never_edited():
    """Books that are migrated have them as they were: a change is a new file of a new revision."""
    listed = [line.split() for line in DIGESTS.read_text().splitlines()]
    found = {str(path.relative_to(FOLDER)): sha256(path.read_bytes()).hexdigest() for path in SQL}
    assert found == {name: digest for digest, name in listed}


def test_files_of_sql_are_in_the_package():
    patterns = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert patterns["webapp"] == ["**/*"]


def test_no_statement_relies_on_the_order_of_columns():
    """Older books have them in another order: what is written names them, and what is read is found by its name."""
    texts = {
        path: path.read_text()
        for top in ("webapp", "benchmarks")
        for path in Path(top).rglob("*.*")
        if path.suffix in {".py", ".sql"}
    }
    assert len(texts) > len(SQL) + 100
    assert [(path, found) for path, text in texts.items() for found in BY_ORDER.findall(text)] == []


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_every_key_on_postgresql_carries_the_organization(session):
    """A table can only be spread over nodes by the organization where each key and foreign key has it."""
    inspector = sa.inspect(session.connection())
    shape = shaped(Base.metadata, "postgresql")
    for table in Base.metadata.sorted_tables:
        name, primary = table.name, inspector.get_pk_constraint(table.name)["constrained_columns"]
        assert set(primary) == set(shape.tables[name].primary_key.columns.keys()), name
        if "organization_id" in table.columns:
            # A unique constraint is among the unique indexes.
            unique = [each["column_names"] for each in inspector.get_indexes(name) if each["unique"]]
            first = {columns[0] for columns in (primary, *unique)}
            secrets = {columns[0] for columns in (primary, *unique) if columns[1:] == ["organization_id"]}
            assert first - secrets <= {"organization_id"}, name
            assert secrets <= SECRETS, name
            for key in inspector.get_foreign_keys(name):
                pair = (key["constrained_columns"][0], key["referred_table"])
                assert pair[0] == "organization_id" or pair == ("user_id", "users"), (name, pair)


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_a_session_knows_a_row_by_what_postgresql_finds_it_by(session):
    shape = shaped(Base.metadata, session.connection().engine.name)
    for mapper in Base.registry.mappers:
        if issubclass(mapper.class_, Organized):
            keyed = {column.name for column in mapper.primary_key}
            assert keyed == set(shape.tables[mapper.local_table.name].primary_key.columns.keys()), mapper
