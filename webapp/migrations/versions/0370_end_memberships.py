"""Let memberships end with a day, and accountants approve closes."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import is_sqlite

revision = "0370"
down_revision = "0365"
branch_labels = None
depends_on = None

FILE = "0370_members"
ROLES = ("viewer", "bookkeeper", "owner")
LAST_ID = sa.text("SELECT seq FROM sqlite_sequence WHERE name = :table")


def upgrade() -> None:
    allow("memberships", *ROLES, "accountant")
    allow("invitations", *ROLES, "accountant", sqlite_autoincrement=True)
    for table in ("memberships", "invitations"):
        op.add_column(table, sa.Column("ends_on", sa.Date()))
    op.add_column(
        "close_policies",
        sa.Column("lets_accountants", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
    run(FILE)


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    op.drop_column("close_policies", "lets_accountants")
    # Nobody is let in again whose time is over.
    for table in ("memberships", "invitations"):
        op.execute(f"DELETE FROM {table} WHERE ends_on < CURRENT_DATE")  # noqa: S608  (names of ours)
        op.execute(f"UPDATE {table} SET role = 'viewer' WHERE role = 'accountant'")  # noqa: S608
        op.drop_column(table, "ends_on")
    allow("memberships", *ROLES)
    allow("invitations", *ROLES, sqlite_autoincrement=True)


def allow(name: str, *roles: str, **options: bool) -> None:
    """Let a role be one of these; SQLite makes the table anew, which keeps its triggers and its last id."""
    check, listed = f"ck_{name}_role_word", ", ".join(f"'{each}'" for each in roles)
    triggers = triggers_of(name) if is_sqlite() else []
    last = op.get_bind().scalar(LAST_ID, {"table": name}) if options and is_sqlite() else None
    with op.batch_alter_table(name, table_kwargs=options) as table:
        table.drop_constraint(check, type_="check")
        table.create_check_constraint(check, f"role IN ({listed})")
    if options and is_sqlite():
        op.execute(f"DELETE FROM sqlite_sequence WHERE name = '{name}'")  # noqa: S608  (names of ours)
        if last is not None:
            op.execute(f"INSERT INTO sqlite_sequence (name, seq) VALUES ('{name}', {last})")  # noqa: S608
    for trigger in triggers:
        op.execute(sa.text(trigger.replace(":", "\\:")))


def triggers_of(table: str) -> list[str]:
    """Read how the triggers of a table are made, on SQLite."""
    asked = sa.text(
        "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = :table ORDER BY name"
    )
    return list(op.get_bind().scalars(asked, {"table": table}))
