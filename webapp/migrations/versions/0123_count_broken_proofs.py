"""Let the application's role ask how many proofs are broken in all books, for the server's own measures."""

from webapp.migrations.statements import drop_functions, run
from webapp.migrations.tables import is_sqlite

revision = "0123"
down_revision = "0121"
branch_labels = None
depends_on = None

FILE = "0123_broken_proofs"


def upgrade() -> None:
    if not is_sqlite():
        run(FILE)


def downgrade() -> None:
    if not is_sqlite():
        drop_functions(FILE)
