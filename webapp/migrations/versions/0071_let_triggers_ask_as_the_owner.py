"""Let PostgreSQL's triggers ask as the owner of the tables, so that those of distributed books are answered on the node.

Citus writes the policies of a table on each worker anew, with a cast in them that it does not look through later: beside
such a policy a question within a trigger is taken for one to all nodes, and refused. For the owner the policy is `true`.
"""

from __future__ import annotations

from alembic import op

from webapp.migrations.policies import ask_as_asker, ask_as_owner

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None

# Those that ask tables; what the others refuse they see in the row.
ASKING = (
    "entry_balances",
    "items_of_entry",
    "items_of_settlement",
    "later_proofs_of_entry",
    "leg_fixed",
    "leg_kept",
    "leg_not_added",
    "part_fixed",
    "part_kept",
    "part_not_added",
    "proofs_of_bulk_turn",
    "proofs_of_entry",
    "proofs_of_feed_account",
    "proofs_of_line_delete",
    "proofs_of_line_insert",
    "proofs_of_line_update",
    "proofs_of_set_aside",
    "proofs_of_statement",
    "settlement_even",
    "sums_of_bulk_turn",
    "sums_of_line_delete",
    "sums_of_line_insert",
    "sums_of_line_update",
    "sums_of_posting",
    "sums_of_proof",
)


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for name in ASKING:
            ask_as_owner(name)


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for name in ASKING:
            ask_as_asker(name)
