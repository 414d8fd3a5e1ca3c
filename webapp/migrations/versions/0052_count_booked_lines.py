"""Keep how many lines a feed account has booked beside their sums, so that no page counts them again."""

from __future__ import annotations

from importlib import import_module

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TABLES = ("line_day_sums", "line_month_sums")
KEPT = ("amount_minor", "unreconciled_count", "booked_count")
COUNTED = "('BOOKED', 'SET_ASIDE')"
# What hears of lines that come, change and go; a proof that completes or is reopened moves none.
HEARING = ("sums_of_line_insert", "sums_of_line_update", "sums_of_line_delete", "sums_of_bulk_turn")
CLEARED = """EXISTS (
                SELECT 1 FROM reconciliation_items i
                JOIN reconciliations r ON r.id = i.reconciliation_id AND r.organization_id = i.organization_id
                WHERE i.organization_id = l.organization_id AND i.transaction_id = l.id AND i.is_standing = 1
                    AND r.status = 'COMPLETED')"""
BROUGHT = "sum(CASE WHEN t.status = 'BOOKED' THEN 1 ELSE 0 END)"
MOVED = "sum(CASE WHEN {line}.status = 'BOOKED' THEN {line}.sign ELSE 0 END)"


def upgrade() -> None:
    engine = op.get_bind().dialect.name
    for table in TABLES:
        op.add_column(table, sa.Column("booked_count", BIG, nullable=False, server_default=sa.text("0")))
        make(count(table, engine))
    on_sqlite(KEPT) if engine == "sqlite" else on_postgresql()


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        on_sqlite(KEPT[:2])
    else:
        triggers = earlier().TRIGGERS
        for name in HEARING:
            write_function(name, triggers[name].body)
    for table in TABLES:
        op.drop_column(table, "booked_count")


def count(table: str, engine: str) -> str:
    """Count the lines that are there."""
    day = day_of(table, "t.booked_on", engine)
    return f"""
        UPDATE {table} SET booked_count = counted.lines
        FROM (SELECT t.organization_id, t.feed_account_id, {day} AS day, count(*) AS lines
            FROM transactions t WHERE t.status = 'BOOKED' GROUP BY t.organization_id, t.feed_account_id, {day}) counted
        WHERE counted.organization_id = {table}.organization_id
            AND counted.feed_account_id = {table}.feed_account_id AND counted.day = {table}.day"""  # noqa: S608  (our names)


def day_of(table: str, day: str, engine: str) -> str:
    """Name the day that a table of sums keeps a line's day under."""
    if table == "line_day_sums":
        return day
    return f"substr({day}, 1, 8) || '01'" if engine == "sqlite" else f"date_trunc('month', {day})::date"


def add(table: str, rows: str, kept: tuple[str, ...] = KEPT) -> str:
    """Add rows of sums to those of a table."""
    return f"""
        INSERT INTO {table} (organization_id, feed_account_id, day, {", ".join(kept)})
        {rows}
        ON CONFLICT (organization_id, feed_account_id, day) DO UPDATE SET
            {", ".join(f"{column} = {table}.{column} + excluded.{column}" for column in kept)};"""


def on_sqlite(kept: tuple[str, ...]) -> None:
    """Write the triggers of SQLite, which keep these columns."""
    watched = ("status", "booked_on", "amount_minor", "feed_account_id")
    is_changed = " OR ".join(f"OLD.{each} IS NOT NEW.{each}" for each in watched)
    is_single = f"NOT EXISTS (SELECT 1 FROM bulk_turns) AND NEW.status IN {COUNTED}"  # noqa: S608  (our names)
    events = {
        "sums_of_line_insert": (f"INSERT ON transactions WHEN {is_single}", new_line),
        "sums_of_line_update": (
            f"UPDATE OF {', '.join(watched)} ON transactions WHEN {is_changed}",
            lambda *to: moved_lines(*to, {"OLD": -1, "NEW": 1}),
        ),
        "sums_of_line_delete": (
            "DELETE ON transactions",
            lambda *to: moved_lines(*to, {"OLD": -1}),
        ),
        "sums_of_bulk_turn": ("DELETE ON bulk_turns", lines_of_turn),
    }
    for name, (event, body) in events.items():
        make(f"DROP TRIGGER {name}")
        statements = "".join(add(table, body(table, kept), kept) for table in TABLES)
        make(f"CREATE TRIGGER {name} AFTER {event} BEGIN {statements} END")


def new_line(table: str, kept: tuple[str, ...]) -> str:
    """Give what one line adds that comes; no proof can have cleared it."""
    counts = ", ".join(["NEW.status = 'BOOKED'"] * (len(kept) - 1))
    day = day_of(table, "NEW.booked_on", "sqlite")
    return f"VALUES (NEW.organization_id, NEW.feed_account_id, {day}, NEW.amount_minor, {counts})"


def moved_lines(table: str, kept: tuple[str, ...], signs: dict[str, int]) -> str:
    """Select what a line was less, and is more."""
    columns = ("id", "organization_id", "feed_account_id", "booked_on", "amount_minor", "status")
    lines = " UNION ALL ".join(
        f"SELECT {', '.join(f'{row}.{each} AS {each}' for each in columns)}, {sign} AS sign"
        for row, sign in signs.items()
    )
    day = day_of(table, "l.booked_on", "sqlite")
    unreconciled = f"sum(CASE WHEN l.status <> 'BOOKED' OR {CLEARED} THEN 0 ELSE l.sign END)"
    counts = ", ".join([unreconciled, MOVED.format(line="l")][: len(kept) - 1])
    return f"""
        SELECT l.organization_id, l.feed_account_id, {day}, sum(l.sign * l.amount_minor), {counts}
        FROM ({lines}) l WHERE l.status IN {COUNTED}
        GROUP BY l.organization_id, l.feed_account_id, {day}"""  # noqa: S608  (our names)


def lines_of_turn(table: str, kept: tuple[str, ...]) -> str:
    """Select what the lines of a bulk turn add at its end."""
    day = day_of(table, "t.booked_on", "sqlite")
    counts = ", ".join([BROUGHT] * (len(kept) - 1))
    return f"""
        SELECT t.organization_id, t.feed_account_id, {day}, sum(t.amount_minor), {counts}
        FROM transactions t
        WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id AND t.status IN {COUNTED}
        GROUP BY t.organization_id, t.feed_account_id, {day}"""  # noqa: S608  (our names)


def on_postgresql() -> None:
    """Write the functions of PostgreSQL's triggers."""
    before = earlier()
    amount, count_of = "sum(t.amount_minor)", before.UNRECONCILED

    def of_lines(rows: str, sign: str) -> str:
        lines = f"{rows} t WHERE t.organization_id = books.organization_id AND t.status IN {COUNTED}"
        added = add_lines("books", lines, sign + amount, sign + count_of, sign + count_of)
        return str(before.of_each_book(rows, added))

    change = (before.SIGNED, "sum(t.sign * t.amount_minor)", before.NOT_CLEARED)
    bodies = {
        "sums_of_line_insert": of_lines("new_rows", ""),
        "sums_of_line_update": before.SUMS_OF_CHANGE.replace(
            before.add_lines("books", *change), add_lines("books", *change, MOVED.format(line="t"))
        ),
        "sums_of_line_delete": of_lines("old_rows", "-"),
        "sums_of_bulk_turn": add_lines("OLD", before.BROUGHT, amount, count_of, count_of) + " RETURN NULL;",
    }
    for name, body in bodies.items():
        write_function(name, body)


def add_lines(of: str, lines: str, amount: str, count: str, booked: str) -> str:
    """Add lines as migration 0050 does, and how many of them are booked."""
    lists = ", ".join(f"total.{each}" for each in ("accounts", "days", "amounts", "counts", "booked"))
    written = "".join(
        add(
            table,
            f"SELECT {of}.organization_id, u.feed_account_id, {day}, sum(u.amount), sum(u.counted), sum(u.booked)"  # noqa: S608  (our names)
            f" FROM unnest({lists}) AS u (feed_account_id, day, amount, counted, booked)"
            f" GROUP BY u.feed_account_id, {day}",
        )
        for table in TABLES
        for day in [day_of(table, "u.day", "postgresql")]
    )
    return f"""
        SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(amount) AS amounts,
            array_agg(counted) AS counts, array_agg(booked) AS booked
        INTO total FROM (
            SELECT t.feed_account_id, t.booked_on AS day, {amount} AS amount, {count} AS counted, {booked} AS booked
            FROM {lines}
            GROUP BY t.feed_account_id, t.booked_on) sums;{written}"""  # noqa: S608  (our names)


def write_function(name: str, body: str) -> None:
    """Write the function of a trigger that is there."""
    variables = earlier().TRIGGERS[name].variables
    make(
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE {variables} BEGIN"
        f" {body} END $$"
    )


def earlier():  # noqa: ANN201  (a module)
    """Give the migration that wrote PostgreSQL's triggers."""
    return import_module("webapp.migrations.versions.0050_name_organizations_in_triggers")


def make(statement: str) -> None:
    """Run a statement in which nothing is a parameter."""
    op.get_bind().exec_driver_sql(statement)
