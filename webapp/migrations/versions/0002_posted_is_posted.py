"""Refuse, in the database itself, every change of what is posted and of the audit trail."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# What stays as it is when an entry goes from POSTED to VOIDED: everything but the status and the voiding entry.
FIXED = (
    "id",
    "organization_id",
    "effective_on",
    "description",
    "source",
    "base_currency",
    "corrects_id",
    "voids_id",
    "document_id",
    "action_request_id",
    "created_at",
    "posted_at",
)

BORN = "An entry is born as a draft."
FIXED_ENTRY = "A posted entry never changes; correct or void it."
UNBALANCED = "An entry is posted with two legs or more that sum to zero."
FIXED_LEG = "The legs of a posted entry never change; correct or void it."
AUDIT = "The audit trail only grows."

# Each is true of a statement that is refused. SQLite's IS NOT is PostgreSQL's IS DISTINCT FROM.
SUMS = """(
    (SELECT count(*) FROM postings p WHERE p.journal_entry_id = NEW.id) < 2
    OR EXISTS (SELECT 1 FROM postings p WHERE p.journal_entry_id = NEW.id AND p.amount_base_minor IS NULL)
    OR (SELECT sum(p.amount_base_minor) FROM postings p WHERE p.journal_entry_id = NEW.id) <> 0
    OR ((SELECT count(DISTINCT p.currency) FROM postings p WHERE p.journal_entry_id = NEW.id) = 1
        AND (SELECT sum(p.amount_minor) FROM postings p WHERE p.journal_entry_id = NEW.id) <> 0))"""
VOIDING = "OLD.status = 'POSTED' AND NEW.status = 'VOIDED' AND OLD.voided_by_id IS NULL AND NEW.voided_by_id IS NOT NULL"
IN_POSTED = (
    "EXISTS (SELECT 1 FROM journal_entries e WHERE e.id = {row}.journal_entry_id AND e.status <> 'DRAFT')"
)


def _changes(engine: str) -> str:
    differs = "IS NOT" if engine == "sqlite" else "IS DISTINCT FROM"
    fixed = " OR ".join(f"OLD.{column} {differs} NEW.{column}" for column in FIXED)
    return f"OLD.status <> 'DRAFT' AND (NOT ({VOIDING}) OR {fixed})"


def _rules(engine: str) -> list[tuple[str, str, str, str, str]]:
    """List (name, table, act, when, sentence)."""
    old, new = IN_POSTED.format(row="OLD"), IN_POSTED.format(row="NEW")
    illegal_step = "OLD.status = 'DRAFT' AND NEW.status NOT IN ('DRAFT', 'POSTED')"
    return [
        ("entry_born_draft", "journal_entries", "INSERT", "NEW.status <> 'DRAFT'", BORN),
        (
            "entry_fixed",
            "journal_entries",
            "UPDATE",
            f"({_changes(engine)}) OR ({illegal_step})",
            FIXED_ENTRY,
        ),
        ("entry_kept", "journal_entries", "DELETE", "OLD.status <> 'DRAFT'", FIXED_ENTRY),
        (
            "entry_balances",
            "journal_entries",
            "UPDATE",
            f"OLD.status = 'DRAFT' AND NEW.status = 'POSTED' AND {SUMS}",
            UNBALANCED,
        ),
        ("leg_not_added", "postings", "INSERT", new, FIXED_LEG),
        ("leg_fixed", "postings", "UPDATE", f"{old} OR {new}", FIXED_LEG),
        ("leg_kept", "postings", "DELETE", old, FIXED_LEG),
        ("audit_fixed", "audit_events", "UPDATE", "1 = 1", AUDIT),
        ("audit_kept", "audit_events", "DELETE", "1 = 1", AUDIT),
    ]


def upgrade() -> None:
    engine = op.get_bind().dialect.name
    for name, table, act, when, sentence in _rules(engine):
        if engine == "sqlite":
            op.execute(
                f"CREATE TRIGGER {name} BEFORE {act} ON {table} WHEN {when} BEGIN SELECT RAISE(ABORT, '{sentence}'); END"
            )
            continue
        # A WHEN clause of PostgreSQL may hold no subquery, so the question stands in the function.
        answer = "OLD" if act == "DELETE" else "NEW"
        op.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {when} THEN RAISE EXCEPTION '{sentence}' USING ERRCODE = 'integrity_constraint_violation'; END IF;"
            f" RETURN {answer}; END $$"
        )
        op.execute(f"CREATE TRIGGER {name} BEFORE {act} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()")
    if engine == "postgresql":
        op.execute(
            "CREATE FUNCTION never_truncated() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" RAISE EXCEPTION '{FIXED_ENTRY}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        for table in ("journal_entries", "postings", "audit_events"):
            op.execute(
                f"CREATE TRIGGER never_truncated BEFORE TRUNCATE ON {table}"
                " FOR EACH STATEMENT EXECUTE FUNCTION never_truncated()"
            )


def downgrade() -> None:
    engine = op.get_bind().dialect.name
    if engine == "postgresql":
        for table in ("journal_entries", "postings", "audit_events"):
            op.execute(f"DROP TRIGGER never_truncated ON {table}")
        op.execute("DROP FUNCTION never_truncated()")
    for name, table, *_ in _rules(engine):
        op.execute(f"DROP TRIGGER {name}" + ("" if engine == "sqlite" else f" ON {table}"))
        if engine == "postgresql":
            op.execute(f"DROP FUNCTION {name}()")
