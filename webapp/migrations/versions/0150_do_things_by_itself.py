"""Keep the jobs of the worker, and which of them each organization wants."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.tables import INSTANT, is_sqlite, numbered, where

revision = "0150"
down_revision = "0140"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "jobs",
        *numbered("jobs"),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("subject", sa.String(80), nullable=False),
        sa.Column("occurrence", sa.String(40), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("run_at", INSTANT, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("leased_until", INSTANT),
        sa.Column("leased_by", sa.String(80)),
        sa.Column("error", sa.Text()),
        sa.Column("ended_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint(
            "state IN ('WAITING', 'RUNNING', 'DONE', 'FAILED')", name=op.f("ck_jobs_state_word")
        ),
        sa.UniqueConstraint(
            "organization_id",
            "kind",
            "subject",
            "occurrence",
            name=op.f("uq_jobs_organization_id_kind_subject_occurrence"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_open", "jobs", ["run_at"], **where("state IN ('WAITING', 'RUNNING')"))
    op.create_index("ix_jobs_failed", "jobs", ["organization_id"], **where("state = 'FAILED'"))
    op.add_column(
        "organizations", sa.Column("automatic", sa.JSON(), server_default='["CHECK"]', nullable=False)
    )
    if not is_sqlite():
        protect("jobs")


def downgrade() -> None:
    op.drop_column("organizations", "automatic")
    op.drop_table("jobs")
