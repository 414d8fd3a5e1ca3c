"""Let the application's role ask for the hash of one person's password, instead of reading everybody's."""

from webapp.migrations.statements import drop_functions, run
from webapp.migrations.tables import is_sqlite

revision = "0112"
down_revision = "0111"
branch_labels = None
depends_on = None

FILE = "0112_passwords"


def upgrade() -> None:
    if not is_sqlite():
        run(FILE)


def downgrade() -> None:
    if not is_sqlite():
        drop_functions(FILE)
