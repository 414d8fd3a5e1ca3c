"""Let every key of an organization's table carry the organization, on PostgreSQL; SQLite's stay (webapp/migrations/shapes.py).

Where the pair of organization and id was unique already, it becomes the primary key, and the index of the id alone goes.
All happens in one transaction: whatever ends it leaves the books as they were, to be migrated again.
"""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from alembic import context, op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

Key = tuple[str, ...]
OF_DOCUMENTS = ("transaction", "journal_entry")
# Tables with a key of their id, of which foreign keys name the pair with the organization; and those that no key names.
NAMED = (
    *("accounts", "action_requests", "api_tokens", "column_mappings", "document_relations", "documents"),
    *("exchange_rates", "feed_accounts", "feed_pushes", "idempotency_keys", "imports", "institutions"),
    *(
        "invitations",
        "journal_entries",
        "line_changes",
        "line_joins",
        "merchants",
        "project_groups",
        "projects",
    ),
    *(
        "proof_breaks",
        "provider_balances",
        "reconciliation_items",
        "reconciliations",
        "rule_runs",
        "rule_versions",
    ),
    *("rules", "settlement_parts", "settlements", "suggestion_dismissals", "transactions", "transfer_pairs"),
)
UNNAMED = ("document_settings", "postings", "rule_settings")
# The other keys. A secret tells whose books they are, so that it comes first in its key.
OTHERS: tuple[tuple[str, str, Key], ...] = (
    ("import_lines", "PRIMARY KEY", ("import_id", "position")),
    ("transactions", "UNIQUE", ("feed_account_id", "line_key", "occurrence")),
    ("postings", "UNIQUE", ("journal_entry_id", "position")),
    ("settlement_parts", "UNIQUE", ("settlement_id", "item_id")),
)
SECRETS: tuple[tuple[str, str, Key], ...] = (
    ("sessions", "PRIMARY KEY", ("id_hash",)),
    ("api_tokens", "UNIQUE", ("token_hash",)),
    ("invitations", "UNIQUE", ("token_hash",)),
)
# Foreign keys that name the pair of organization and id, by the index that they hold on to.
NAMING = """
    SELECT k.conrelid::regclass::text AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS definition
    FROM pg_constraint k JOIN pg_index i ON i.indexrelid = k.conindid
    WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace AND i.indnatts = 2
    ORDER BY 1, 2"""


def upgrade() -> None:
    change(wide=True)


def downgrade() -> None:
    change(wide=False)


def change(*, wide: bool) -> None:
    for name in OF_DOCUMENTS:
        exchange_index(name, wide=wide)
    if op.get_bind().dialect.name == "sqlite":
        return
    foreign_keys = op.get_bind().execute(sa.text(NAMING)).all()
    alter((key.table, f'DROP CONSTRAINT "{key.name}"') for key in foreign_keys)
    alter(keys(wide=wide), "keys")
    alter(
        ((key.table, f'ADD CONSTRAINT "{key.name}" {key.definition}') for key in foreign_keys), "foreign keys"
    )


def exchange_index(name: str, *, wide: bool) -> None:
    there = sa.text(f"{name}_id IS NOT NULL")
    index, columns = f"uq_document_relations_{name}", [f"{name}_id", "document_id"]
    op.drop_index(index, "document_relations")
    op.create_index(
        index,
        "document_relations",
        ["organization_id", *columns] if wide else columns,
        unique=True,
        sqlite_where=there,
        postgresql_where=there,
    )


def keys(*, wide: bool) -> Iterable[tuple[str, str]]:
    """List what is changed of which table."""
    for table in (*NAMED, *UNNAMED):
        columns = ("organization_id", "id") if wide else ("id",)
        yield from exchanged(table, f"pk_{table}", "PRIMARY KEY", columns)
        if table in NAMED:
            pair = f"uq_{table}_organization_id_id"
            yield (
                table,
                f"DROP CONSTRAINT {pair}" if wide else f"ADD CONSTRAINT {pair} UNIQUE (organization_id, id)",
            )
    for table, kind, columns in (*OTHERS, *SECRETS):
        name = f"pk_{table}" if kind == "PRIMARY KEY" else f"uq_{table}_{'_'.join(columns)}"
        whose = ("organization_id",) if wide else ()
        whole = (*columns, *whose) if (table, kind, columns) in SECRETS else (*whose, *columns)
        yield from exchanged(table, name, kind, whole)


def exchanged(table: str, name: str, kind: str, columns: Key) -> Iterable[tuple[str, str]]:
    yield table, f"DROP CONSTRAINT {name}"
    yield table, f"ADD CONSTRAINT {name} {kind} ({', '.join(columns)})"


def alter(acts: Iterable[tuple[str, str]], what: str = "") -> None:
    """Change each table once, with all that is changed of it, and tell which one is next."""
    of_table: dict[str, list[str]] = {}
    for table, act in acts:
        of_table.setdefault(table, []).append(act)
    for place, (table, some) in enumerate(of_table.items(), 1):
        if what:
            context.config.attributes["show"](
                f"migrating: {what} of {table.replace('_', ' ')}, table {place} of {len(of_table)}"
            )
        op.execute(f"ALTER TABLE {table} {', '.join(some)}")
