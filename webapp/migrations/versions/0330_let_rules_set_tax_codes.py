"""Let rules set tax codes."""

from alembic import op

from webapp.migrations.tables import changed

revision = "0330"
down_revision = "0310"
branch_labels = None
depends_on = None

TABLE = "rule_settings"
CHECK = f"ck_{TABLE}_kind_word"
KINDS = ("SET_CURRENCY", "SET_ACCOUNT", "SET_MERCHANT", "SET_PROJECT", "SETTLE_BY_REFERENCE")


def upgrade() -> None:
    allow(*KINDS, "SET_TAX_CODE")


def downgrade() -> None:
    op.execute("DELETE FROM rule_settings WHERE kind = 'SET_TAX_CODE'")
    allow(*KINDS)


def allow(*kinds: str) -> None:
    """Let a setting be of these kinds."""
    listed = ", ".join(f"'{each}'" for each in kinds)
    with changed(TABLE, is_numbered=True) as table:
        table.drop_constraint(CHECK, type_="check")
        table.create_check_constraint(CHECK, f"kind IN ({listed})")
