"""Number the posted entries of each organization without gaps, in the order of posting; a number never changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

# What the trigger of 0002 keeps of a posted entry.
FIXED = (
    *(
        "id",
        "organization_id",
        "effective_on",
        "description",
        "source",
        "base_currency",
        "corrects_id",
        "voids_id",
    ),
    *("document_id", "action_request_id", "created_at", "posted_at"),
)
SENTENCE = "A posted entry never changes; correct or void it."
VOIDING = "OLD.status = 'POSTED' AND NEW.status = 'VOIDED' AND OLD.voided_by_id IS NULL AND NEW.voided_by_id IS NOT NULL"
ILLEGAL_STEP = "OLD.status = 'DRAFT' AND NEW.status NOT IN ('DRAFT', 'POSTED')"
NUMBERED = """
    UPDATE journal_entries SET number = numbered.number
    FROM (
        SELECT id, row_number() OVER (PARTITION BY organization_id ORDER BY posted_at, id) AS number
        FROM journal_entries WHERE status <> 'DRAFT'
    ) AS numbered
    WHERE numbered.id = journal_entries.id"""


def upgrade() -> None:
    engine = op.get_bind().dialect.name
    op.add_column("journal_entries", sa.Column("number", sa.BigInteger()))
    _switch_triggers(engine, on=False)
    op.execute(NUMBERED)
    _switch_triggers(engine, on=True)
    op.create_index(
        "uq_journal_entries_number", "journal_entries", ["organization_id", "number"], unique=True
    )
    _fix(engine, (*FIXED, "number"))


def downgrade() -> None:
    engine = op.get_bind().dialect.name
    _fix(engine, FIXED)
    op.drop_index("uq_journal_entries_number", "journal_entries")
    op.drop_column("journal_entries", "number")


def _switch_triggers(engine: str, *, on: bool) -> None:
    """Let posted entries get their numbers, which the triggers would refuse, or count as another change."""
    if engine == "postgresql":
        op.execute(f"ALTER TABLE journal_entries {'ENABLE' if on else 'DISABLE'} TRIGGER USER")
    elif not on:
        op.execute("DROP TRIGGER entry_fixed")


def _fix(engine: str, columns: tuple[str, ...]) -> None:
    """Refuse every change of these columns of a posted entry."""
    differs = "IS NOT" if engine == "sqlite" else "IS DISTINCT FROM"
    changed = " OR ".join(f"OLD.{column} {differs} NEW.{column}" for column in columns)
    when = f"(OLD.status <> 'DRAFT' AND (NOT ({VOIDING}) OR {changed})) OR ({ILLEGAL_STEP})"
    if engine == "sqlite":
        op.execute("DROP TRIGGER IF EXISTS entry_fixed")
        op.execute(
            f"CREATE TRIGGER entry_fixed BEFORE UPDATE ON journal_entries WHEN {when}"
            f" BEGIN SELECT RAISE(ABORT, '{SENTENCE}'); END"
        )
        return
    op.execute(
        "CREATE OR REPLACE FUNCTION entry_fixed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF {when} THEN RAISE EXCEPTION '{SENTENCE}' USING ERRCODE = 'integrity_constraint_violation'; END IF;"
        " RETURN NEW; END $$"
    )
