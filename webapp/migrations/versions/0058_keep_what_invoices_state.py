"""Keep what e-invoices state beside a document: its due day, what is due, whom it is from and for, and all of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None

# A rebuilt table would forget that it never gives an id out twice.
AUTOINCREMENT = {"sqlite_autoincrement": True}
COLUMNS = (
    ("due_on", sa.Date()),
    ("prepaid_minor", sa.BigInteger()),
    ("due_minor", sa.BigInteger()),
    ("buyer", sa.String(length=255)),
    ("seller_vat_id", sa.String(length=64)),
    ("iban", sa.String(length=64)),
    ("remittance", sa.String(length=255)),
    ("invoice", sa.JSON(none_as_null=True)),
)
DUE = "currency IS NOT NULL OR (prepaid_minor IS NULL AND due_minor IS NULL)"
NAME = "ck_documents_due_currency"


def upgrade() -> None:
    with op.batch_alter_table("documents", table_kwargs=AUTOINCREMENT) as batch:
        for name, type_ in COLUMNS:
            batch.add_column(sa.Column(name, type_, nullable=True))
        batch.create_check_constraint(op.f(NAME), DUE)


def downgrade() -> None:
    with op.batch_alter_table("documents", table_kwargs=AUTOINCREMENT) as batch:
        batch.drop_constraint(op.f(NAME), type_="check")
        for name, _ in reversed(COLUMNS):
            batch.drop_column(name)
