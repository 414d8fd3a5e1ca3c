"""The demo's books, to be changed past the application."""

from contextlib import closing

import psycopg
import pysqlite3
import pytest
import sqlalchemy as sa

from tests.fixtures.demos import Kept
from webapp.queries import checks

# Every statement that takes from a table what would refuse a row; PostgreSQL writes them itself.
LOOSENING = """
    SELECT format('ALTER TABLE %%s DROP CONSTRAINT IF EXISTS %%I CASCADE', conrelid::regclass, conname)
    FROM pg_constraint
    WHERE conrelid = %(table)s::regclass AND contype NOT IN ('p', 'n')
    UNION ALL
    SELECT format('DROP INDEX IF EXISTS %%s', indexrelid::regclass) FROM pg_index
    WHERE indrelid = %(table)s::regclass AND indisunique AND NOT indisprimary
    UNION ALL
    SELECT format('ALTER TABLE %%s ALTER COLUMN %%I DROP NOT NULL', attrelid::regclass, attname) FROM pg_attribute
    WHERE attrelid = %(table)s::regclass AND attnum > 0 AND attnotnull
        AND attnum <> ALL (SELECT unnest(indkey) FROM pg_index WHERE indrelid = attrelid AND indisprimary)"""


class Copy:
    """Kept books on one kind of database, as often anew as one wants to damage them."""

    def __init__(self, kept):
        self._house, self._books = kept.house, kept
        self.refresh = kept.refresh

    def restore(self, backup):
        self._books.restore(backup)

    def damage(self, statement, loosened=None):
        """Run a statement as somebody would who reached around the application, triggers and all."""
        with closing(self._connect()) as connection:
            if loosened:
                self._loosen(connection, loosened)
            connection.execute(statement)
            connection.commit()

    def ask(self, question):
        with self._house.app.app_context():
            return question()

    def found(self):
        return self.ask(lambda: {violation.code for violation in checks.violations()})

    @property
    def is_sqlite(self):
        return self._house.settings.is_sqlite

    def _connect(self):
        url = sa.make_url(self._house.settings.database_url)
        if self.is_sqlite:
            connection = pysqlite3.connect(url.database)
            triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for (name,) in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            return connection
        connection = psycopg.connect(url.set(drivername="postgresql").render_as_string(hide_password=False))
        connection.execute("SET session_replication_role = replica")
        return connection

    def _loosen(self, connection, table):
        """Leave a table its rows and take everything from it that would refuse one."""
        if self.is_sqlite:
            connection.execute("PRAGMA legacy_alter_table = ON")
            connection.execute(f"CREATE TABLE loosened AS SELECT * FROM {table}")  # noqa: S608
            connection.execute(f"DROP TABLE {table}")
            connection.execute(f"ALTER TABLE loosened RENAME TO {table}")
            return
        for (change,) in connection.execute(LOOSENING, {"table": table}).fetchall():
            connection.execute(change)


def copy_of(house):
    """Keep the books that the application has, to damage them."""
    house.leave()
    house.store.copy("books", "kept")
    return Copy(Kept(house, "kept"))


@pytest.fixture
def copy(demo_books, monkeypatch):
    """The demo's books, which a test damages anew; PostgreSQL is checked as where it has nodes."""
    copy = Copy(demo_books)
    monkeypatch.setattr(checks, "is_distributed", lambda _connection: not copy.is_sqlite)
    return copy


@pytest.fixture
def backups_by_turn(portion, tmp_path):
    """Name a file for each round of changes, or None where the round restores no backup in this turn."""
    chosen = set(portion(3, range(100)))
    return (tmp_path / f"{each}.zip" if each in chosen else None for each in range(100))
