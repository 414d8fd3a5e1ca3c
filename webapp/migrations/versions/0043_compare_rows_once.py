"""Let PostgreSQL's triggers see whether anything of a statement matters by one look at each row, not at each pair."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

PAIRS = "SELECT 1 FROM old_rows o JOIN new_rows n ON n.id = o.id WHERE"
POSTED = "SELECT n.id, n.organization_id, n.effective_on AS day FROM new_rows n"
LINE = ("status", "booked_on", "amount_minor", "feed_account_id")
LINE_OF_PROOF = ("status", "booked_on", "amount_minor", "journal_entry_id", "feed_account_id")


def _distinct(columns: tuple[str, ...]) -> str:
    before, after = (", ".join(f"{row}.{column}" for column in columns) for row in ("o", "n"))
    return f"{PAIRS} ({before}) IS DISTINCT FROM ({after})"


def _except(columns: tuple[str, ...]) -> str:
    named = ", ".join(("id", *columns))
    return f"SELECT {named} FROM new_rows EXCEPT SELECT {named} FROM old_rows"  # noqa: S608  (names of ours)


# The guard of each function before and after. Some let through a little more: what follows writes nothing then.
GUARDS = {
    "sums_of_line_update": (_distinct(LINE), _except(LINE)),
    "proofs_of_line_update": (_distinct(LINE_OF_PROOF), _except(LINE_OF_PROOF)),
    "proofs_of_set_aside": (
        f"{_distinct(LINE_OF_PROOF)} AND 'SET_ASIDE' IN (o.status, n.status)",
        "SELECT 1 FROM new_rows WHERE status = 'SET_ASIDE' UNION ALL SELECT 1 FROM old_rows WHERE status = 'SET_ASIDE'",
    ),
    "proofs_of_entry": (f"{PAIRS} o.status <> n.status", _except(("status",))),
    "later_proofs_of_entry": (f"{PAIRS} o.status <> n.status", _except(("status",))),
    "sums_of_posting": (
        f"{POSTED} JOIN old_rows o ON o.id = n.id WHERE o.status = 'DRAFT' AND n.status = 'POSTED'",
        _except(("status",)),
    ),
}


def upgrade() -> None:
    for name, (before, after) in GUARDS.items():
        _exchange(name, before, after)


def downgrade() -> None:
    for name, (before, after) in GUARDS.items():
        _exchange(name, after, before)


def _exchange(function: str, old: str, new: str) -> None:
    """Write a trigger's function anew with another guard; SQLite's triggers see one row at a time."""
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        return
    found = sa.text("SELECT pg_get_functiondef(CAST(:name AS regproc))")
    definition = str(bind.scalar(found, {"name": function}))
    old_guard, new_guard = (f"IF EXISTS ({each}) THEN" for each in (old, new))
    if old_guard not in definition:
        raise RuntimeError(f"{function} has another guard than the migrations gave it.")
    bind.exec_driver_sql(definition.replace(old_guard, new_guard))
