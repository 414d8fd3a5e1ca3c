"""Keep what people chose for their pages: saved views, the theme, and whether the first steps are hidden."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.tables import BIG, INSTANT, is_sqlite, numbered

revision = "0115"
down_revision = "0113"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "saved_views",
        *numbered("saved_views"),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("path", sa.String(64), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("query", sa.String(2000), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_saved_views_user_id")),
        sa.UniqueConstraint(
            "organization_id",
            "user_id",
            "path",
            "name",
            name=op.f("uq_saved_views_organization_id_user_id_path_name"),
        ),
        sqlite_autoincrement=True,
    )
    op.add_column("users", sa.Column("theme", sa.String(8), nullable=True))
    op.add_column(
        "memberships", sa.Column("hides_steps", sa.Boolean, server_default=sa.false(), nullable=False)
    )
    if not is_sqlite():
        protect("saved_views")


def downgrade() -> None:
    op.drop_column("memberships", "hides_steps")
    op.drop_column("users", "theme")
    op.drop_table("saved_views")
