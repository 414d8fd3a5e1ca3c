"""Let each account say whether it is revalued: money, claims and debts are, other things keep their rates."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0023"
branch_labels = None
depends_on = None

# The accounts of banks, debts, and the assets that are in one currency or named as the default chart names its claims.
REVALUE = """
    UPDATE accounts SET is_revalued = :yes
    WHERE id IN (SELECT f.account_id FROM feed_accounts f WHERE f.organization_id = accounts.organization_id)
       OR (role IS NULL AND type = 'LIABILITY' AND lower(name) NOT LIKE '%deferred%')
       OR (role IS NULL AND type = 'ASSET'
           AND (currency IS NOT NULL OR lower(name) LIKE '%receivable%' OR lower(name) LIKE '%loan%'
                OR lower(name) LIKE '%cash%'))
"""


def upgrade() -> None:
    op.add_column(
        "accounts", sa.Column("is_revalued", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.get_bind().execute(sa.text(REVALUE), {"yes": True})


def downgrade() -> None:
    op.drop_column("accounts", "is_revalued")
