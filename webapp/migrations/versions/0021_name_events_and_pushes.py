"""Name the events and pushes of feeds, and the original currency of documents and their fields that were set by hand."""

from __future__ import annotations

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

COLUMNS = (
    ("feed_lines", "said", "event"),
    ("documents", "given_currency", "original_currency"),
    ("documents", "chosen", "set_by_hand"),
    ("feed_accounts", "refused_batches", "refused_pushes"),
)
PUSHES = ("feed_batches", "feed_pushes")
EVENT = ("ck_feed_lines_said_word", "ck_feed_lines_event_word")


def upgrade() -> None:
    for table, before, after in COLUMNS:
        rename_column(table, before, after)
    rename_constraints("feed_lines", *EVENT)
    rename_table(*PUSHES)


def downgrade() -> None:
    rename_table(*reversed(PUSHES))
    rename_constraints("feed_lines", *reversed(EVENT))
    for table, before, after in reversed(COLUMNS):
        rename_column(table, after, before)


def rename_column(table: str, before: str, after: str) -> None:
    # Alembic would make SQLite's table anew, and lose that feed_lines has no row ids.
    op.execute(f"ALTER TABLE {table} RENAME COLUMN {before} TO {after}")


def rename_table(before: str, after: str) -> None:
    """Rename a table with its constraints, its indexes and what it counts its ids by."""
    op.execute(f"ALTER TABLE {before} RENAME TO {after}")
    rename_constraints(after, before, after)
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"ALTER SEQUENCE {before}_id_seq RENAME TO {after}_id_seq")


def rename_constraints(table: str, before: str, after: str) -> None:
    """Rename a table's constraints whose names contain a text."""
    if op.get_bind().dialect.name == "sqlite":
        make_anew(table, before, after)
        return
    names = op.get_bind().exec_driver_sql(
        "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass ORDER BY conname", (table,)
    )
    for name in [each for each in names.scalars() if before in each]:
        op.execute(f'ALTER TABLE {table} RENAME CONSTRAINT "{name}" TO "{name.replace(before, after)}"')


def make_anew(table: str, before: str, after: str) -> None:
    """Copy a table of SQLite into one with other names of its constraints, which only its own statement holds."""
    bind = op.get_bind()
    made_by = bind.exec_driver_sql("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).scalar_one()
    indexes = bind.exec_driver_sql(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", (table,)
    )
    indexes_made_by = list(indexes.scalars())
    last = bind.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).scalar()
    bind.exec_driver_sql(f"ALTER TABLE {table} RENAME TO {table}_before")
    bind.exec_driver_sql(made_by.replace(before, after))
    bind.exec_driver_sql(f"INSERT INTO {table} SELECT * FROM {table}_before")  # noqa: S608  (names of ours)
    bind.exec_driver_sql(f"DROP TABLE {table}_before")
    bind.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    if last is not None:
        bind.exec_driver_sql("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))
    for index in indexes_made_by:
        bind.exec_driver_sql(index)
