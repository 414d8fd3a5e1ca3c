"""Note whether only late lines touched a proof: they break it, and change none of its figures.

A late line is BOOKED, is dated by a statement, and is in none. Posted, it is in the books' balance and outstanding,
which is nothing in sum; so its proof need not be added up from all lines of its account. And a line that the bank takes
away with its draft touches no proof that it is not dated inside.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0082"
down_revision = "0081"
branch_labels = None
depends_on = None

NOT_IN_STATEMENT = """NOT EXISTS (
        SELECT 1 FROM reconciliation_items o
        WHERE o.organization_id = {line}.organization_id AND o.transaction_id = {line}.id AND {standing})"""
# An entry that posts a late line, and takes back nothing; the day of it is in the books.
POSTS_LATE_LINE = """(OLD.status = 'DRAFT' AND NEW.status = 'POSTED' AND NEW.voids_id IS NULL AND EXISTS (
        SELECT 1 FROM transactions t
        WHERE t.id = p.transaction_id AND t.organization_id = NEW.organization_id AND t.feed_account_id = f.id
            AND t.status = 'BOOKED' AND {not_in_statement})
    AND NOT EXISTS (
        SELECT 1 FROM reconciliations k
        WHERE k.organization_id = NEW.organization_id AND k.feed_account_id = f.id AND {keep_as_new}
            AND k.opening_date >= NEW.effective_on))"""
POSTED = """EXISTS (
        SELECT 1 FROM postings p
        JOIN journal_entries e ON e.organization_id = p.organization_id AND e.id = p.journal_entry_id
        WHERE p.organization_id = {line}.organization_id AND p.transaction_id = {line}.id AND e.status <> 'DRAFT')"""
INSERT = "INSERT INTO touched_proofs (organization_id, reconciliation_id"
KEY = "ON CONFLICT (organization_id, reconciliation_id) DO"
# What else touches a proof has it added up, whatever touches it besides.
OTHERWISE = ((f"{KEY} NOTHING", f"{KEY} UPDATE SET by_late_lines = false"),)
BOTH = f"{KEY} UPDATE SET by_late_lines = touched_proofs.by_late_lines AND excluded.by_late_lines"
Change = tuple[tuple[str, str], ...]
# To plan such a question takes ten times as long as to answer it, and PostgreSQL would plan it for each entry anew. Nodes
# of Citus refuse a plan for any organization; `tieout distribute` takes it back.
PLANNED_ONCE = ("proofs_of_entry", "proofs_of_line_insert")


def on_sqlite(is_late: str) -> Change:
    """Give what is written otherwise in a trigger of rows, with the condition that the row is a late line's."""
    return (
        (f"{INSERT})", f"{INSERT}, by_late_lines)"),
        ("SELECT DISTINCT r.organization_id, r.id", "SELECT r.organization_id, r.id, min(touched.is_late)"),
        ("FROM (\n    SELECT r.id FROM", f"FROM (\n    SELECT r.id, {is_late} AS is_late FROM"),
        ("SELECT i.reconciliation_id FROM", "SELECT i.reconciliation_id, 0 FROM"),
        (
            f"WHERE r.status = 'COMPLETED'\n    {KEY} NOTHING",
            f"WHERE r.status = 'COMPLETED'\n    GROUP BY r.organization_id, r.id\n    {BOTH}",
        ),
    )


def on_postgresql(of: str, is_late: str) -> Change:
    """Give what is written otherwise where a loop notes each proof of an organization."""
    values = f"VALUES ({of}.organization_id, proof.id"
    return (
        (f"{INSERT}) {values})", f"{INSERT}, by_late_lines) {values}, {is_late})"),
        (f"{KEY} NOTHING", BOTH),
    )


LATE = NOT_IN_STATEMENT.format(line="l", standing="o.is_standing = 1")
POSTS = {
    engine: POSTS_LATE_LINE.format(
        not_in_statement=NOT_IN_STATEMENT.format(line="t", standing=f"o.is_standing{is_true}"),
        keep_as_new=f"k.keep_as_new{is_true}",
    )
    for engine, is_true in (("sqlite", " = 1"), ("postgresql", ""))
}
ARE_BOOKED = "bool_and(status = 'BOOKED')"
# Whoever moved to another account was changed in one image there, and in one here.
ARE_BOOKED_HERE = f"{ARE_BOOKED} AND count(*) = 2 * count(DISTINCT id)"
# In none of the statements that stand, as each line of the batch must be.
IS_IN_NONE = NOT_IN_STATEMENT.format(line="batch", standing="o.is_standing").replace(
    "= batch.id", "= ANY (batch.ids)"
)
FIRST, FIRST_TOUCHED = (
    "SELECT r.id FROM postings p",
    "SELECT touched.id, bool_and(touched.is_late) AS is_late FROM (\n            SELECT r.id, {} AS is_late FROM postings p",
)
LAST = "WHERE r.status = 'COMPLETED'"
OTHERS = (
    "proofs_of_line_delete",
    "later_proofs_of_entry",
    "proofs_of_statement",
    "proofs_of_feed_account",
)
CHANGES: dict[str, dict[str, Change]] = {
    "sqlite": {
        "proofs_of_entry": on_sqlite(POSTS["sqlite"]),
        "proofs_of_line_insert": on_sqlite("NEW.status = 'BOOKED'"),
        "proofs_of_line_update": on_sqlite(
            "(OLD.status = 'BOOKED' AND NEW.status = 'BOOKED' AND OLD.feed_account_id = NEW.feed_account_id"
            f" AND {LATE})"
        ),
        "proofs_of_bulk_turn": (
            (f"{INSERT})", f"{INSERT}, by_late_lines)"),
            ("SELECT r.organization_id, r.id\n", "SELECT r.organization_id, r.id, brought.is_late\n"),
            ("AS first FROM", "AS first, min(t.status = 'BOOKED') AS is_late FROM"),
            (f"{KEY} NOTHING", BOTH),
        ),
        "proofs_of_set_aside": (
            ("coalesce(OLD.journal_entry_id, NEW.journal_entry_id) IS NOT NULL", POSTED.format(line="NEW")),
            *OTHERWISE,
        ),
    },
    "postgresql": {
        "proofs_of_entry": (
            (f"{FIRST}\n", f"{FIRST_TOUCHED.format(POSTS['postgresql'])}\n"),
            ("UNION\n            SELECT r.id FROM (", "UNION ALL\n            SELECT r.id, false FROM ("),
            (f"{LAST} LOOP", f"{LAST}) touched GROUP BY touched.id LOOP"),
            *on_postgresql("NEW", "proof.is_late"),
        ),
        "proofs_of_line_insert": (
            ("AS first_day\n", f"AS first_day, {ARE_BOOKED} AS is_late\n"),
            *on_postgresql("books", "batch.is_late"),
        ),
        "proofs_of_line_update": (
            ("AS first_day\n", f"AS first_day, {ARE_BOOKED_HERE} AS is_late\n"),
            (
                "LOOP \n        FOR proof",
                f"LOOP\n        are_late := batch.is_late AND {IS_IN_NONE};\n        FOR proof",
            ),
            ("proof record;", "proof record; are_late boolean;"),
            *on_postgresql("batch", "are_late"),
        ),
        "proofs_of_bulk_turn": (
            ("AS first_day FROM", "AS first_day, bool_and(t.status = 'BOOKED') AS is_late FROM"),
            *on_postgresql("OLD", "batch.is_late"),
        ),
        "proofs_of_set_aside": (
            ("AS other_id\n", "AS other_id, id, bool_or(status = 'SET_ASIDE') AS is_aside\n"),
            (
                "LOOP \n        FOR proof",
                f"LOOP\n        CONTINUE WHEN NOT batch.is_aside AND NOT {POSTED.format(line='batch')};\n        FOR proof",
            ),
            *OTHERWISE,
        ),
    },
}


def changes() -> dict[str, Change]:
    """Give what is written otherwise in the triggers of this database."""
    return {**CHANGES[op.get_bind().dialect.name], **dict.fromkeys(OTHERS, OTHERWISE)}


def upgrade() -> None:
    op.add_column(
        "touched_proofs",
        sa.Column("by_late_lines", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
    for name, change in changes().items():
        rewrite(name, change)
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    if (
        is_postgresql
        and op.get_bind().scalar(sa.text("SELECT to_regclass('pg_catalog.pg_dist_partition')")) is None
    ):
        for name in PLANNED_ONCE:
            op.execute(f"ALTER FUNCTION {name}() SET plan_cache_mode = force_generic_plan")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for name in PLANNED_ONCE:
            op.execute(f"ALTER FUNCTION {name}() RESET plan_cache_mode")
    for name, change in changes().items():
        rewrite(name, tuple((new, old) for old, new in reversed(change)))
    op.drop_column("touched_proofs", "by_late_lines")


def rewrite(name: str, change: Change) -> None:
    """Write a trigger, or its function, as it stands in the database but for a change."""
    bind = op.get_bind()
    is_sqlite = bind.dialect.name == "sqlite"
    asked = (
        "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = :name"
        if is_sqlite
        else "SELECT pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.proname = :name"
        " AND p.pronamespace = current_schema()::regnamespace"
    )
    text: str = bind.execute(sa.text(asked), {"name": name}).scalar_one()
    for old, new in change:
        if old not in text:
            raise RuntimeError(f"{name} is not as it was written: {old!r} is missing.")
        text = text.replace(old, new)
    if is_sqlite:
        bind.exec_driver_sql(f"DROP TRIGGER {name}")
    bind.exec_driver_sql(text)
