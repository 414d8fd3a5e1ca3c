"""Note lines that a statement inserts at once on PostgreSQL, instead of one by one, for their event to bind."""

from alembic import op

from webapp.migrations.statements import drop_functions, drop_triggers, own_path, run
from webapp.migrations.tables import is_sqlite

revision = "0121"
down_revision = "0119"
branch_labels = None
depends_on = None

FILE = "0121_noted_lines"
# As 0113 made them.
OF_EACH_LINE = (
    """
    CREATE FUNCTION transactions_insert_noted() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
        INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'line', NEW.id)
        ON CONFLICT DO NOTHING;
        RETURN NULL;
    END
    $$""",
    "REVOKE ALL ON FUNCTION transactions_insert_noted() FROM PUBLIC",
    """
    CREATE TRIGGER transactions_insert_noted AFTER INSERT ON transactions FOR EACH ROW
    WHEN (NEW.status IN ('BOOKED', 'SET_ASIDE', 'REMOVED')) EXECUTE FUNCTION transactions_insert_noted()""",
)


def upgrade() -> None:
    if not is_sqlite():
        drop()
        run(FILE)


def drop() -> None:
    drop_triggers(FILE)
    drop_functions(FILE)


def downgrade() -> None:
    if not is_sqlite():
        drop()
        with own_path():
            for statement in OF_EACH_LINE:
                op.execute(statement)
