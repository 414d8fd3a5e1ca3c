"""Find the items of which something is left in the base as well: what parties have is asked of these few."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None

NAME, COLUMNS = "ix_items_open", ["organization_id", "account_id", "id"]
IN_CURRENCY = "settled_minor <> amount_minor"
IN_EITHER = f"{IN_CURRENCY} OR settled_base_minor <> amount_base_minor"


def upgrade() -> None:
    _keep_open(IN_EITHER)


def downgrade() -> None:
    _keep_open(IN_CURRENCY)


def _keep_open(condition: str) -> None:
    op.drop_index(NAME, "items")
    is_open = sa.text(condition)
    op.create_index(NAME, "items", COLUMNS, sqlite_where=is_open, postgresql_where=is_open)
