"""Find the item of an entry by the entry, and those of a settlement by their ids, also where no index has statistics.

SQLite took the index of an account's items and read all of them at each entry and settlement; PostgreSQL all of a
party's at each entry.
"""

from __future__ import annotations

from importlib import import_module

from alembic import op

from webapp.migrations.policies import ask_as_owner

revision = "0079"
down_revision = "0078"
branch_labels = None
depends_on = None

KEPT = import_module("webapp.migrations.versions.0059_keep_items")

PARTS = "ix_settlement_parts_settlement"
# With the organization of the postings, so that SQLite does not begin with all items of that of the entry.
ADDED = KEPT.ADDED.replace(
    "SELECT p.account_id,", "SELECT min(p.organization_id) AS organization_id, p.account_id,"
)
# A plus keeps SQLite from looking for an index of the column.
BY_ENTRY = """items.organization_id = added.organization_id AND items.journal_entry_id IS added.root_id
            AND items.account_id = added.account_id AND +items.currency = added.currency
            AND +items.org_merchant_id IS added.merchant_id"""
BY_ACCOUNT = """items.organization_id = NEW.organization_id AND items.account_id = added.account_id
            AND items.currency = added.currency AND items.org_merchant_id IS added.merchant_id
            AND items.journal_entry_id IS added.root_id"""
BY_PART = """items.organization_id = part.organization_id AND items.id = part.item_id
            AND +items.account_id = NEW.account_id"""
BY_ID = """items.organization_id = NEW.organization_id AND items.id = part.item_id
            AND items.account_id = NEW.account_id"""
# The opening item of a party, which is of no entry, is asked for apart, as no index answers "one or the other".
APART = """
            UPDATE items SET amount_minor = items.amount_minor + added.amount_minor,
                amount_base_minor = items.amount_base_minor + added.base_minor
            WHERE {of_party} AND items.journal_entry_id = added.root_id;
            IF NOT FOUND THEN
                UPDATE items SET amount_minor = items.amount_minor + added.amount_minor,
                    amount_base_minor = items.amount_base_minor + added.base_minor
                WHERE {of_party} AND items.journal_entry_id IS NULL AND added.root_id IS NULL;
            END IF;"""
TOGETHER = """
            UPDATE items SET amount_minor = items.amount_minor + added.amount_minor,
                amount_base_minor = items.amount_base_minor + added.base_minor
            WHERE {of_party} AND (items.journal_entry_id = added.root_id
                OR (added.root_id IS NULL AND items.journal_entry_id IS NULL));"""
OF_PARTY = """items.organization_id = NEW.organization_id AND items.account_id = added.account_id
                AND items.currency = added.currency AND items.org_merchant_id IS NOT DISTINCT FROM added.merchant_id"""


def upgrade() -> None:
    op.create_index(PARTS, "settlement_parts", ["organization_id", "settlement_id", "id"])
    if op.get_bind().dialect.name == "sqlite":
        keep_on_sqlite(BY_ENTRY, BY_PART)
    else:
        keep_on_postgresql(APART)


def downgrade() -> None:
    op.drop_index(PARTS, "settlement_parts")
    if op.get_bind().dialect.name == "sqlite":
        keep_on_sqlite(BY_ACCOUNT, BY_ID)
    else:
        keep_on_postgresql(TOGETHER)


def keep_on_sqlite(of_entry: str, of_part: str) -> None:
    for name in ("items_of_entry", "items_of_settlement"):
        KEPT.make(f"DROP TRIGGER {name}")
    added = f"({ADDED.format(own_day=KEPT.OWN_DAY)}) AS added"
    later = "date(added.day, '+' || added.terms_days || ' days')"
    due_on = KEPT.due("added.side", "added.amount_minor", later, "added.day")
    KEPT.trigger(
        "items_of_entry",
        "AFTER UPDATE OF status ON journal_entries",
        KEPT.POSTS,
        f"""
        UPDATE items SET amount_minor = items.amount_minor + added.amount_minor,
            amount_base_minor = items.amount_base_minor + added.base_minor
        FROM {added} WHERE {of_entry};
        INSERT INTO items ({KEPT.COLUMNS})
        SELECT NEW.organization_id, added.id, added.account_id, added.currency, added.merchant_id, added.root_id,
            added.day, coalesce(added.due_on, {due_on}), added.reference, added.amount_minor, added.base_minor, 0, 0
        FROM {added} WHERE NOT EXISTS (SELECT 1 FROM items WHERE {of_entry});""",  # noqa: S608  (our names)
    )
    sign = "CASE NEW.status WHEN 'STANDING' THEN 1 ELSE -1 END"
    KEPT.trigger(
        "items_of_settlement",
        "AFTER UPDATE OF status ON settlements",
        KEPT.STEPS,
        f"""
        UPDATE items SET settled_minor = items.settled_minor + {sign} * part.amount_minor,
            settled_base_minor = items.settled_base_minor + {sign} * part.amount_base_minor
        FROM settlement_parts part
        WHERE part.organization_id = NEW.organization_id AND part.settlement_id = NEW.id AND {of_part};""",  # noqa: S608  (our names)
    )


def keep_on_postgresql(update: str) -> None:
    due_on = KEPT.due("added.side", "added.amount_minor", "added.day + added.terms_days", "added.day")
    body = f"""
        FOR added IN {KEPT.ADDED.format(own_day=KEPT.OWN_DAY)} LOOP
            {update.format(of_party=OF_PARTY)}
            IF NOT FOUND THEN
                INSERT INTO items ({KEPT.COLUMNS})
                VALUES (NEW.organization_id, added.id, added.account_id, added.currency, added.merchant_id,
                    added.root_id, added.day, coalesce(added.due_on, {due_on}), added.reference, added.amount_minor,
                    added.base_minor, 0, 0);
            END IF;
        END LOOP;
        RETURN NULL;"""  # noqa: S608  (our names)
    KEPT.make(
        "CREATE OR REPLACE FUNCTION items_of_entry() RETURNS trigger LANGUAGE plpgsql"
        f" AS $$ DECLARE added record; BEGIN {body} END $$"
    )
    # A function that is written anew asks as its asker.
    ask_as_owner("items_of_entry")
