"""Keep the document of a proof, which is long, behind its other columns."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.tables import is_sqlite

revision = "0384"
down_revision = "0375"
branch_labels = None
depends_on = None

TABLE = "reconciliations"


def upgrade() -> None:
    # SQLite reads through a long text to a column behind it; PostgreSQL keeps such texts apart.
    if is_sqlite():
        move_last("left_open", sa.JSON())
        move_last("frozen", sa.Text())


def downgrade() -> None:
    # Nothing asks for the order of columns.
    pass


def move_last(name: str, kind: sa.types.TypeEngine[object]) -> None:
    """Move a column behind the others, which is no change of the rows for the triggers that note those."""
    connection = op.get_bind()
    made = sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = :table")
    triggers = connection.execute(made, {"table": TABLE}).all()
    for trigger, _ in triggers:
        op.execute(f"DROP TRIGGER {trigger}")
    op.add_column(TABLE, sa.Column("moved", kind))
    op.execute(f"UPDATE {TABLE} SET moved = {name}")  # noqa: S608  (names of ours)
    op.drop_column(TABLE, name)
    op.execute(f"ALTER TABLE {TABLE} RENAME COLUMN moved TO {name}")
    for _, text in triggers:
        connection.exec_driver_sql(text)
