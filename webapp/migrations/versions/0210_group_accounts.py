"""Group accounts for the subtotals of statements, and keep how assets were disposed of."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.tables import BIG

revision = "0210"
down_revision = "0175"
branch_labels = None
depends_on = None

ACCOUNTS = sa.table(
    "accounts",
    sa.column("organization_id"),
    sa.column("id"),
    sa.column("type"),
    sa.column("group"),
)
FEED_ACCOUNTS = sa.table("feed_accounts", sa.column("organization_id"), sa.column("account_id"))


OF_DISPOSALS = ("asset_account_id", "disposal_entry_id", "sale_entry_id")


def upgrade() -> None:
    for name in OF_DISPOSALS:
        op.add_column("schedules", sa.Column(name, BIG))
    op.add_column("schedules", sa.Column("disposed_on", sa.Date()))
    op.add_column("accounts", sa.Column("group", sa.String(32)))
    is_of_bank = sa.exists().where(
        FEED_ACCOUNTS.c.organization_id == ACCOUNTS.c.organization_id,
        FEED_ACCOUNTS.c.account_id == ACCOUNTS.c.id,
    )
    op.execute(sa.update(ACCOUNTS).where(ACCOUNTS.c.type == "ASSET", is_of_bank).values(group="BANK"))


def downgrade() -> None:
    for name in (*OF_DISPOSALS, "disposed_on"):
        op.drop_column("schedules", name)
    op.drop_column("accounts", "group")
