"""Keep the count of unconfirmed lines with the sums of months."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import BIG, is_sqlite

revision = "0083"
down_revision = "0082"
branch_labels = None
depends_on = None

FILE = "0083_unconfirmed"
# A marker stands for the entry that it corrects. SQLite would join by reading all entries for each line.
FILL = """
    UPDATE line_month_sums SET unconfirmed_count = counted.lines
    FROM (
        SELECT t.organization_id, t.feed_account_id, {month} AS day, count(*) AS lines
        FROM transactions t
        WHERE t.status = 'BOOKED'
            AND (t.organization_id, t.journal_entry_id) IN (
                SELECT d.organization_id, coalesce(d.corrects_id, d.id)
                FROM journal_entries d
                WHERE d.status = 'DRAFT'
            )
        GROUP BY t.organization_id, t.feed_account_id, {month}
    ) counted
    WHERE line_month_sums.organization_id = counted.organization_id
        AND line_month_sums.feed_account_id = counted.feed_account_id AND line_month_sums.day = counted.day"""
MONTHS = {True: "substr(t.booked_on, 1, 8) || '01'", False: "date_trunc('month', t.booked_on)::date"}


def upgrade() -> None:
    op.add_column(
        "line_month_sums",
        sa.Column("unconfirmed_count", BIG, server_default=sa.text("0"), nullable=False),
    )
    op.execute(FILL.format(month=MONTHS[is_sqlite()]))
    run(FILE)


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    op.drop_column("line_month_sums", "unconfirmed_count")
