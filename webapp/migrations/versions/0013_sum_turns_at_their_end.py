"""Keep the sums and note the proofs of a bulk turn once, at its end, in place of once for each line or statement."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
# What hears of lines that come, and stays quiet during a turn (migrations 0004 and 0006).
HEARING = ("sums_of_line_insert", "proofs_of_line_insert")
QUIET = "NOT EXISTS (SELECT 1 FROM bulk_turns)"
FOUND = "IF EXISTS (SELECT 1 FROM new_rows)"
FOUND_ALONE = FOUND.replace("IF", f"IF {QUIET} AND", 1)
MONTH = {
    "sqlite": "substr(t.booked_on, 1, 8) || '01'",
    "postgresql": "date_trunc('month', t.booked_on)::date",
}
BROUGHT = """transactions t
        WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id
            AND t.status IN ('BOOKED', 'SET_ASIDE')"""


def sums(table: str, day: str) -> str:
    """Add the lines of a turn to what the feed accounts have; no proof can have cleared one of them."""
    return f"""
        INSERT INTO {table} (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
        SELECT t.organization_id, t.feed_account_id, {day}, sum(t.amount_minor),
            sum(CASE WHEN t.status = 'BOOKED' THEN 1 ELSE 0 END)
        FROM {BROUGHT}
        GROUP BY t.organization_id, t.feed_account_id, {day}
        ON CONFLICT (organization_id, feed_account_id, day) DO UPDATE SET
            amount_minor = {table}.amount_minor + excluded.amount_minor,
            unreconciled_count = {table}.unreconciled_count + excluded.unreconciled_count"""  # noqa: S608  (names of our own)


PROOFS = f"""
        INSERT INTO touched_proofs (organization_id, reconciliation_id)
        SELECT r.organization_id, r.id
        FROM (SELECT t.organization_id, t.feed_account_id, min(t.booked_on) AS first FROM {BROUGHT}
            GROUP BY t.organization_id, t.feed_account_id) brought
        JOIN reconciliations r ON r.organization_id = brought.organization_id
            AND r.feed_account_id = brought.feed_account_id
            AND r.status = 'COMPLETED' AND r.statement_date >= brought.first
        WHERE 1 = 1
        ON CONFLICT (organization_id, reconciliation_id) DO NOTHING"""  # noqa: S608  (names of our own)


def at_the_end(engine: str) -> dict[str, str]:
    """Give what happens when a turn ends, by trigger."""
    days = [("line_day_sums", "t.booked_on"), ("line_month_sums", MONTH[engine])]
    return {
        "sums_of_bulk_turn": ";".join(sums(table, day) for table, day in days),
        "proofs_of_bulk_turn": PROOFS,
    }


def text_of(trigger: str) -> str:
    """Read a trigger as it stands in a SQLite database, or its function in a PostgreSQL one."""
    bind = op.get_bind()
    column, table, name = ("sql", "sqlite_master", "name")
    if bind.dialect.name == "postgresql":
        column, table, name = ("prosrc", "pg_proc", "proname")
    statement = f"SELECT {column} FROM {table} WHERE {name} = :name"  # noqa: S608  (names of our own)
    return str(bind.scalar(sa.text(statement), {"name": trigger}))


def execute(text: str) -> None:
    """Run a statement in which nothing is a parameter."""
    op.get_bind().exec_driver_sql(text)


def upgrade() -> None:
    op.create_table(
        "bulk_turns",
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.Column("import_id", BIG, autoincrement=False, nullable=False),
        sa.Column("no_import_id", BIG, nullable=False),
        sa.CheckConstraint("no_import_id = 0", name="ck_bulk_turns_ends"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_bulk_turns_organization_id"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "import_id"],
            ["imports.organization_id", "imports.id"],
            name="fk_bulk_turns_organization_id_import_id",
            ondelete="RESTRICT",
        ),
        # There is no import 0: the database refuses to commit while a turn is open.
        sa.ForeignKeyConstraint(
            ["organization_id", "no_import_id"],
            ["imports.organization_id", "imports.id"],
            name="fk_bulk_turns_organization_id_no_import_id",
            deferrable=True,
            initially="DEFERRED",
        ),
        sa.PrimaryKeyConstraint("organization_id", "import_id", name="pk_bulk_turns"),
    )
    on_sqlite() if op.get_bind().dialect.name == "sqlite" else on_postgresql()


def on_sqlite() -> None:
    for name in HEARING:
        text = text_of(name)
        execute(f"DROP TRIGGER {name}")
        execute(text.replace(" WHEN ", f" WHEN {QUIET} AND ", 1))
    for name, body in at_the_end("sqlite").items():
        execute(f"CREATE TRIGGER {name} AFTER DELETE ON bulk_turns BEGIN {body}; END")


def on_postgresql() -> None:
    for name in HEARING:
        write_function(name, text_of(name).replace(FOUND, FOUND_ALONE))
    for name, body in at_the_end("postgresql").items():
        write_function(name, f"BEGIN {body}; RETURN NULL; END")
        execute(f"CREATE TRIGGER {name} AFTER DELETE ON bulk_turns FOR EACH ROW EXECUTE FUNCTION {name}()")


def write_function(name: str, body: str) -> None:
    execute(f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$")


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for name in HEARING:
            text = text_of(name)
            execute(f"DROP TRIGGER {name}")
            execute(text.replace(f" WHEN {QUIET} AND ", " WHEN ", 1))
        op.drop_table("bulk_turns")
        return
    for name in HEARING:
        write_function(name, text_of(name).replace(FOUND_ALONE, FOUND))
    op.drop_table("bulk_turns")
    for name in at_the_end("postgresql"):
        execute(f"DROP FUNCTION {name}()")
