"""Let a rule store which open item it lets a line pay."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None

TABLE = "rule_settings"
NAME = "ck_rule_settings_kind_word"
BEFORE = ("SET_CURRENCY", "SET_ACCOUNT", "SET_MERCHANT", "SET_PROJECT")
SETTLE = "SETTLE_BY_REFERENCE"


def upgrade() -> None:
    change_kinds((*BEFORE, SETTLE), 16, 20)


def downgrade() -> None:
    settings = sa.table(TABLE, sa.column("kind", sa.String))
    op.execute(sa.delete(settings).where(settings.c.kind == SETTLE))
    change_kinds(BEFORE, 20, 16)


def change_kinds(kinds: tuple[str, ...], from_length: int, to_length: int) -> None:
    """Change the words that the kind of a setting may be."""
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    with op.batch_alter_table(TABLE, table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_constraint(op.f(NAME), type_="check")
        batch.alter_column(
            "kind", existing_type=sa.String(length=from_length), type_=sa.String(length=to_length)
        )
        batch.create_check_constraint(op.f(NAME), f"kind IN ({listed})")
