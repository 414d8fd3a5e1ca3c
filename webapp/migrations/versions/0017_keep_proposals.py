"""Keep what is proposed: the call, its effect, and who decided about it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "proposals",
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.Column("action_request_id", sa.String(length=40), nullable=False),
        sa.Column("token_id", BIG, nullable=False),
        sa.Column("scope", sa.String(length=16), nullable=False),
        sa.Column("method", sa.String(length=8), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("form", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("effect", sa.JSON(), nullable=False),
        sa.Column("blockers", sa.JSON(), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("acts", sa.JSON(), nullable=False),
        sa.Column("answer", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_proposals_organization_id")
        ),
        *(
            sa.ForeignKeyConstraint(
                ["organization_id", column],
                [f"{table}.organization_id", f"{table}.id"],
                name=op.f(f"fk_proposals_organization_id_{column}"),
                ondelete="RESTRICT",
            )
            for column, table in (("action_request_id", "action_requests"), ("token_id", "api_tokens"))
        ),
        sa.PrimaryKeyConstraint("organization_id", "action_request_id", name=op.f("pk_proposals")),
    )
    op.create_index("ix_proposals_fingerprint", "proposals", ["organization_id", "fingerprint"])
    op.create_index("ix_proposals_token", "proposals", ["organization_id", "token_id"])
    op.create_index(
        "ix_action_requests_pending",
        "action_requests",
        ["organization_id", "id"],
        sqlite_where=sa.text("status = 'PENDING'"),
        postgresql_where=sa.text("status = 'PENDING'"),
    )


def downgrade() -> None:
    op.drop_index("ix_action_requests_pending", "action_requests")
    op.drop_index("ix_proposals_token", "proposals")
    op.drop_index("ix_proposals_fingerprint", "proposals")
    op.drop_table("proposals")
