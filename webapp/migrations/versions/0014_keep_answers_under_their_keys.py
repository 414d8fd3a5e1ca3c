"""Keep what a write was answered under the key that it was sent with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "idempotency_keys",
        sa.Column("actor_kind", sa.String(length=8), nullable=False),
        sa.Column("actor_id", BIG, nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("content_type", sa.String(length=255), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.CheckConstraint(
            "actor_kind IN ('PERSON', 'TOKEN')", name=op.f("ck_idempotency_keys_actor_kind_word")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_idempotency_keys_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_idempotency_keys")),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_idempotency_keys_organization_id_id")),
        sa.UniqueConstraint(
            "organization_id",
            "actor_kind",
            "actor_id",
            "key",
            name=op.f("uq_idempotency_keys_organization_id_actor_kind_actor_id_key"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_idempotency_keys_created", "idempotency_keys", ["organization_id", "created_at"])


def downgrade() -> None:
    op.drop_table("idempotency_keys")
