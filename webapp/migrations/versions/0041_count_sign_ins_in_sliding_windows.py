"""Count sign-ins in sliding windows, keep which browsers are familiar, and where each session came from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    # Whoever guesses while this runs begins anew; nothing else is in it.
    op.drop_table("sign_in_counters")
    op.create_table(
        "sign_in_counters",
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("tried_at", sa.JSON(), nullable=False),
        sa.Column("last_try_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_sign_in_counters")),
    )
    op.create_index("ix_sign_in_counters_last_try_at", "sign_in_counters", ["last_try_at"])
    op.create_table(
        "familiar_browsers",
        sa.Column("id_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("signed_in_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_familiar_browsers_user_id")),
        sa.PrimaryKeyConstraint("id_hash", "user_id", name=op.f("pk_familiar_browsers")),
    )
    op.create_index("ix_familiar_browsers_user_id", "familiar_browsers", ["user_id"])
    op.add_column("sessions", sa.Column("address", sa.String(length=64), nullable=True))
    op.add_column("sessions", sa.Column("user_agent", sa.String(length=400), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("sessions") as batch:
        batch.drop_column("user_agent")
        batch.drop_column("address")
    op.drop_table("familiar_browsers")
    op.drop_table("sign_in_counters")
    op.create_table(
        "sign_in_counters",
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("window_started_at", INSTANT, nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_sign_in_counters")),
    )
