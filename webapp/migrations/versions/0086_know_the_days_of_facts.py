"""Keep the day of what an entry is about where a lock date moved it, and the due days that locked lists had."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.statements import FOLDER, drop_functions, drop_triggers, run, statements
from webapp.migrations.tables import BIG, is_sqlite, owned, where

revision = "0086"
down_revision = "0085"
branch_labels = None
depends_on = None

FILE = "0086_facts"
# Of a line its booking day, of a document its issue, of a correction or a void the day of what it changes.
FACTS = {
    "bank_feed": """
        SELECT max(t.booked_on) FROM postings p
        JOIN transactions t ON t.organization_id = p.organization_id AND t.id = p.transaction_id
        WHERE p.organization_id = journal_entries.organization_id AND p.journal_entry_id = journal_entries.id""",
    "document": """
        SELECT d.issued_on FROM documents d
        WHERE d.organization_id = journal_entries.organization_id AND d.id = journal_entries.document_id""",
    "correction": """
        SELECT e.effective_on FROM journal_entries e
        WHERE e.organization_id = journal_entries.organization_id AND e.id = journal_entries.corrects_id""",
    "void": """
        SELECT max(e.effective_on) FROM journal_entries e
        WHERE e.organization_id = journal_entries.organization_id AND e.voided_by_id = journal_entries.id""",
    "settlement": """
        SELECT max(coalesce(e.fact_on, e.effective_on)) FROM settlement_entries s
        JOIN settlement_parts p ON p.organization_id = s.organization_id AND p.settlement_id = s.settlement_id
        JOIN journal_entries e ON e.organization_id = p.organization_id AND e.id = p.journal_entry_id
        WHERE s.organization_id = journal_entries.organization_id AND s.journal_entry_id = journal_entries.id
            AND e.id <> s.journal_entry_id AND e.source <> 'settlement'""",
}
# Whether a void was dated later by a lock or by choice nobody wrote down.
MOVED = ("bank_feed", "document", "correction")
FILL = """
    UPDATE journal_entries SET fact_on = ({fact}), is_moved = {is_moved}
    WHERE source = '{source}' AND status <> 'DRAFT' AND ({fact}) < effective_on"""


def upgrade() -> None:
    op.add_column("journal_entries", sa.Column("fact_on", sa.Date))
    op.add_column(
        "journal_entries", sa.Column("is_moved", sa.Boolean, server_default=sa.false(), nullable=False)
    )
    _fill()
    op.create_index(
        "ix_journal_entries_facts",
        "journal_entries",
        ["organization_id", "effective_on"],
        **where("fact_on IS NOT NULL"),
    )
    op.create_table(
        "due_changes",
        sa.Column("item_id", BIG, autoincrement=False, nullable=False),
        sa.Column("since", sa.Date, nullable=False),
        sa.Column("due_before", sa.Date),
        *owned("due_changes"),
        sa.PrimaryKeyConstraint("organization_id", "item_id", "since", name="pk_due_changes"),
        sa.ForeignKeyConstraint(
            ["organization_id", "item_id"],
            ["items.organization_id", "items.id"],
            name="fk_due_changes_organization_id_item_id",
            ondelete="CASCADE",
        ),
    )
    if not is_sqlite():
        protect("due_changes")
    run(FILE)


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    op.drop_table("due_changes")
    op.drop_index("ix_journal_entries_facts", "journal_entries")
    op.drop_column("journal_entries", "is_moved")
    op.drop_column("journal_entries", "fact_on")


def _fill() -> None:
    """Write the days of facts into entries that are posted, which their trigger forbids to everybody else."""
    fixed = _trigger("entry_fixed")
    op.execute("DROP TRIGGER entry_fixed" if is_sqlite() else "DROP TRIGGER entry_fixed ON journal_entries")
    for source, fact in FACTS.items():
        is_moved = "true" if source in MOVED else "false"
        op.execute(FILL.format(source=source, fact=fact, is_moved=is_moved))
    op.get_bind().exec_driver_sql(fixed, execution_options={"no_parameters": True})


def _trigger(name: str) -> str:
    text = (FOLDER / op.get_bind().dialect.name / "0082_fixed.sql").read_text(encoding="utf-8")
    return next(each for each in statements(text) if f"CREATE TRIGGER {name} " in each)
