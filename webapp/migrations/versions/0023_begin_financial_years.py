"""Let the financial year begin with another month, and let the books find the account of retained earnings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

# The account that the books came with, or one that has its name; the first of these by its id.
GIVE_THE_ROLE = """
    UPDATE accounts SET role = 'retained_earnings', is_archived = :no
    WHERE id IN (
        SELECT min(a.id) FROM accounts a
        WHERE a.type = 'EQUITY' AND a.role IS NULL AND lower(a.name) = 'retained earnings'
        GROUP BY a.organization_id
    )
"""
ADD_THE_MISSING = """
    INSERT INTO accounts (organization_id, code, name, type, emoji, in_scope, requires_counterparty, is_watched,
                          is_archived, role, created_at, updated_at)
    SELECT o.id,
           CASE WHEN EXISTS (SELECT 1 FROM accounts a WHERE a.organization_id = o.id AND a.code = '3300')
                THEN NULL ELSE '3300' END,
           'Retained earnings', 'EQUITY', '📚', :yes, :no, :no, :no, 'retained_earnings', o.created_at, o.created_at
    FROM organizations o
    WHERE NOT EXISTS (
        SELECT 1 FROM accounts a WHERE a.organization_id = o.id AND a.role = 'retained_earnings'
    )
"""


def upgrade() -> None:
    op.create_table(
        "financial_years",
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("first_month", sa.Integer(), nullable=False),
        sa.CheckConstraint("first_month BETWEEN 1 AND 12", name="ck_financial_years_first_month"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_financial_years_organization_id"
        ),
        sa.PrimaryKeyConstraint("organization_id", "starts_on", name="pk_financial_years"),
        sqlite_with_rowid=False,
    )
    for statement in (GIVE_THE_ROLE, ADD_THE_MISSING):
        op.get_bind().execute(
            sa.text(statement), {"yes": True, "no": False} if "yes" in statement else {"no": False}
        )


def downgrade() -> None:
    op.execute("UPDATE accounts SET role = NULL WHERE role = 'retained_earnings'")
    op.drop_table("financial_years")
