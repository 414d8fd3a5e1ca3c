"""Let memberships end with a day, and accountants approve closes."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import changed, is_sqlite

revision = "0370"
down_revision = "0365"
branch_labels = None
depends_on = None

FILE = "0370_members"
ROLES = ("viewer", "bookkeeper", "owner")


def upgrade() -> None:
    allow("memberships", *ROLES, "accountant")
    allow("invitations", *ROLES, "accountant", is_numbered=True)
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
    allow("invitations", *ROLES, is_numbered=True)


def allow(name: str, *roles: str, is_numbered: bool = False) -> None:
    """Let a role be one of these."""
    check, listed = f"ck_{name}_role_word", ", ".join(f"'{each}'" for each in roles)
    with changed(name, is_numbered=is_numbered) as table:
        table.drop_constraint(check, type_="check")
        table.create_check_constraint(check, f"role IN ({listed})")
