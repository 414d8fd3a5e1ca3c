"""Keep with each linked transfer the part of a line that it is, and what its difference was called."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

# The account that the books came with, or one that has its name; the first of these by its id.
GIVE_THE_ROLE = """
    UPDATE accounts SET role = 'bank_charges', is_archived = :no
    WHERE id IN (
        SELECT min(a.id) FROM accounts a
        WHERE a.type = 'EXPENSE' AND a.role IS NULL AND lower(a.name) = 'bank charges'
        GROUP BY a.organization_id
    )
"""
ADD_THE_MISSING = """
    INSERT INTO accounts (organization_id, code, name, type, emoji, in_scope, requires_counterparty, is_watched,
                          is_revalued, is_archived, role, created_at, updated_at)
    SELECT o.id,
           CASE WHEN EXISTS (SELECT 1 FROM accounts a WHERE a.organization_id = o.id AND a.code = '7000')
                THEN NULL ELSE '7000' END,
           'Bank charges', 'EXPENSE', '🏧', :yes, :no, :no, :no, :no, 'bank_charges', o.created_at, o.created_at
    FROM organizations o
    WHERE NOT EXISTS (SELECT 1 FROM accounts a WHERE a.organization_id = o.id AND a.role = 'bank_charges')
"""


def upgrade() -> None:
    with op.batch_alter_table("transfer_pairs") as batch:
        batch.add_column(sa.Column("part_minor", sa.BigInteger(), nullable=True))
        batch.add_column(sa.Column("difference", sa.String(length=8), nullable=True))
        batch.create_check_constraint(
            op.f("ck_transfer_pairs_difference_word"), "difference IN ('FEE', 'EXCHANGE')"
        )
    bind = op.get_bind()
    bind.execute(sa.text(GIVE_THE_ROLE), {"no": False})
    bind.execute(sa.text(ADD_THE_MISSING), {"yes": True, "no": False})


def downgrade() -> None:
    op.execute("UPDATE accounts SET role = NULL WHERE role = 'bank_charges'")
    with op.batch_alter_table("transfer_pairs") as batch:
        batch.drop_constraint(op.f("ck_transfer_pairs_difference_word"), type_="check")
        batch.drop_column("difference")
        batch.drop_column("part_minor")
