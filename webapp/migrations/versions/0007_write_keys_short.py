"""Write the keys of bank lines in 22 characters, and leave out of indexes what their first id tells already.

There is a row in each of these indexes for every bank line. The way back works the whole keys out again from what
the lines say.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa
from alembic import op

from webapp.ledger.matching.lines import facts_of, short
from webapp.ledger.money import Money

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

CHUNK = 10_000
WHOLE = 64
# Index, table, columns without the organization, of which rows it was and of which it is.
INDEXES = (
    ("ix_transactions_by_day", "transactions", ["feed_account_id", "booked_on", "id"], None),
    ("ix_transactions_entry", "transactions", ["journal_entry_id"], None),
    ("ix_transactions_import", "transactions", ["import_id"], None),
    ("ix_postings_account", "postings", ["account_id", "journal_entry_id"], None),
    ("ix_postings_transaction", "postings", ["transaction_id"], "transaction_id IS NOT NULL"),
    ("ix_import_lines_transaction", "import_lines", ["transaction_id"], None),
)
CORRECTS = "ix_journal_entries_corrects"
KEY = (
    "uq_transactions_organization_id_feed_account_id_line_key_occurrence",
    ["organization_id", "feed_account_id", "line_key", "occurrence"],
)
SHORT_KEY = "uq_transactions_feed_account_id_line_key_occurrence", KEY[1][1:]
PLACE = (
    "uq_postings_organization_id_journal_entry_id_position",
    ["organization_id", "journal_entry_id", "position"],
)
SHORT_PLACE = "uq_postings_journal_entry_id_position", PLACE[1][1:]
NUMBER = "uq_postings_organization_id_id", ["organization_id", "id"]
Unique = tuple[str, list[str]]


def clause(unique: Unique) -> str:
    return f"CONSTRAINT {unique[0]} UNIQUE ({', '.join(unique[1])})"


# SQLite changes a table's own keys only by making it anew: what its statement says, and what it is to say.
EDITS = (
    ("transactions", "line_key VARCHAR(80)", "line_key VARCHAR(32)"),
    ("transactions", clause(KEY), clause(SHORT_KEY)),
    ("postings", f"{clause(NUMBER)}, \n\t{clause(PLACE)}", clause(SHORT_PLACE)),
    ("import_lines", "REFERENCES organizations (id)\n)", "REFERENCES organizations (id)\n) WITHOUT ROWID"),
)


def upgrade() -> None:
    for name, table, columns, only in INDEXES:
        op.drop_index(name, table)
        make_index(name, table, columns, only)
    op.drop_index(CORRECTS, "journal_entries")
    make_index(CORRECTS, "journal_entries", ["organization_id", "corrects_id"], "corrects_id IS NOT NULL")
    write_keys(lambda row: short(binascii.unhexlify(row.line_key)) if len(row.line_key) == WHOLE else None)
    if op.get_bind().dialect.name == "sqlite":
        rebuild([(table, before, after) for table, before, after in EDITS])
        return
    change_key("transactions", KEY, SHORT_KEY)
    change_key("postings", PLACE, SHORT_PLACE)
    op.drop_constraint(NUMBER[0], "postings")
    op.alter_column("transactions", "line_key", type_=sa.String(32))


def downgrade() -> None:
    for name, table, columns, _ in reversed(INDEXES):
        op.drop_index(name, table)
        make_index(name, table, ["organization_id", *columns], None)
    op.drop_index(CORRECTS, "journal_entries")
    make_index(CORRECTS, "journal_entries", ["organization_id", "corrects_id"], None)
    if op.get_bind().dialect.name == "sqlite":
        rebuild([(table, after, before) for table, before, after in EDITS])
    else:
        op.alter_column("transactions", "line_key", type_=sa.String(80))
        op.create_unique_constraint(NUMBER[0], "postings", NUMBER[1])
        change_key("postings", SHORT_PLACE, PLACE)
        change_key("transactions", SHORT_KEY, KEY)
    write_keys(whole_key)


def make_index(name: str, table: str, columns: list[str], only: str | None) -> None:
    where = None if only is None else sa.text(only)
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)


def change_key(table: str, before: Unique, after: Unique) -> None:
    # The longest of these names is longer than PostgreSQL's may be, and was cut when it was made.
    op.drop_constraint(op.f(before[0]), table)
    op.create_unique_constraint(op.f(after[0]), table, after[1])


def write_keys(written: Any) -> None:
    """Write the key of each line anew; one that is not of this making stays as it is."""
    bind = op.get_bind()
    last = 0
    while rows := bind.execute(
        sa.text(
            "SELECT id, line_key, provider_transaction_id, booked_on, amount_minor, currency, description, counterparty"
            " FROM transactions WHERE line_key IS NOT NULL AND id > :last ORDER BY id LIMIT :most"
        ).columns(booked_on=sa.Date),
        {"last": last, "most": CHUNK},
    ).all():
        last = rows[-1].id
        keys = [{"id": row.id, "line_key": key} for row in rows if (key := written(row)) is not None]
        if keys:
            bind.execute(sa.text("UPDATE transactions SET line_key = :line_key WHERE id = :id"), keys)


def whole_key(row: Any) -> str | None:
    """Work a whole key out again; the short one tells whether the line was pending when it came."""
    for pending in (False, True):
        line = SimpleNamespace(
            provider_transaction_id=row.provider_transaction_id,
            booked_on=row.booked_on,
            amount=Money(row.amount_minor, row.currency).decimal,
            pending=pending,
            description=row.description,
            counterparty=row.counterparty,
        )
        digest = sha256(facts_of(line)).digest()
        if short(digest) == row.line_key:
            return digest.hex()
    return None


def rebuild(edits: Iterable[tuple[str, str, str]]) -> None:
    """Make tables of SQLite anew by their own edited statements, with their rows and indexes and last ids."""
    wanted: dict[str, list[tuple[str, str]]] = {}
    for table, before, after in edits:
        wanted.setdefault(table, []).append((before, after))
    with without_triggers():
        for table, swaps in wanted.items():
            make_anew(table, swaps)


@contextmanager
def without_triggers() -> Iterator[None]:
    """Put the triggers aside: they would go with their tables, and stand in the way of a new name."""
    bind = op.get_bind()
    triggers = bind.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all()
    for name, _ in triggers:
        bind.exec_driver_sql(f'DROP TRIGGER "{name}"')
    yield
    for _, made_by in triggers:
        bind.exec_driver_sql(made_by)


def make_anew(table: str, swaps: list[tuple[str, str]]) -> None:
    bind = op.get_bind()
    made_by = bind.exec_driver_sql("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).scalar_one()
    indexes = bind.exec_driver_sql(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", (table,)
    ).scalars()
    indexes_made_by = list(indexes)
    last = bind.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).scalar()
    for before, after in swaps:
        if made_by.count(before) != 1:
            raise RuntimeError(f"The statement that made {table} does not say: {before}")
        made_by = made_by.replace(before, after)
    bind.exec_driver_sql(made_by.replace(table, f"{table}_anew", 1))
    bind.exec_driver_sql(f"INSERT INTO {table}_anew SELECT * FROM {table}")  # noqa: S608  (names of ours)
    bind.exec_driver_sql(f"DROP TABLE {table}")
    bind.exec_driver_sql(f"ALTER TABLE {table}_anew RENAME TO {table}")
    bind.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    if last is not None:
        bind.exec_driver_sql("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))
    for index in indexes_made_by:
        bind.exec_driver_sql(index)
