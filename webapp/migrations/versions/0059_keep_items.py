"""Keep the items of accounts: what is owed, what of it is settled, and what lines are to pay.

The database keeps the row of an item as entries are posted, and what is settled of it as settlements stand and end. It
lets a settlement stand only with parts that sum to nil, and changes none that stands except to UNDONE. PostgreSQL's
triggers name the organization and write row by row, as those of migration 0050.
"""

from __future__ import annotations

from importlib import import_module

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
SOURCES = "source IN ('bank_feed', 'document', 'manual', 'opening', 'correction', 'void', 'revaluation', "
BEFORE, AFTER = f"{SOURCES}'exchange')", f"{SOURCES}'exchange', 'settlement')"
STATUSES = {"ck_settlements_status_word": "status IN ({}'STANDING', 'UNDONE')"}
CAUSES = "cause IN ('BY_HAND', 'PAYMENT', 'VOID', 'NIL', 'DOCUMENT')"
PURPOSES = "purpose IN ('DIFFERENCE', 'DISCOUNT', 'WRITE_OFF', 'FEE')"
WITHIN = "({0} BETWEEN 0 AND {1}) OR ({0} BETWEEN {1} AND 0)"
AUTOINCREMENT = {"sqlite_autoincrement": True}
IS_OPEN = sa.text("settled_minor <> amount_minor")

UNEVEN = "A settlement has two parts or more that sum to zero."
FIXED = "A settlement that stands never changes; undo it."
POSTS = "OLD.status = 'DRAFT' AND NEW.status = 'POSTED'"
STANDS = "OLD.status = 'OPEN' AND NEW.status = 'STANDING'"
STEPS = "OLD.status <> NEW.status"
SAME = (
    "organization_id",
    "id",
    "account_id",
    "currency",
    "base_currency",
    "cause",
    "settled_on",
    "created_at",
)
# What an entry adds to items. A revaluation and what a settlement realised are none, and neither are their reversals;
# of what is dated before the account kept items all is one, for each merchant and currency.
ADDED = """
    SELECT p.account_id, p.currency, p.org_merchant_id AS merchant_id,
        CASE WHEN o.effective_on < a.items_from THEN NULL ELSE r.id END AS root_id,
        CASE WHEN o.effective_on < a.items_from THEN NULL ELSE {own_day} END AS day,
        CASE WHEN a.type = 'ASSET' THEN 1 ELSE -1 END AS side,
        coalesce(m.terms_days, 0) AS terms_days,
        min(p.id) AS id, sum(p.amount_minor) AS amount_minor, sum(p.amount_base_minor) AS base_minor,
        min(p.due_on) AS due_on, min(p.reference) AS reference
    FROM postings p
    JOIN accounts a ON a.organization_id = p.organization_id AND a.id = p.account_id AND a.keeps_items
    JOIN journal_entries r ON r.organization_id = p.organization_id AND r.id = coalesce(NEW.corrects_id, NEW.id)
    JOIN journal_entries o ON o.organization_id = p.organization_id
        AND o.id = coalesce(NEW.voids_id, NEW.corrects_id, NEW.id)
    LEFT JOIN merchants m ON m.organization_id = p.organization_id AND m.id = p.org_merchant_id
    WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id AND o.source <> 'revaluation'
        AND (o.source <> 'settlement' OR p.amount_minor <> 0)
    GROUP BY p.account_id, p.currency, p.org_merchant_id, a.items_from, a.type, m.terms_days, o.effective_on, r.id,
        r.effective_on, r.document_id"""
OWN_DAY = """coalesce(
            (SELECT min(t.booked_on) FROM postings b
            JOIN transactions t ON t.organization_id = b.organization_id AND t.id = b.transaction_id
            WHERE b.organization_id = NEW.organization_id AND b.journal_entry_id = r.id),
            (SELECT d.issued_on FROM documents d WHERE d.organization_id = NEW.organization_id AND d.id = r.document_id),
            r.effective_on)"""
COLUMNS = (
    "organization_id, id, account_id, currency, org_merchant_id, journal_entry_id, day, due_on, reference,"
    " amount_minor, amount_base_minor, settled_minor, settled_base_minor"
)
UNEVEN_PARTS = (
    "(SELECT count(*) FROM settlement_parts p WHERE p.organization_id = NEW.organization_id"
    " AND p.settlement_id = NEW.id) < 2 OR (SELECT sum(p.amount_minor) FROM settlement_parts p"
    " WHERE p.organization_id = NEW.organization_id AND p.settlement_id = NEW.id) <> 0"
)
IN_STANDING = (
    "EXISTS (SELECT 1 FROM settlements s WHERE s.organization_id = {row}.organization_id"
    " AND s.id = {row}.settlement_id AND s.status <> 'OPEN')"
)


def upgrade() -> None:
    make_columns()
    make_tables()
    if op.get_bind().dialect.name == "sqlite":
        keep_on_sqlite()
    else:
        for table in ("items", "payments", "payment_parts", "settlement_entries"):
            protect(table)
        keep_on_postgresql()


def make_columns() -> None:
    change_sources(BEFORE, AFTER)
    for name, column in (
        ("accounts", sa.Column("keeps_items", sa.Boolean(), server_default=sa.false(), nullable=False)),
        ("accounts", sa.Column("items_from", sa.Date())),
        ("merchants", sa.Column("terms_days", sa.Integer())),
        ("postings", sa.Column("due_on", sa.Date())),
        ("postings", sa.Column("reference", sa.String(length=255))),
        ("settlements", sa.Column("base_currency", sa.String(length=3))),
        ("settlements", sa.Column("cause", sa.String(length=16), server_default="BY_HAND", nullable=False)),
    ):
        op.add_column(name, column)
    of_books = "SELECT base_currency FROM organizations o WHERE o.id = settlements.organization_id"
    op.execute(f"UPDATE settlements SET base_currency = ({of_books})")  # noqa: S608  (our names)
    with op.batch_alter_table("settlements", table_kwargs=AUTOINCREMENT) as batch:
        batch.alter_column("base_currency", existing_type=sa.String(length=3), nullable=False)
        for name, words in STATUSES.items():
            batch.drop_constraint(op.f(name), type_="check")
            batch.create_check_constraint(op.f(name), words.format("'OPEN', "))
        batch.create_check_constraint(op.f("ck_settlements_cause_word"), CAUSES)
    with op.batch_alter_table("settlement_parts", table_kwargs=AUTOINCREMENT) as batch:
        batch.alter_column("journal_entry_id", existing_type=BIG, nullable=True)


def change_sources(before: str, after: str) -> None:
    """Change the words that the source of an entry may be, as migration 0032 does."""
    exchange = import_module("webapp.migrations.versions.0032_realise_pairs")
    name = op.f("ck_journal_entries_source_word")
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint(name, "journal_entries", type_="check")
        op.create_check_constraint(name, "journal_entries", after)
        return
    with exchange.without_triggers():
        exchange.make_anew("journal_entries", before, after)


def make_tables() -> None:
    op.create_table(
        "items",
        *keyed("items", "id"),
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("org_merchant_id", BIG),
        sa.Column("journal_entry_id", BIG),
        sa.Column("day", sa.Date()),
        sa.Column("due_on", sa.Date()),
        sa.Column("reference", sa.String(length=255)),
        *(
            sa.Column(f"{name}_minor", sa.BigInteger(), nullable=False)
            for name in ("amount", "amount_base", "settled", "settled_base")
        ),
        refers("items", "account_id", "accounts"),
        refers("items", "org_merchant_id", "merchants"),
        refers("items", "journal_entry_id", "journal_entries"),
        sa.CheckConstraint(
            WITHIN.format("settled_minor", "amount_minor"), name=op.f("ck_items_settled_within")
        ),
        sa.CheckConstraint(
            WITHIN.format("settled_base_minor", "amount_base_minor"),
            name=op.f("ck_items_settled_base_within"),
        ),
        sa.CheckConstraint(
            "amount_minor = 0 OR settled_minor <> amount_minor OR settled_base_minor = amount_base_minor",
            name=op.f("ck_items_closed_in_base"),
        ),
    )
    op.create_index("ix_items_entry", "items", ["organization_id", "journal_entry_id", "account_id"])
    op.create_index(
        "ix_items_account", "items", ["organization_id", "account_id", "org_merchant_id", "currency"]
    )
    op.create_index(
        "ix_items_open",
        "items",
        ["organization_id", "account_id", "id"],
        sqlite_where=IS_OPEN,
        postgresql_where=IS_OPEN,
    )
    op.create_table(
        "payments",
        *keyed("payments", "transaction_id"),
        sa.Column("short", sa.JSON()),
        refers("payments", "transaction_id", "transactions", ondelete="CASCADE"),
    )
    op.create_table(
        "payment_parts",
        *keyed("payment_parts", "transaction_id", "item_id"),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        refers("payment_parts", "transaction_id", "transactions", ondelete="CASCADE"),
    )
    op.create_index("ix_payment_parts_item", "payment_parts", ["organization_id", "item_id"])
    op.create_table(
        "settlement_entries",
        *keyed("settlement_entries", "journal_entry_id"),
        sa.Column("settlement_id", BIG, nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        refers("settlement_entries", "journal_entry_id", "journal_entries"),
        refers("settlement_entries", "settlement_id", "settlements"),
        sa.CheckConstraint(PURPOSES, name=op.f("ck_settlement_entries_purpose_word")),
    )
    op.create_index(
        "ix_settlement_entries_settlement", "settlement_entries", ["organization_id", "settlement_id"]
    )


def keyed(table: str, *columns: str) -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        *(sa.Column(column, BIG, nullable=False) for column in columns),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f(f"fk_{table}_organization_id")
        ),
        sa.PrimaryKeyConstraint("organization_id", *columns, name=op.f(f"pk_{table}")),
    ]


def refers(table: str, column: str, other: str, ondelete: str = "RESTRICT") -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["organization_id", column],
        [f"{other}.organization_id", f"{other}.id"],
        name=op.f(f"fk_{table}_organization_id_{column}"),
        ondelete=ondelete,
    )


def due(side: str, amount: str, later: str, day: str) -> str:
    """Give the day on which an item is due: what is owed to the side of the account waits as the merchant's terms say."""
    return f"CASE WHEN {side} * {amount} > 0 THEN {later} ELSE {day} END"


def keep_on_sqlite() -> None:
    of_item = """items.organization_id = NEW.organization_id AND items.account_id = added.account_id
            AND items.currency = added.currency AND items.org_merchant_id IS added.merchant_id
            AND items.journal_entry_id IS added.root_id"""
    added = f"({ADDED.format(own_day=OWN_DAY)}) AS added"
    later = "date(added.day, '+' || added.terms_days || ' days')"
    due_on = due("added.side", "added.amount_minor", later, "added.day")
    trigger(
        "items_of_entry",
        "AFTER UPDATE OF status ON journal_entries",
        POSTS,
        f"""
        UPDATE items SET amount_minor = items.amount_minor + added.amount_minor,
            amount_base_minor = items.amount_base_minor + added.base_minor
        FROM {added} WHERE {of_item};
        INSERT INTO items ({COLUMNS})
        SELECT NEW.organization_id, added.id, added.account_id, added.currency, added.merchant_id, added.root_id,
            added.day, coalesce(added.due_on, {due_on}), added.reference, added.amount_minor, added.base_minor, 0, 0
        FROM {added} WHERE NOT EXISTS (SELECT 1 FROM items WHERE {of_item});""",  # noqa: S608  (our names)
    )
    sign = "CASE NEW.status WHEN 'STANDING' THEN 1 ELSE -1 END"
    trigger(
        "items_of_settlement",
        "AFTER UPDATE OF status ON settlements",
        STEPS,
        f"""
        UPDATE items SET settled_minor = items.settled_minor + {sign} * part.amount_minor,
            settled_base_minor = items.settled_base_minor + {sign} * part.amount_base_minor
        FROM settlement_parts part
        WHERE part.organization_id = NEW.organization_id AND part.settlement_id = NEW.id
            AND items.organization_id = NEW.organization_id AND items.id = part.item_id
            AND items.account_id = NEW.account_id;""",  # noqa: S608  (our names)
    )
    for name, event, when, sentence in refusals("IS NOT"):
        trigger(name, f"BEFORE {event}", when, f"SELECT RAISE(ABORT, '{sentence}');")


def refusals(differs: str) -> list[tuple[str, str, str, str]]:
    """List what is refused: the trigger's name, its event, when, and the sentence."""
    changed = " OR ".join(f"OLD.{column} {differs} NEW.{column}" for column in SAME)
    step = "OLD.status = 'STANDING' AND NEW.status = 'UNDONE'"
    old, new = IN_STANDING.format(row="OLD"), IN_STANDING.format(row="NEW")
    return [
        ("settlement_even", "UPDATE ON settlements", f"{STANDS} AND ({UNEVEN_PARTS})", UNEVEN),
        (
            "settlement_fixed",
            "UPDATE ON settlements",
            f"OLD.status <> 'OPEN' AND (NOT ({step}) OR {changed})",
            FIXED,
        ),
        ("settlement_kept", "DELETE ON settlements", "OLD.status <> 'OPEN'", FIXED),
        ("part_not_added", "INSERT ON settlement_parts", new, FIXED),
        ("part_fixed", "UPDATE ON settlement_parts", f"{old} OR {new}", FIXED),
        ("part_kept", "DELETE ON settlement_parts", old, FIXED),
    ]


def trigger(name: str, event: str, when: str, body: str) -> None:
    make(f"CREATE TRIGGER {name} {event} WHEN {when} BEGIN {body} END")


def keep_on_postgresql() -> None:
    due_on = due("added.side", "added.amount_minor", "added.day + added.terms_days", "added.day")
    items = f"""
        FOR added IN {ADDED.format(own_day=OWN_DAY)} LOOP
            UPDATE items SET amount_minor = items.amount_minor + added.amount_minor,
                amount_base_minor = items.amount_base_minor + added.base_minor
            WHERE items.organization_id = NEW.organization_id AND items.account_id = added.account_id
                AND items.currency = added.currency AND items.org_merchant_id IS NOT DISTINCT FROM added.merchant_id
                AND (items.journal_entry_id = added.root_id
                    OR (added.root_id IS NULL AND items.journal_entry_id IS NULL));
            IF NOT FOUND THEN
                INSERT INTO items ({COLUMNS})
                VALUES (NEW.organization_id, added.id, added.account_id, added.currency, added.merchant_id,
                    added.root_id, added.day, coalesce(added.due_on, {due_on}), added.reference, added.amount_minor,
                    added.base_minor, 0, 0);
            END IF;
        END LOOP;
        RETURN NULL;"""  # noqa: S608  (our names)
    function("items_of_entry", "AFTER UPDATE ON journal_entries", items, "added record;", POSTS)
    sign = "CASE NEW.status WHEN 'STANDING' THEN 1 ELSE -1 END"
    settled = f"""
        FOR part IN
            SELECT p.item_id, p.amount_minor, p.amount_base_minor FROM settlement_parts p
            WHERE p.organization_id = NEW.organization_id AND p.settlement_id = NEW.id
        LOOP
            UPDATE items SET settled_minor = items.settled_minor + {sign} * part.amount_minor,
                settled_base_minor = items.settled_base_minor + {sign} * part.amount_base_minor
            WHERE items.organization_id = NEW.organization_id AND items.id = part.item_id
                AND items.account_id = NEW.account_id;
        END LOOP;
        RETURN NULL;"""  # noqa: S608  (our names)
    function("items_of_settlement", "AFTER UPDATE ON settlements", settled, "part record;", STEPS)
    for name, event, when, sentence in refusals("IS DISTINCT FROM"):
        answer = "OLD" if event.startswith("DELETE") else "NEW"
        refused = f"RAISE EXCEPTION '{sentence}' USING ERRCODE = 'integrity_constraint_violation';"
        function(name, f"BEFORE {event}", f"IF {when} THEN {refused} END IF; RETURN {answer};")


def function(name: str, event: str, body: str, variables: str = "", when: str = "") -> None:
    make(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE {variables} BEGIN {body} END $$"
    )
    condition = f" WHEN ({when})" if when else ""
    make(f"CREATE TRIGGER {name} {event} FOR EACH ROW{condition} EXECUTE FUNCTION {name}()")


def downgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    tables = {"items_of_entry": "journal_entries", "items_of_settlement": "settlements"}
    tables |= {name: event.rpartition(" ")[2] for name, event, *_ in refusals("IS NOT")}
    for name, table in tables.items():
        make(f"DROP TRIGGER {name}" + ("" if is_sqlite else f" ON {table}"))
        if not is_sqlite:
            make(f"DROP FUNCTION {name}()")
    op.execute("DELETE FROM settlement_parts WHERE journal_entry_id IS NULL")
    for table in ("settlement_entries", "payment_parts", "payments", "items"):
        op.drop_table(table)
    with op.batch_alter_table("settlement_parts", table_kwargs=AUTOINCREMENT) as batch:
        batch.alter_column("journal_entry_id", existing_type=BIG, nullable=False)
    with op.batch_alter_table("settlements", table_kwargs=AUTOINCREMENT) as batch:
        batch.drop_constraint(op.f("ck_settlements_cause_word"), type_="check")
        for name, words in STATUSES.items():
            batch.drop_constraint(op.f(name), type_="check")
            batch.create_check_constraint(op.f(name), words.format(""))
        batch.drop_column("cause")
        batch.drop_column("base_currency")
    for table, column in (
        ("postings", "reference"),
        ("postings", "due_on"),
        ("merchants", "terms_days"),
        ("accounts", "items_from"),
        ("accounts", "keeps_items"),
    ):
        op.drop_column(table, column)
    change_sources(AFTER, BEFORE)


def make(statement: str) -> None:
    """Run a statement in which nothing is a parameter."""
    op.get_bind().exec_driver_sql(statement)
