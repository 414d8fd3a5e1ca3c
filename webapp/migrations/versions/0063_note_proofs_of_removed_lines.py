"""Note by triggers the proofs that the posted entry of a removed line is dated inside, wherever the line itself is."""

from __future__ import annotations

from importlib import import_module

from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None

COLUMNS = ("status", "booked_on", "amount_minor", "journal_entry_id", "feed_account_id")
TOUCH = """
    INSERT INTO touched_proofs (organization_id, reconciliation_id)
    SELECT r.organization_id, r.id FROM reconciliations r
    WHERE r.organization_id = NEW.organization_id AND r.status = 'COMPLETED'
        AND r.feed_account_id IN (OLD.feed_account_id, NEW.feed_account_id)
    ON CONFLICT (organization_id, reconciliation_id) DO NOTHING"""
# The posted entry of a line that is set aside is in transit in all that it is dated after, and that of a line which the
# bank took away is outstanding in none: whichever day the bank gave the line meanwhile.
SET_ASIDE = "'SET_ASIDE' IN (OLD.status, NEW.status)"
REMOVED = "'REMOVED' IN (OLD.status, NEW.status) AND coalesce(OLD.journal_entry_id, NEW.journal_entry_id) IS NOT NULL"


def upgrade() -> None:
    op.execute(
        "INSERT INTO touched_proofs (organization_id, reconciliation_id)"
        " SELECT organization_id, id FROM reconciliations WHERE status = 'COMPLETED'"
        " ON CONFLICT (organization_id, reconciliation_id) DO NOTHING"
    )
    if op.get_bind().dialect.name == "sqlite":
        _keep_on_sqlite(f"{SET_ASIDE} OR {REMOVED}")
    else:
        _keep_on_postgresql("status = 'SET_ASIDE' OR (status = 'REMOVED' AND journal_entry_id IS NOT NULL)")


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _keep_on_sqlite(SET_ASIDE)
    else:
        _keep_on_postgresql("status = 'SET_ASIDE'")


def _keep_on_sqlite(counts: str) -> None:
    changed = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in COLUMNS)
    op.execute("DROP TRIGGER proofs_of_set_aside")
    op.execute(
        f"CREATE TRIGGER proofs_of_set_aside AFTER UPDATE OF {', '.join(COLUMNS)} ON transactions"
        f" WHEN ({changed}) AND ({counts}) BEGIN {TOUCH}; END"
    )


def _keep_on_postgresql(counts: str) -> None:
    """Write the function of migration 0050 with another condition."""
    triggers = import_module("webapp.migrations.versions.0050_name_organizations_in_triggers")
    each = triggers.TRIGGERS["proofs_of_set_aside"]
    body = each.body.replace("status = 'SET_ASIDE'", counts)
    op.execute(
        "CREATE OR REPLACE FUNCTION proofs_of_set_aside() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ DECLARE {each.variables} BEGIN {body} END $$"
    )
