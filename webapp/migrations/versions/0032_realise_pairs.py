"""Keep with each linked transfer the entry that realised its difference, and whether it comes to nil."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0029"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INDEXED = sa.text("difference_entry_id IS NOT NULL")
BEFORE = "'void', 'revaluation')"
AFTER = "'void', 'revaluation', 'exchange')"
WORDS = "source IN ('bank_feed', 'document', 'manual', 'opening', 'correction', "
# Pairs of which the posted sides come to nil on the transfers account, with all their corrections.
SETTLE = """
    UPDATE transfer_pairs SET is_settled = :yes
    WHERE status = 'STANDING' AND NOT EXISTS (
        SELECT 1 FROM transactions t
        JOIN journal_entries e ON e.organization_id = t.organization_id AND e.status = 'POSTED'
            AND (e.id = t.journal_entry_id OR e.corrects_id = t.journal_entry_id)
        JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
        JOIN accounts a ON a.organization_id = p.organization_id AND a.id = p.account_id AND a.role = 'transfers'
        WHERE t.organization_id = transfer_pairs.organization_id
            AND t.id IN (transfer_pairs.transaction_id, transfer_pairs.other_id)
        GROUP BY p.currency
        HAVING sum(p.amount_minor) <> 0 OR sum(p.amount_base_minor) <> 0
    )
"""


def upgrade() -> None:
    change_sources(BEFORE, AFTER)
    with op.batch_alter_table("transfer_pairs") as batch:
        batch.add_column(sa.Column("difference_entry_id", BIG, nullable=True))
        batch.add_column(sa.Column("is_settled", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch.create_foreign_key(
            op.f("fk_transfer_pairs_organization_id_difference_entry_id"),
            "journal_entries",
            ["organization_id", "difference_entry_id"],
            ["organization_id", "id"],
            ondelete="RESTRICT",
        )
    with op.batch_alter_table("transfer_pairs") as batch:
        batch.alter_column("is_settled", server_default=None)
    op.create_index(
        "ix_transfer_pairs_difference",
        "transfer_pairs",
        ["organization_id", "difference_entry_id"],
        sqlite_where=INDEXED,
        postgresql_where=INDEXED,
    )
    op.get_bind().execute(sa.text(SETTLE), {"yes": True})


def downgrade() -> None:
    op.drop_index("ix_transfer_pairs_difference", "transfer_pairs")
    with op.batch_alter_table("transfer_pairs") as batch:
        batch.drop_constraint(
            op.f("fk_transfer_pairs_organization_id_difference_entry_id"), type_="foreignkey"
        )
        batch.drop_column("is_settled")
        batch.drop_column("difference_entry_id")
    change_sources(AFTER, BEFORE)


def change_sources(before: str, after: str) -> None:
    """Change the words that the source of an entry may be."""
    name = op.f("ck_journal_entries_source_word")
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint(name, "journal_entries", type_="check")
        op.create_check_constraint(name, "journal_entries", f"{WORDS}{after}")
        return
    with without_triggers():
        make_anew("journal_entries", f"{WORDS}{before}", f"{WORDS}{after}")


@contextmanager
def without_triggers() -> Iterator[None]:
    """Put the triggers aside: they would go with their table, and stand in the way of a new name."""
    bind = op.get_bind()
    triggers = bind.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all()
    for name, _ in triggers:
        bind.exec_driver_sql(f'DROP TRIGGER "{name}"')
    yield
    for _, made_by in triggers:
        bind.exec_driver_sql(made_by)


def make_anew(table: str, before: str, after: str) -> None:
    """Copy a table of SQLite into one with another check, which only its own statement holds."""
    bind = op.get_bind()
    made_by = bind.exec_driver_sql("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).scalar_one()
    if made_by.count(before) != 1:
        raise RuntimeError(f"The statement that made {table} does not say: {before}")
    indexes = bind.exec_driver_sql(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", (table,)
    )
    indexes_made_by = list(indexes.scalars())
    last = bind.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).scalar()
    bind.exec_driver_sql(made_by.replace(before, after).replace(table, f"{table}_anew", 1))
    bind.exec_driver_sql(f"INSERT INTO {table}_anew SELECT * FROM {table}")  # noqa: S608  (names of ours)
    bind.exec_driver_sql(f"DROP TABLE {table}")
    bind.exec_driver_sql(f"ALTER TABLE {table}_anew RENAME TO {table}")
    bind.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    if last is not None:
        bind.exec_driver_sql("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))
    for index in indexes_made_by:
        bind.exec_driver_sql(index)
