"""Keep day and month sums of postings and bank lines, and each account's register, by triggers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
REACH = "BETWEEN -9223372036854775807 AND 9223372036854775807"
COUNTED = "('BOOKED', 'SET_ASIDE')"

# The first day of the month of {day}.
MONTH = {
    "sqlite": "substr({day}, 1, 8) || '01'",
    "postgresql": "date_trunc('month', {day})::date",
}
# The entries that a statement posts, and the lines that it brings (1) and takes away (-1), for triggers of both
# kinds: SQLite's run for each row, PostgreSQL's once for each statement, or a long import would update the sum of
# one day as often as it has lines.
POSTED = {
    "sqlite": "(SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.effective_on AS day)",
    "postgresql": "(SELECT n.id, n.organization_id, n.effective_on AS day FROM new_rows n"
    " JOIN old_rows o ON o.id = n.id WHERE o.status = 'DRAFT' AND n.status = 'POSTED')",
}
LINE = (
    "SELECT {row}.id AS id, {row}.organization_id AS organization_id, {row}.feed_account_id AS feed_account_id,"
    " {row}.booked_on AS day, {row}.amount_minor AS amount_minor, {row}.status AS status, {sign} AS sign"
)
CHANGED = {
    "sqlite": {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)},
    "postgresql": {"INSERT": ("new_rows",), "UPDATE": ("old_rows", "new_rows"), "DELETE": ("old_rows",)},
}
SUMS_OF_LINE = "status, booked_on, amount_minor, feed_account_id"
DIFFERS = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in SUMS_OF_LINE.split(", "))


def account_sums(table: str, day: str, entries: str) -> str:
    """Add the postings of entries to what the accounts have."""
    return f"""
        INSERT INTO {table} (organization_id, account_id, currency, day, amount_minor, amount_base_minor)
        SELECT p.organization_id, p.account_id, p.currency, {day}, sum(p.amount_minor), sum(p.amount_base_minor)
        FROM {entries} e
        JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
        WHERE 1 = 1
        GROUP BY p.organization_id, p.account_id, p.currency, {day}
        ON CONFLICT (organization_id, account_id, currency, day) DO UPDATE SET
            amount_minor = {table}.amount_minor + excluded.amount_minor,
            amount_base_minor = {table}.amount_base_minor + excluded.amount_base_minor"""  # noqa: S608  (no name in it comes from outside)


def register(entries: str) -> str:
    """Write the postings of entries into the registers."""
    return f"""
        INSERT INTO register_lines (organization_id, account_id, day, journal_entry_id, posting_id)
        SELECT p.organization_id, p.account_id, e.day, e.id, p.id
        FROM {entries} e
        JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id"""  # noqa: S608  (no name in it comes from outside)


def line_sums(table: str, day: str, lines: str, standing: str) -> str:
    """Add lines to what the feed accounts have; one that a standing proof cleared is no longer unreconciled."""
    return f"""
        INSERT INTO {table} (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
        SELECT l.organization_id, l.feed_account_id, {day}, sum(l.sign * l.amount_minor),
            sum(CASE WHEN l.status <> 'BOOKED' OR EXISTS (
                SELECT 1 FROM reconciliation_items i
                JOIN reconciliations r ON r.id = i.reconciliation_id AND r.organization_id = i.organization_id
                WHERE i.organization_id = l.organization_id AND i.transaction_id = l.id AND {standing}
                    AND r.status = 'COMPLETED') THEN 0 ELSE l.sign END)
        FROM {lines} l
        WHERE l.status IN {COUNTED}
        GROUP BY l.organization_id, l.feed_account_id, {day}
        ON CONFLICT (organization_id, feed_account_id, day) DO UPDATE SET
            amount_minor = {table}.amount_minor + excluded.amount_minor,
            unreconciled_count = {table}.unreconciled_count + excluded.unreconciled_count"""  # noqa: S608  (no name in it comes from outside)


def proof_counts(table: str, day: str, proofs: str) -> str:
    """Take the lines of proofs (id, organization_id, sign) out of what is unreconciled, or put them back."""
    return f"""
        INSERT INTO {table} (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
        SELECT t.organization_id, t.feed_account_id, {day}, 0, sum(r.sign)
        FROM {proofs} r
        JOIN reconciliation_items i ON i.organization_id = r.organization_id AND i.reconciliation_id = r.id
        JOIN transactions t ON t.organization_id = i.organization_id AND t.id = i.transaction_id
        WHERE t.status = 'BOOKED'
        GROUP BY t.organization_id, t.feed_account_id, {day}
        ON CONFLICT (organization_id, feed_account_id, day) DO UPDATE SET
            unreconciled_count = {table}.unreconciled_count + excluded.unreconciled_count"""  # noqa: S608  (no name in it comes from outside)


def months_and_days(engine: str, name: str, day: str) -> list[tuple[str, str]]:
    """Give both tables of one kind, each with how it names the day."""
    return [(f"{name}day_sums", day), (f"{name}month_sums", MONTH[engine].format(day=day))]


def of_posting(engine: str, entries: str) -> list[str]:
    """List what happens to entries that are posted."""
    sums = [account_sums(table, day, entries) for table, day in months_and_days(engine, "", "e.day")]
    return [*sums, register(entries)]


def of_lines(engine: str, lines: str) -> list[str]:
    """List what happens to lines that come, change or go."""
    standing = "i.is_standing = 1" if engine == "sqlite" else "i.is_standing"
    tables = months_and_days(engine, "line_", "l.day")
    return [line_sums(table, day, lines, standing) for table, day in tables]


def of_new_line() -> list[str]:
    """List what happens to one line that comes, on SQLite: no proof can have cleared it, and imports bring many."""
    return [
        f"""
        INSERT INTO {table} (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
        VALUES (NEW.organization_id, NEW.feed_account_id, {day}, NEW.amount_minor, NEW.status = 'BOOKED')
        ON CONFLICT (organization_id, feed_account_id, day) DO UPDATE SET
            amount_minor = {table}.amount_minor + excluded.amount_minor,
            unreconciled_count = {table}.unreconciled_count + excluded.unreconciled_count"""  # noqa: S608  (as above)
        for table, day in months_and_days("sqlite", "line_", "NEW.booked_on")
    ]


def of_proofs(engine: str, proofs: str) -> list[str]:
    """List what happens to the lines of proofs that are completed or taken back."""
    tables = months_and_days(engine, "line_", "t.booked_on")
    return [proof_counts(table, day, proofs) for table, day in tables]


def make_tables() -> None:
    op.create_table("day_sums", *account_columns("day_sums"), sqlite_with_rowid=False)
    op.create_table("month_sums", *account_columns("month_sums"), sqlite_with_rowid=False)
    op.create_table("line_day_sums", *line_columns("line_day_sums"), sqlite_with_rowid=False)
    op.create_table("line_month_sums", *line_columns("line_month_sums"), sqlite_with_rowid=False)
    op.create_table(
        "register_lines",
        *key_columns("register_lines", "account_id", "accounts"),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("journal_entry_id", BIG, nullable=False),
        sa.Column("posting_id", BIG, nullable=False),
        sa.PrimaryKeyConstraint(
            "organization_id", "account_id", "day", "journal_entry_id", "posting_id", name="pk_register_lines"
        ),
        sqlite_with_rowid=False,
    )


def key_columns(table: str, column: str, of: str) -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.Column(column, BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=f"fk_{table}_organization_id"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", column],
            [f"{of}.organization_id", f"{of}.id"],
            name=f"fk_{table}_organization_id_{column}",
            ondelete="CASCADE",
        ),
    ]


def within_reach(table: str, column: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(f"{column} {REACH}", name=f"ck_{table}_{column}_within_reach")


def account_columns(table: str) -> list[sa.schema.SchemaItem]:
    return [
        *key_columns(table, "account_id", "accounts"),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger(), nullable=False),
        within_reach(table, "amount_minor"),
        within_reach(table, "amount_base_minor"),
        sa.PrimaryKeyConstraint("organization_id", "account_id", "currency", "day", name=f"pk_{table}"),
    ]


def line_columns(table: str) -> list[sa.schema.SchemaItem]:
    return [
        *key_columns(table, "feed_account_id", "feed_accounts"),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("unreconciled_count", BIG, nullable=False),
        within_reach(table, "amount_minor"),
        sa.PrimaryKeyConstraint("organization_id", "feed_account_id", "day", name=f"pk_{table}"),
    ]


def filling(engine: str) -> list[str]:
    """List what adds up what is there already."""
    entries = (
        "(SELECT id, organization_id, effective_on AS day FROM journal_entries"
        " WHERE status IN ('POSTED', 'VOIDED'))"
    )
    lines = f"({LINE.format(row='t', sign='1')} FROM transactions t)"
    return [*of_posting(engine, entries), *of_lines(engine, lines)]


def keep_on_sqlite() -> None:
    def trigger(name: str, event: str, when: str, statements: list[str]) -> None:
        body = ";".join(statements)
        op.execute(f"CREATE TRIGGER {name} AFTER {event} {when} BEGIN {body}; END")

    posted = "WHEN OLD.status = 'DRAFT' AND NEW.status = 'POSTED'"
    trigger(
        "sums_of_posting",
        "UPDATE OF status ON journal_entries",
        posted,
        of_posting("sqlite", POSTED["sqlite"]),
    )
    counted = f"WHEN NEW.status IN {COUNTED}"
    trigger("sums_of_line_insert", "INSERT ON transactions", counted, of_new_line())
    for event, rows in list(CHANGED["sqlite"].items())[1:]:
        read = [LINE.format(row=row, sign="-1" if row == "OLD" else "1") for row in rows]
        columns, when = (f" OF {SUMS_OF_LINE}", f"WHEN {DIFFERS}") if event == "UPDATE" else ("", "")
        trigger(
            f"sums_of_line_{event.lower()}",
            f"{event}{columns} ON transactions",
            when,
            of_lines("sqlite", f"({' UNION ALL '.join(read)})"),
        )
    for name, status, sign in (("completed", "COMPLETED", -1), ("reopened", "REOPENED", 1)):
        proof = f"(SELECT NEW.id AS id, NEW.organization_id AS organization_id, {sign} AS sign)"
        trigger(
            f"sums_of_{name}",
            "UPDATE OF status ON reconciliations",
            f"WHEN OLD.status <> NEW.status AND NEW.status = '{status}'",
            of_proofs("sqlite", proof),
        )


def keep_on_postgresql() -> None:
    def trigger(name: str, event: str, table: str, found: str, statements: list[str]) -> None:
        """Make a trigger for whole statements, which ends at once where it finds nothing to do."""
        seen = {"INSERT": "NEW TABLE AS new_rows", "DELETE": "OLD TABLE AS old_rows"}
        rows = seen.get(event, f"{seen['DELETE']} {seen['INSERT']}")
        body = ";".join(statements)
        op.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF EXISTS {found} THEN {body}; END IF; RETURN NULL; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {name} AFTER {event} ON {table} REFERENCING {rows}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
        )

    posted = POSTED["postgresql"]
    trigger("sums_of_posting", "UPDATE", "journal_entries", posted, of_posting("postgresql", posted))
    for event, rows in CHANGED["postgresql"].items():
        read = " UNION ALL ".join(
            f"{LINE.format(row=row, sign='-1' if row == 'old_rows' else '1')} FROM {row}" for row in rows
        )
        found = f"(SELECT 1 FROM {rows[0]})"  # noqa: S608  (as above)
        if event == "UPDATE":
            found = (
                "(SELECT 1 FROM old_rows o JOIN new_rows n ON n.id = o.id"
                " WHERE (o.status, o.booked_on, o.amount_minor, o.feed_account_id)"
                " IS DISTINCT FROM (n.status, n.booked_on, n.amount_minor, n.feed_account_id))"
            )
        name = f"sums_of_line_{event.lower()}"
        trigger(name, event, "transactions", found, of_lines("postgresql", f"({read})"))
    proofs = (
        "(SELECT n.id, n.organization_id, CASE WHEN n.status = 'COMPLETED' THEN -1 ELSE 1 END AS sign"
        " FROM new_rows n JOIN old_rows o ON o.id = n.id"
        " WHERE o.status <> n.status AND n.status IN ('COMPLETED', 'REOPENED'))"
    )
    trigger("sums_of_proof", "UPDATE", "reconciliations", proofs, of_proofs("postgresql", proofs))


def upgrade() -> None:
    engine = op.get_bind().dialect.name
    make_tables()
    only = sa.text("status = 'DRAFT'")
    op.create_index(
        "ix_journal_entries_drafts",
        "journal_entries",
        ["organization_id", "id"],
        sqlite_where=only,
        postgresql_where=only,
    )
    for statement in filling(engine):
        op.execute(statement)
    keep_on_sqlite() if engine == "sqlite" else keep_on_postgresql()


def downgrade() -> None:
    engine = op.get_bind().dialect.name
    proofs = ("completed", "reopened") if engine == "sqlite" else ("proof",)
    made = [("posting", "journal_entries")]
    made += [(f"line_{event.lower()}", "transactions") for event in CHANGED[engine]]
    made += [(name, "reconciliations") for name in proofs]
    for name, table in made:
        op.execute(f"DROP TRIGGER sums_of_{name}" + ("" if engine == "sqlite" else f" ON {table}"))
        if engine == "postgresql":
            op.execute(f"DROP FUNCTION sums_of_{name}()")
    op.drop_index("ix_journal_entries_drafts", "journal_entries")
    for table in ("register_lines", "line_month_sums", "line_day_sums", "month_sums", "day_sums"):
        op.drop_table(table)
