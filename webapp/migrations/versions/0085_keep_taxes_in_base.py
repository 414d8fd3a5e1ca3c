"""Stop revaluing the tax accounts of the chart: taxes are owed in the base currency."""

import sqlalchemy as sa
from alembic import op

revision = "0085"
down_revision = "0083"
branch_labels = None
depends_on = None

ACCOUNTS = sa.table(
    "accounts",
    sa.column("code", sa.String),
    sa.column("name", sa.String),
    sa.column("is_revalued", sa.Boolean),
)
TAXES = (
    ("1300", "VAT receivable"),
    ("2200", "VAT payable"),
    ("2300", "Payroll taxes payable"),
    ("2400", "Income tax payable"),
)


def upgrade() -> None:
    op.execute(_set(is_revalued=False))


def downgrade() -> None:
    op.execute(_set(is_revalued=True))


def _set(*, is_revalued: bool) -> sa.Update:
    of_chart = (sa.and_(ACCOUNTS.c.code == code, ACCOUNTS.c.name == name) for code, name in TAXES)
    return sa.update(ACCOUNTS).where(sa.or_(*of_chart)).values(is_revalued=is_revalued)
