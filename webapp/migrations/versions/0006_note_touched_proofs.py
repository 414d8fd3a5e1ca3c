"""Note by triggers which proofs a write touches, and keep what broke and what mended them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FIELDS = ("status", "booked_on", "amount_minor", "journal_entry_id", "feed_account_id")

# The entries that a statement posts or voids, for triggers of rows (SQLite) and of statements (PostgreSQL).
ENTRY = (
    "SELECT {row}.id AS id, {row}.organization_id AS organization_id, {row}.effective_on AS day,"
    " coalesce({row}.corrects_id, {row}.id) AS root"
)
ENTRIES = {
    "sqlite": f"({ENTRY.format(row='NEW')})",
    "postgresql": f"({ENTRY.format(row='n')} FROM new_rows n JOIN old_rows o ON o.id = n.id"
    " WHERE o.status <> n.status)",
}
LINE = (
    "SELECT {row}.id AS id, {row}.organization_id AS organization_id, {row}.feed_account_id AS feed_account_id,"
    " {row}.booked_on AS day, {row}.status AS status"
)
ROWS = {
    "sqlite": {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)},
    "postgresql": {"INSERT": ("new_rows",), "UPDATE": ("old_rows", "new_rows"), "DELETE": ("old_rows",)},
}
NOTE = """
    INSERT INTO touched_proofs (organization_id, reconciliation_id)
    SELECT DISTINCT r.organization_id, r.id
    FROM ({proofs}) touched
    JOIN reconciliations r ON r.id = touched.id
    WHERE r.status = 'COMPLETED'
    ON CONFLICT (organization_id, reconciliation_id) DO NOTHING"""
# A proof is touched by what is dated inside it, and by what it has cleared, wherever that is dated by now.
BY_ENTRY = """
    SELECT r.id FROM {entries} e
    JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
    JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
    JOIN reconciliations r ON r.organization_id = f.organization_id AND r.feed_account_id = f.id
        AND r.status = 'COMPLETED' AND r.statement_date >= e.day
    UNION ALL
    SELECT i.reconciliation_id FROM {entries} e
    JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
    JOIN reconciliation_items i ON i.organization_id = p.organization_id
        AND i.transaction_id = p.transaction_id AND {standing}
    UNION ALL
    SELECT i.reconciliation_id FROM {entries} e
    JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
    JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
    JOIN reconciliation_items i ON i.organization_id = f.organization_id AND i.feed_account_id = f.id
        AND i.journal_entry_id = e.root AND {standing}"""
BY_LINE = """
    SELECT r.id FROM {lines} l
    JOIN reconciliations r ON r.organization_id = l.organization_id AND r.feed_account_id = l.feed_account_id
        AND r.status = 'COMPLETED' AND r.statement_date >= l.day
    WHERE l.status IN ('BOOKED', 'SET_ASIDE')
    UNION ALL
    SELECT i.reconciliation_id FROM {lines} l
    JOIN reconciliation_items i ON i.organization_id = l.organization_id AND i.transaction_id = l.id
        AND {standing}"""
STANDING = {"sqlite": "i.is_standing = 1", "postgresql": "i.is_standing"}

DATED_INSIDE = """EXISTS (
    SELECT 1 FROM reconciliations r
    WHERE r.organization_id = NEW.organization_id AND r.feed_account_id = NEW.feed_account_id
        AND r.status = 'COMPLETED' AND r.statement_date >= NEW.booked_on)"""


def note_entries(engine: str) -> str:
    """Write the statement that notes the proofs touched by entries."""
    return NOTE.format(proofs=BY_ENTRY.format(entries=ENTRIES[engine], standing=STANDING[engine]))


def note_lines(engine: str, event: str) -> str:
    """Write the statement that notes the proofs touched by lines that come, change or go."""
    read = [
        LINE.format(row=row) + ("" if engine == "sqlite" else f" FROM {row}") for row in ROWS[engine][event]
    ]
    lines = f"({' UNION ALL '.join(read)})"
    return NOTE.format(proofs=BY_LINE.format(lines=lines, standing=STANDING[engine]))


def make_tables() -> None:
    op.create_table(
        "proof_breaks",
        sa.Column("reconciliation_id", BIG, nullable=False),
        sa.Column("broken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("broken_by", sa.JSON(), nullable=False),
        sa.Column("action_request_id", sa.String(length=40), nullable=True),
        sa.Column("journal_entry_id", BIG, nullable=True),
        sa.Column("transaction_id", BIG, nullable=True),
        sa.Column("field", sa.String(length=16), nullable=False),
        sa.Column("before", sa.String(length=32), nullable=True),
        sa.Column("after", sa.String(length=32), nullable=True),
        sa.Column("cleared_now_minor", sa.BigInteger(), nullable=False),
        sa.Column("off_by_minor", sa.BigInteger(), nullable=False),
        sa.Column("repaired_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("repaired_by", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("repair_action_request_id", sa.String(length=40), nullable=True),
        sa.Column("repair", sa.String(length=16), nullable=True),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.CheckConstraint(
            "repair IN ('UNDONE', 'REOPENED', 'ACCEPTED')", name="ck_proof_breaks_repair_word"
        ),
        sa.CheckConstraint(
            "(repaired_at IS NULL) = (repair IS NULL)", name="ck_proof_breaks_repaired_by_repair"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_proof_breaks_organization_id"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "reconciliation_id"],
            ["reconciliations.organization_id", "reconciliations.id"],
            name="fk_proof_breaks_organization_id_reconciliation_id",
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_proof_breaks"),
        sa.UniqueConstraint("organization_id", "id", name="uq_proof_breaks_organization_id_id"),
        sqlite_autoincrement=True,
    )
    columns = ["organization_id", "reconciliation_id"]
    unrepaired = sa.text("repaired_at IS NULL")
    op.create_index("ix_proof_breaks_of", "proof_breaks", columns)
    op.create_index(
        "uq_proof_breaks_unrepaired",
        "proof_breaks",
        columns,
        unique=True,
        sqlite_where=unrepaired,
        postgresql_where=unrepaired,
    )
    op.create_table(
        "touched_proofs",
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.Column("reconciliation_id", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_touched_proofs_organization_id"
        ),
        sa.ForeignKeyConstraint(
            columns,
            ["reconciliations.organization_id", "reconciliations.id"],
            name="fk_touched_proofs_organization_id_reconciliation_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(*columns, name="pk_touched_proofs"),
    )


def keep_on_sqlite() -> None:
    op.execute(
        "CREATE TRIGGER proofs_of_entry AFTER UPDATE OF status ON journal_entries"
        f" WHEN OLD.status <> NEW.status BEGIN {note_entries('sqlite')}; END"
    )
    differs = " OR ".join(f"OLD.{field} IS NOT NEW.{field}" for field in FIELDS)
    for event in ROWS["sqlite"]:
        of, when = "", ""
        if event == "UPDATE":
            of, when = f" OF {', '.join(FIELDS)}", f"WHEN {differs}"
        elif event == "INSERT":
            # Imports bring many lines, and hardly ever one that is dated inside a proof.
            when = f"WHEN {DATED_INSIDE}"
        op.execute(
            f"CREATE TRIGGER proofs_of_line_{event.lower()} AFTER {event}{of} ON transactions {when}"
            f" BEGIN {note_lines('sqlite', event)}; END"
        )


def keep_on_postgresql() -> None:
    seen = {"INSERT": "NEW TABLE AS new_rows", "DELETE": "OLD TABLE AS old_rows"}
    seen["UPDATE"] = f"{seen['DELETE']} {seen['INSERT']}"

    def trigger(name: str, event: str, table: str, found: str, statement: str) -> None:
        if_found = f"IF EXISTS (SELECT 1 FROM {found}) THEN {statement}; END IF"  # noqa: S608  (names of our own)
        op.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {if_found}; RETURN NULL; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {name} AFTER {event} ON {table} REFERENCING {seen[event]}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
        )

    both = "old_rows o JOIN new_rows n ON n.id = o.id WHERE"
    old, new = (", ".join(f"{row}.{field}" for field in FIELDS) for row in "on")
    statement = note_entries("postgresql")
    trigger("proofs_of_entry", "UPDATE", "journal_entries", f"{both} o.status <> n.status", statement)
    for event, rows in ROWS["postgresql"].items():
        found = f"{both} ({old}) IS DISTINCT FROM ({new})" if event == "UPDATE" else rows[0]
        name = f"proofs_of_line_{event.lower()}"
        trigger(name, event, "transactions", found, note_lines("postgresql", event))


def upgrade() -> None:
    make_tables()
    # Nobody has judged the proofs that stand already.
    op.execute(
        "INSERT INTO touched_proofs (organization_id, reconciliation_id)"
        " SELECT organization_id, id FROM reconciliations WHERE status = 'COMPLETED'"
    )
    keep_on_sqlite() if op.get_bind().dialect.name == "sqlite" else keep_on_postgresql()


def downgrade() -> None:
    engine = op.get_bind().dialect.name
    made = [("entry", "journal_entries")]
    made += [(f"line_{event.lower()}", "transactions") for event in ROWS[engine]]
    for name, table in made:
        op.execute(f"DROP TRIGGER proofs_of_{name}" + ("" if engine == "sqlite" else f" ON {table}"))
        if engine == "postgresql":
            op.execute(f"DROP FUNCTION proofs_of_{name}()")
    op.drop_table("touched_proofs")
    op.drop_table("proof_breaks")
