"""Count the workers that died of a job, and let the application count the jobs that failed in all books."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.statements import drop_functions, run
from webapp.migrations.tables import is_sqlite

revision = "0340"
down_revision = "0330"
branch_labels = None
depends_on = None

FILE = "0340_jobs"


def upgrade() -> None:
    op.add_column("jobs", sa.Column("deaths", sa.Integer(), server_default="0", nullable=False))
    if not is_sqlite():
        run(FILE)


def downgrade() -> None:
    if not is_sqlite():
        drop_functions(FILE)
    op.drop_column("jobs", "deaths")
