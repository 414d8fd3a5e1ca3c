"""Note by triggers every other proof whose verdict a write can change, beside those that migration 0006 notes."""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

NOTE = """
    INSERT INTO touched_proofs (organization_id, reconciliation_id)
    SELECT DISTINCT r.organization_id, r.id {proofs}
    ON CONFLICT (organization_id, reconciliation_id) DO NOTHING"""
# An item that a proof cleared is in transit in each later one as soon as its entry is dated after that statement.
LATER = """
    FROM (
        SELECT i.reconciliation_id AS id FROM {entries} e
        JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
        JOIN reconciliation_items i ON i.organization_id = p.organization_id
            AND i.transaction_id = p.transaction_id AND {standing}
        UNION ALL
        SELECT i.reconciliation_id FROM {entries} e
        JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
        JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
        JOIN reconciliation_items i ON i.organization_id = f.organization_id AND i.feed_account_id = f.id
            AND i.journal_entry_id = e.root AND {standing}
    ) cleared
    JOIN reconciliations c ON c.id = cleared.id
    JOIN reconciliations r ON r.organization_id = c.organization_id AND r.feed_account_id = c.feed_account_id
        AND r.status = 'COMPLETED' AND r.statement_date > c.statement_date
    WHERE 1 = 1"""
ENTRY = (
    "SELECT {row}.id AS id, {row}.organization_id AS organization_id,"
    " coalesce({row}.corrects_id, {row}.id) AS root"
)
ENTRIES = {
    "sqlite": f"({ENTRY.format(row='NEW')})",
    "postgresql": f"({ENTRY.format(row='n')} FROM new_rows n JOIN old_rows o ON o.id = n.id"
    " WHERE o.status <> n.status)",
}
STANDING = {"sqlite": "i.is_standing = 1", "postgresql": "i.is_standing"}
# The other writes, each with the rows that it changes and the standing proofs of their feed account that it touches:
# the posted entry of a line that is set aside, whatever its day, is in transit in all that it is dated after; a proof
# is checked as soon as it stands, and those after it when it is taken back; another ledger account has other postings.
WRITES = {
    "set_aside": (
        "transactions",
        ("status", "booked_on", "amount_minor", "journal_entry_id", "feed_account_id"),
        "r.feed_account_id IN ({old}.feed_account_id, {new}.feed_account_id)",
        "'SET_ASIDE' IN ({old}.status, {new}.status)",
    ),
    "statement": (
        "reconciliations",
        ("status",),
        "r.feed_account_id = {new}.feed_account_id AND r.statement_date >= {new}.statement_date",
        "'COMPLETED' IN ({old}.status, {new}.status)",
    ),
    "feed_account": ("feed_accounts", ("account_id", "currency"), "r.feed_account_id = {new}.id", "1 = 1"),
}
STANDS = "r.organization_id = {new}.organization_id AND r.status = 'COMPLETED'"


def keep_on_sqlite() -> None:
    rows = {"old": "OLD", "new": "NEW"}
    later = NOTE.format(proofs=LATER.format(entries=ENTRIES["sqlite"], standing=STANDING["sqlite"]))
    op.execute(
        "CREATE TRIGGER later_proofs_of_entry AFTER UPDATE OF status ON journal_entries"
        f" WHEN OLD.status <> NEW.status BEGIN {later}; END"
    )
    for name, (table, columns, touched, counts) in WRITES.items():
        changed = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in columns)
        proofs = f"FROM reconciliations r WHERE {STANDS} AND {touched}".format(**rows)
        op.execute(
            f"CREATE TRIGGER proofs_of_{name} AFTER UPDATE OF {', '.join(columns)} ON {table}"
            f" WHEN ({changed}) AND {counts.format(**rows)} BEGIN {NOTE.format(proofs=proofs)}; END"
        )


def keep_on_postgresql() -> None:
    rows = {"old": "o", "new": "n"}
    both = "old_rows o JOIN new_rows n ON n.id = o.id"
    later = NOTE.format(proofs=LATER.format(entries=ENTRIES["postgresql"], standing=STANDING["postgresql"]))
    trigger("later_proofs_of_entry", "journal_entries", f"{both} WHERE o.status <> n.status", later)
    for name, (table, columns, touched, counts) in WRITES.items():
        old, new = (", ".join(f"{row}.{column}" for column in columns) for row in "on")
        changed = f"WHERE ({old}) IS DISTINCT FROM ({new}) AND {counts}".format(**rows)
        proofs = f"FROM {both} JOIN reconciliations r ON {STANDS} AND {touched} {changed}".format(**rows)
        trigger(f"proofs_of_{name}", table, f"{both} {changed}", NOTE.format(proofs=proofs))


def trigger(name: str, table: str, changed: str, statement: str) -> None:
    """Make a trigger for whole statements, which ends at once where nothing that counts has changed."""
    if_changed = f"IF EXISTS (SELECT 1 FROM {changed}) THEN {statement}; END IF"  # noqa: S608  (names of our own)
    op.execute(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {if_changed}; RETURN NULL; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {name} AFTER UPDATE ON {table} REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
    )


def upgrade() -> None:
    # Some of what is recorded may be wrong by what was not noted so far.
    op.execute(
        "INSERT INTO touched_proofs (organization_id, reconciliation_id)"
        " SELECT organization_id, id FROM reconciliations WHERE status = 'COMPLETED'"
        " ON CONFLICT (organization_id, reconciliation_id) DO NOTHING"
    )
    keep_on_sqlite() if op.get_bind().dialect.name == "sqlite" else keep_on_postgresql()


def downgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    made = {"later_proofs_of_entry": "journal_entries"}
    made |= {f"proofs_of_{name}": table for name, (table, *_) in WRITES.items()}
    for name, table in made.items():
        op.execute(f"DROP TRIGGER {name}" + ("" if is_sqlite else f" ON {table}"))
        if not is_sqlite:
            op.execute(f"DROP FUNCTION {name}()")
