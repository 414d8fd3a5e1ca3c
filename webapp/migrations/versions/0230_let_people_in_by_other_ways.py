"""Let people in by a second factor and by other servers, let keys approve, and tell other servers what happens."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.tables import BIG, INSTANT, is_sqlite, numbered, pair

revision = "0230"
down_revision = "0221"
branch_labels = None
depends_on = None

ENDPOINTS, DELIVERIES = "webhook_endpoints", "webhook_deliveries"


def upgrade() -> None:
    no = {"server_default": sa.false(), "nullable": False}
    op.add_column("organizations", sa.Column("second_factor_since", INSTANT))
    op.add_column("organizations", sa.Column("has_approving_keys", sa.Boolean(), **no))
    op.add_column("sessions", sa.Column("is_strong", sa.Boolean(), **no))
    _of_people()
    _of_books()


def _of_people() -> None:
    op.create_table(
        "authenticators",
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_authenticators"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_authenticators_user_id"),
        sa.UniqueConstraint("uid", name="uq_authenticators_uid"),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("used_at", INSTANT),
        sa.PrimaryKeyConstraint("code_hash", name="pk_recovery_codes"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_recovery_codes_user_id"),
    )
    op.create_index("ix_recovery_codes_user_id", "recovery_codes", ["user_id"])
    op.create_table(
        "identities",
        sa.Column("issuer", sa.String(512), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_used_at", INSTANT),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_identities"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_identities_user_id"),
    )
    op.create_index("ix_identities_user_id", "identities", ["user_id"])
    op.create_table(
        "sign_in_steps",
        sa.Column("step_hash", sa.String(64), nullable=False),
        sa.Column("user_id", BIG),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("step_hash", name="pk_sign_in_steps"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sign_in_steps_user_id"),
    )
    op.create_index("ix_sign_in_steps_user_id", "sign_in_steps", ["user_id"])
    op.create_index("ix_sign_in_steps_expires_at", "sign_in_steps", ["expires_at"])


def _of_books() -> None:
    op.create_table(
        ENDPOINTS,
        *numbered(ENDPOINTS),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("types", sa.JSON(), nullable=False),
        sa.Column("view", sa.String(8), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("after_sequence", sa.BigInteger(), nullable=False),
        sa.Column("failing_since", INSTANT),
        sa.Column("enabled_at", INSTANT, nullable=False),
        sa.Column("rotated_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint("view IN ('THIN', 'FULL')", name=f"ck_{ENDPOINTS}_view_word"),
        sa.CheckConstraint("status IN ('ACTIVE', 'PAUSED', 'ENDED')", name=f"ck_{ENDPOINTS}_status_word"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        DELIVERIES,
        *numbered(DELIVERIES),
        sa.Column("endpoint_id", BIG, nullable=False),
        sa.Column("message_id", sa.String(40), nullable=False),
        sa.Column("replays", sa.String(40)),
        sa.Column("type", sa.String(64), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("status_code", sa.Integer()),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("tried_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        pair(DELIVERIES, "endpoint_id", ENDPOINTS),
        sa.CheckConstraint("state IN ('WAITING', 'DONE', 'FAILED')", name=f"ck_{DELIVERIES}_state_word"),
        sqlite_autoincrement=True,
    )
    op.create_index(f"ix_{DELIVERIES}_endpoint_id", DELIVERIES, ["organization_id", "endpoint_id", "id"])
    if not is_sqlite():
        protect(ENDPOINTS)
        protect(DELIVERIES)


def downgrade() -> None:
    for table in (DELIVERIES, ENDPOINTS, "sign_in_steps", "identities", "recovery_codes", "authenticators"):
        op.drop_table(table)
    op.drop_column("sessions", "is_strong")
    op.drop_column("organizations", "has_approving_keys")
    op.drop_column("organizations", "second_factor_since")
