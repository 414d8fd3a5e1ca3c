"""Find bank lines of one day, amount and text by an index, whatever else the account has of that amount."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from webapp.ledger.matching.lines import text_key

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None

INDEX = "ix_transactions_alike"
PORTION = 10_000
NEXT = sa.text(
    "SELECT organization_id, id, description, counterparty FROM transactions WHERE id > :last ORDER BY id LIMIT :most"
)
LINES = sa.table(
    "transactions",
    sa.column("organization_id"),
    sa.column("id"),
    sa.column("text_key"),
)
KEEP = (
    sa.update(LINES)
    .where(
        LINES.c.organization_id == sa.bindparam("its_organization"),
        LINES.c.id == sa.bindparam("its_id"),
    )
    .values(text_key=sa.bindparam("its_key"))
)


def upgrade() -> None:
    op.add_column("transactions", sa.Column("text_key", sa.Integer))
    number_texts(op.get_bind())
    op.create_index(INDEX, "transactions", ["feed_account_id", "booked_on", "amount_minor", "text_key", "id"])


def downgrade() -> None:
    op.drop_index(INDEX, table_name="transactions")
    op.drop_column("transactions", "text_key")


def number_texts(connection: sa.Connection) -> None:
    """Give the lines that are there the keys of their texts."""
    last = 0
    while rows := connection.execute(NEXT, {"last": last, "most": PORTION}).all():
        connection.execute(
            KEEP,
            [
                {
                    "its_organization": row.organization_id,
                    "its_id": row.id,
                    "its_key": text_key(row.description, row.counterparty),
                }
                for row in rows
            ],
        )
        last = rows[-1].id
