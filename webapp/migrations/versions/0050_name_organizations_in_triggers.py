"""Let PostgreSQL's triggers name the organization in each question, and write what they add up row by row.

They run alike on one PostgreSQL and on one that is spread over nodes (Citus), which refuses a question that joins the
rows of a statement to a table, one that leaves the organization open, and an INSERT … SELECT within a trigger. Entries,
proofs and feed accounts change one by one and are heard of row by row; bank lines come in bulk, and are added up first.
SQLite's triggers stay.
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

UNBALANCED = "An entry is posted with two legs or more that sum to zero."
FIXED_LEG = "The legs of a posted entry never change; correct or void it."
REFUSED = "RAISE EXCEPTION '{}' USING ERRCODE = 'integrity_constraint_violation';"
POSTS = "OLD.status = 'DRAFT' AND NEW.status = 'POSTED'"
STEPS = "OLD.status <> NEW.status"
COUNTED = "('BOOKED', 'SET_ASIDE')"
# What a sum, and what a proof, depends on in a line.
OF_SUM = "organization_id, id, feed_account_id, booked_on, amount_minor, status"
OF_PROOF = f"{OF_SUM}, journal_entry_id"


def month(day: str) -> str:
    """Name the first day of a day's month."""
    return f"date_trunc('month', {day})::date"


def add_lines(of: str, lines: str, amount: str, count: str) -> str:
    """Add lines to what feed accounts have; `of` is a row of their organization, here and below, and `t` a line.

    The sums are taken into lists before they are written: a node may write what is in a list, not what it asks others.
    """
    add = """
        INSERT INTO {table} (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
        SELECT {of}.organization_id, u.feed_account_id, {day}, sum(u.amount_minor), sum(u.unreconciled_count)
        FROM unnest(total.accounts, total.days, total.amounts, total.counts)
            AS u (feed_account_id, day, amount_minor, unreconciled_count)
        GROUP BY u.feed_account_id, {day}
        ON CONFLICT (organization_id, feed_account_id, day) DO UPDATE SET
            amount_minor = {table}.amount_minor + excluded.amount_minor,
            unreconciled_count = {table}.unreconciled_count + excluded.unreconciled_count;"""
    return f"""
        SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(amount) AS amounts,
            array_agg(counted) AS counts
        INTO total FROM (
            SELECT t.feed_account_id, t.booked_on AS day, {amount} AS amount, {count} AS counted FROM {lines}
            GROUP BY t.feed_account_id, t.booked_on) sums;""" + "".join(  # noqa: S608  (our names)
        add.format(table=table, day=day, of=of)
        for table, day in (("line_day_sums", "u.day"), ("line_month_sums", month("u.day")))
    )


def note(of: str, proofs: str) -> str:
    """Note each proof that a question finds."""
    return f"""
        FOR proof IN {proofs} LOOP
            INSERT INTO touched_proofs (organization_id, reconciliation_id) VALUES ({of}.organization_id, proof.id)
            ON CONFLICT (organization_id, reconciliation_id) DO NOTHING;
        END LOOP;"""  # noqa: S608  (our names)


def standing(of: str, condition: str) -> str:
    """Select proofs that stand."""
    return f"""
            SELECT r.id FROM reconciliations r
            WHERE r.organization_id = {of}.organization_id AND r.status = 'COMPLETED' AND {condition}"""  # noqa: S608  (our names)


def dated_inside(of: str) -> str:
    """Select the proofs that the first of a batch of lines is dated inside."""
    return standing(of, "r.feed_account_id = batch.feed_account_id AND r.statement_date >= batch.first_day")


BALANCES = f"""
    SELECT count(*) AS number, count(p.amount_base_minor) AS converted, sum(p.amount_base_minor) AS base,
        min(p.currency) = max(p.currency) AS is_of_one_currency, sum(p.amount_minor) AS amount
    INTO legs FROM postings p WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id;
    IF legs.number < 2 OR legs.converted < legs.number OR legs.base <> 0
        OR (legs.is_of_one_currency AND legs.amount <> 0) THEN {REFUSED.format(UNBALANCED)} END IF;
    RETURN NEW;"""  # noqa: S608  (our names)


def leg(*rows: str) -> str:
    """Refuse what happens to a leg of an entry that is posted."""
    posted = " OR ".join(
        f"EXISTS (SELECT 1 FROM journal_entries e WHERE e.organization_id = {row}.organization_id"  # noqa: S608  (our names)
        f" AND e.id = {row}.journal_entry_id AND e.status <> 'DRAFT')"
        for row in rows
    )
    return f"IF {posted} THEN {REFUSED.format(FIXED_LEG)} END IF; RETURN {rows[-1]};"


ADD_POSTINGS = "".join(
    f"""
        INSERT INTO {table} (organization_id, account_id, currency, day, amount_minor, amount_base_minor)
        VALUES (NEW.organization_id, total.account_id, total.currency, {day}, total.amount_minor, total.base_minor)
        ON CONFLICT (organization_id, account_id, currency, day) DO UPDATE SET
            amount_minor = {table}.amount_minor + excluded.amount_minor,
            amount_base_minor = {table}.amount_base_minor + excluded.amount_base_minor;"""  # noqa: S608  (our names)
    for table, day in (("day_sums", "NEW.effective_on"), ("month_sums", month("NEW.effective_on")))
)
POSTING = f"""
    FOR total IN
        SELECT p.account_id, p.currency, sum(p.amount_minor) AS amount_minor, sum(p.amount_base_minor) AS base_minor,
            array_agg(p.id) AS ids
        FROM postings p WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
        GROUP BY p.account_id, p.currency
    LOOP {ADD_POSTINGS}
        FOREACH posting IN ARRAY total.ids LOOP
            INSERT INTO register_lines (organization_id, account_id, day, journal_entry_id, posting_id)
            VALUES (NEW.organization_id, total.account_id, NEW.effective_on, NEW.id, posting);
        END LOOP;
    END LOOP;
    RETURN NULL;"""  # noqa: S608  (our names)
# What proofs have cleared of an entry: the lines of its postings, and the entry that it belongs to.
CLEARED = """
            SELECT i.reconciliation_id AS id FROM postings p
            JOIN reconciliation_items i ON i.organization_id = p.organization_id
                AND i.transaction_id = p.transaction_id AND i.is_standing
            WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
            UNION ALL
            SELECT i.reconciliation_id FROM postings p
            JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
            JOIN reconciliation_items i ON i.organization_id = f.organization_id AND i.feed_account_id = f.id
                AND i.journal_entry_id = coalesce(NEW.corrects_id, NEW.id) AND i.is_standing
            WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id"""
# An entry touches the proofs that it is dated inside, and those that cleared something of it; the ones after these too.
TOUCHED = f"""
            SELECT r.id FROM postings p
            JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
            JOIN reconciliations r ON r.organization_id = f.organization_id AND r.feed_account_id = f.id
                AND r.status = 'COMPLETED' AND r.statement_date >= NEW.effective_on
            WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
            UNION
            SELECT r.id FROM ({CLEARED}) cleared
            JOIN reconciliations r ON r.organization_id = NEW.organization_id AND r.id = cleared.id
            WHERE r.status = 'COMPLETED'"""  # noqa: S608  (our names)
LATER = f"""
            SELECT DISTINCT r.id FROM ({CLEARED}) cleared
            JOIN reconciliations c ON c.organization_id = NEW.organization_id AND c.id = cleared.id
            JOIN reconciliations r ON r.organization_id = c.organization_id AND r.feed_account_id = c.feed_account_id
                AND r.status = 'COMPLETED' AND r.statement_date > c.statement_date"""  # noqa: S608  (our names)
OF_PROOF_LINES = """reconciliation_items i
            JOIN transactions t ON t.organization_id = i.organization_id AND t.id = i.transaction_id
            WHERE i.organization_id = NEW.organization_id AND i.reconciliation_id = NEW.id AND t.status = 'BOOKED'"""
FREED = "CASE NEW.status WHEN 'COMPLETED' THEN -count(*) ELSE count(*) END"
BROUGHT = f"""transactions t
            WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id AND t.status IN {COUNTED}"""
UNRECONCILED = "count(*) FILTER (WHERE t.status = 'BOOKED')"
SUMS_OF_PROOF = add_lines("NEW", OF_PROOF_LINES, "0", FREED) + " RETURN NULL;"
SUMS_OF_TURN = add_lines("OLD", BROUGHT, "sum(t.amount_minor)", UNRECONCILED) + " RETURN NULL;"
PROOFS_OF_TURN = f"""
    FOR batch IN
        SELECT t.feed_account_id, min(t.booked_on) AS first_day FROM {BROUGHT}
        GROUP BY t.feed_account_id
    LOOP {note("OLD", dated_inside("OLD"))}
    END LOOP;
    RETURN NULL;"""  # noqa: S608  (our names)


def of_each_book(rows: str, statement: str) -> str:
    """Do it for the lines of each organization; those that come in a bulk turn wait for its end (migration 0013)."""
    turn = "SELECT 1 FROM bulk_turns b WHERE b.organization_id = books.organization_id"
    waiting = f"CONTINUE WHEN EXISTS ({turn});" if rows == "new_rows" else ""
    return f"""
    FOR books IN SELECT DISTINCT organization_id FROM {rows} LOOP {waiting} {statement}
    END LOOP;
    RETURN NULL;"""  # noqa: S608  (our names)


def sums_of_lines(rows: str, sign: str) -> str:
    """Add what came or went; no proof has cleared it, for a proof's items name lines that are there, and keep them."""
    return of_each_book(
        rows,
        add_lines(
            "books",
            f"{rows} t WHERE t.organization_id = books.organization_id AND t.status IN {COUNTED}",
            f"{sign}sum(t.amount_minor)",
            f"{sign}{UNRECONCILED}",
        ),
    )


def proofs_of_lines(rows: str) -> str:
    """Note the proofs that lines which came or went are dated inside."""
    return of_each_book(
        rows,
        f"""
        FOR batch IN
            SELECT feed_account_id, min(booked_on) AS first_day
            FROM {rows} WHERE organization_id = books.organization_id AND status IN {COUNTED}
            GROUP BY feed_account_id
        LOOP {note("books", dated_inside("books"))}
        END LOOP;""",  # noqa: S608  (our names)
    )


def changed(columns: str) -> str:
    """Select the lines that a statement changed in these columns, as they are and as they were."""
    new, old = (f"SELECT {columns} FROM {rows}" for rows in ("new_rows", "old_rows"))  # noqa: S608  (our names)
    return f"(({new} EXCEPT {old}) UNION ALL ({old} EXCEPT {new})) changed"


SIGNED = f"""(
                SELECT {OF_SUM}, 1 AS sign FROM new_rows UNION ALL SELECT {OF_SUM}, -1 FROM old_rows) t
            WHERE t.organization_id = books.organization_id AND t.status IN {COUNTED}"""  # noqa: S608  (our names)
NOT_CLEARED = (
    "sum(CASE WHEN t.status = 'BOOKED' AND t.id NOT IN (SELECT unnest(cleared)) THEN t.sign ELSE 0 END)"
)
SUMS_OF_CHANGE = f"""
    FOR books IN SELECT organization_id, array_agg(DISTINCT id) AS ids FROM {changed(OF_SUM)} GROUP BY organization_id
    LOOP
        cleared := ARRAY(
            SELECT i.transaction_id FROM reconciliation_items i
            JOIN reconciliations r ON r.organization_id = i.organization_id AND r.id = i.reconciliation_id
            WHERE i.organization_id = books.organization_id AND i.transaction_id = ANY (books.ids) AND i.is_standing
                AND r.status = 'COMPLETED'); {add_lines("books", SIGNED, "sum(t.sign * t.amount_minor)", NOT_CLEARED)}
    END LOOP;
    RETURN NULL;"""  # noqa: S608  (our names)
CLEARED_LINES = """
            UNION
            SELECT i.reconciliation_id FROM reconciliation_items i
            JOIN reconciliations r ON r.organization_id = i.organization_id AND r.id = i.reconciliation_id
            WHERE i.organization_id = batch.organization_id AND i.transaction_id = ANY (batch.ids) AND i.is_standing
                AND r.status = 'COMPLETED'"""
PROOFS_OF_CHANGE = f"""
    FOR batch IN
        SELECT organization_id, feed_account_id, array_agg(DISTINCT id) AS ids,
            min(booked_on) FILTER (WHERE status IN {COUNTED}) AS first_day
        FROM {changed(OF_PROOF)} GROUP BY organization_id, feed_account_id
    LOOP {note("batch", dated_inside("batch") + CLEARED_LINES)}
    END LOOP;
    RETURN NULL;"""  # noqa: S608  (our names)
# Whatever its day, the posted entry of such a line is in transit in every proof of the feed accounts that it was and is on.
SET_ASIDE = f"""
    FOR batch IN
        SELECT organization_id, min(feed_account_id) AS one_id, max(feed_account_id) AS other_id
        FROM {changed(OF_PROOF)} GROUP BY organization_id, id HAVING bool_or(status = 'SET_ASIDE')
    LOOP {note("batch", standing("batch", "r.feed_account_id IN (batch.one_id, batch.other_id)"))}
    END LOOP;
    RETURN NULL;"""  # noqa: S608  (our names)


class Trigger(NamedTuple):
    """When the function of the trigger's name is called: for each row, or once where it reads the rows of a statement."""

    table: str
    event: str
    body: str
    variables: str = ""
    when: str = ""

    @property
    def call(self) -> str:
        """Say so in SQL."""
        names = [name for name in ("old_rows", "new_rows") if name in self.body]
        if not names:
            return "FOR EACH ROW" + (f" WHEN ({self.when})" if self.when else "")
        return f"REFERENCING {' '.join(f'{name[:3]} TABLE AS {name}' for name in names)} FOR EACH STATEMENT"


def of_proofs(body: str, table: str, when: str) -> Trigger:
    """Note proofs when a row of a table changes."""
    return Trigger(table, "AFTER UPDATE", f"{body} RETURN NULL;", "proof record;", when)


OF_STATEMENT = standing(
    "NEW", "r.feed_account_id = NEW.feed_account_id AND r.statement_date >= NEW.statement_date"
)
NEW_ACCOUNT = "(OLD.account_id, OLD.currency) IS DISTINCT FROM (NEW.account_id, NEW.currency)"
ADDING, NOTING = "books record; total record;", "books record; batch record; proof record;"
TRIGGERS = {
    "entry_balances": Trigger("journal_entries", "BEFORE UPDATE", BALANCES, "legs record;", POSTS),
    "leg_not_added": Trigger("postings", "BEFORE INSERT", leg("NEW")),
    "leg_fixed": Trigger("postings", "BEFORE UPDATE", leg("OLD", "NEW")),
    "leg_kept": Trigger("postings", "BEFORE DELETE", leg("OLD")),
    "sums_of_posting": Trigger(
        "journal_entries", "AFTER UPDATE", POSTING, "total record; posting bigint;", POSTS
    ),
    "proofs_of_entry": of_proofs(note("NEW", TOUCHED), "journal_entries", STEPS),
    "later_proofs_of_entry": of_proofs(note("NEW", LATER), "journal_entries", STEPS),
    "sums_of_proof": Trigger(
        "reconciliations",
        "AFTER UPDATE",
        SUMS_OF_PROOF,
        "total record;",
        f"{STEPS} AND NEW.status IN ('COMPLETED', 'REOPENED')",
    ),
    "proofs_of_statement": of_proofs(
        note("NEW", OF_STATEMENT), "reconciliations", f"{STEPS} AND 'COMPLETED' IN (OLD.status, NEW.status)"
    ),
    "proofs_of_feed_account": of_proofs(
        note("NEW", standing("NEW", "r.feed_account_id = NEW.id")), "feed_accounts", NEW_ACCOUNT
    ),
    "sums_of_bulk_turn": Trigger("bulk_turns", "AFTER DELETE", SUMS_OF_TURN, ADDING),
    "proofs_of_bulk_turn": Trigger("bulk_turns", "AFTER DELETE", PROOFS_OF_TURN, NOTING),
    "sums_of_line_insert": Trigger("transactions", "AFTER INSERT", sums_of_lines("new_rows", ""), ADDING),
    "sums_of_line_delete": Trigger("transactions", "AFTER DELETE", sums_of_lines("old_rows", "-"), ADDING),
    "sums_of_line_update": Trigger(
        "transactions", "AFTER UPDATE", SUMS_OF_CHANGE, f"{ADDING} cleared bigint[];"
    ),
    "proofs_of_line_insert": Trigger("transactions", "AFTER INSERT", proofs_of_lines("new_rows"), NOTING),
    "proofs_of_line_delete": Trigger("transactions", "AFTER DELETE", proofs_of_lines("old_rows"), NOTING),
    "proofs_of_line_update": Trigger("transactions", "AFTER UPDATE", PROOFS_OF_CHANGE, NOTING),
    "proofs_of_set_aside": Trigger("transactions", "AFTER UPDATE", SET_ASIDE, NOTING),
}


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    drop()
    for name, each in TRIGGERS.items():
        make(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE {each.variables} BEGIN"
            f" {each.body} END $$"
        )
        make(f"CREATE TRIGGER {name} {each.event} ON {each.table} {each.call} EXECUTE FUNCTION {name}()")


def downgrade() -> None:
    """Write them as the migrations before did, one after the other."""
    if op.get_bind().dialect.name == "sqlite":
        return
    drop()
    versions = "webapp.migrations.versions."
    posted = import_module(f"{versions}0002_posted_is_posted")
    for name, table, act, when, sentence in posted._rules("postgresql"):  # noqa: SLF001  (it never changes)
        if name in TRIGGERS:
            answer = "OLD" if act == "DELETE" else "NEW"
            make(
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                f" IF {when} THEN {REFUSED.format(sentence)} END IF; RETURN {answer}; END $$"
            )
            make(f"CREATE TRIGGER {name} BEFORE {act} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()")
    for name in ("0004_keep_sums", "0006_note_touched_proofs"):
        import_module(f"{versions}{name}").keep_on_postgresql()
    import_module(f"{versions}0013_sum_turns_at_their_end").on_postgresql()
    import_module(f"{versions}0022_note_later_proofs").keep_on_postgresql()
    import_module(f"{versions}0043_compare_rows_once").upgrade()


def drop() -> None:
    for name, each in TRIGGERS.items():
        make(f"DROP TRIGGER {name} ON {each.table}")
        make(f"DROP FUNCTION {name}()")


def make(statement: str) -> None:
    """Run a statement in which nothing is a parameter."""
    op.get_bind().exec_driver_sql(statement)
