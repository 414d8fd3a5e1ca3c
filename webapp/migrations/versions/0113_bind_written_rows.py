"""Bind what acts write in the audit chain: note each row that is written, until the event of its act binds it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.statements import own_path
from webapp.migrations.tables import is_sqlite, owned

revision = "0113"
down_revision = "0112"
branch_labels = None
depends_on = None


class Watched(NamedTuple):
    """A table whose rows are bound as some kind, by the column of their id; `0` is the organization's own row.

    `bound` is the condition of a row that counts; only changes of these `columns` do, if any are named.
    """

    kind: str
    table: str
    row_id: str = "id"
    events: tuple[str, ...] = ("INSERT", "UPDATE", "DELETE")
    bound: str = ""
    columns: str = ""


WATCHED = (
    Watched(
        "account",
        "accounts",
        columns="code, name, type, currency, parent_id, in_scope, requires_counterparty, is_revalued, keeps_items,"
        " items_from, is_archived, role",
    ),
    Watched(
        "bank_account",
        "feed_accounts",
        columns="account_id, institution_id, external_id, name, currency, mask, provider, is_active, splits_batches",
    ),
    Watched(
        "document",
        "documents",
        columns="document_type, side, file_name, number, sender, issued_on, net_minor, tax_minor, total_minor,"
        " currency, original_currency, due_on, prepaid_minor, due_minor, buyer, seller_vat_id, iban, remittance,"
        " invoice, account_id, org_merchant_id, project_id, sha256",
    ),
    Watched("document", "document_files", "document_id", ("INSERT", "DELETE")),
    # Its legs are fixed, and it cannot be deleted.
    Watched("entry", "journal_entries", events=("UPDATE",), bound="{}.status <> 'DRAFT'"),
    Watched(
        "key",
        "api_tokens",
        columns="user_id, name, scopes, expires_at, revoked_at, max_entries_a_day, max_amount_a_day_minor,"
        " max_requests_a_minute",
    ),
    Watched(
        "line",
        "transactions",
        bound="{}.status IN ('BOOKED', 'SET_ASIDE', 'REMOVED')",
        columns="feed_account_id, provider_transaction_id, status, booked_on, value_on, amount_minor, currency,"
        " description, counterparty, reference, iban, details",
    ),
    Watched("member", "memberships", "user_id", columns="role"),
    Watched(
        "organization",
        "organizations",
        "0",
        ("INSERT", "UPDATE"),
        columns="name, base_currency, time_zone, lock_date, vat_ids, retention_years, write_off_limit_minor",
    ),
    Watched("organization", "financial_years", "0"),
    Watched("proof", "reconciliations", events=("UPDATE", "DELETE"), bound="{}.status <> 'DRAFT'"),
    Watched("proof", "reconciliation_items", "reconciliation_id", ("UPDATE",), columns="is_standing"),
    Watched("rate", "exchange_rates"),
    Watched("settlement", "settlements", events=("UPDATE",), bound="{}.status <> 'OPEN'"),
    Watched("settlement", "settlement_entries", "settlement_id", ("INSERT", "DELETE")),
)
NOTE = "INSERT INTO written_rows (organization_id, kind, row_id) {rows} ON CONFLICT DO NOTHING"
FORGET = "DELETE FROM written_rows WHERE organization_id = NEW.organization_id"
FUNCTION = """
    CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
        {body};
        RETURN NULL;
    END
    $$"""
KEPT = {"UPDATE": "audit_fixed", "DELETE": "audit_kept", "TRUNCATE": "never_truncated"}


def upgrade() -> None:
    op.create_table(
        "bound_rows",
        *owned("bound_rows"),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        *named(),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(32)),
        sa.PrimaryKeyConstraint("organization_id", "sequence", "kind", "row_id", name="pk_bound_rows"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "written_rows",
        *owned("written_rows"),
        *named(),
        sa.PrimaryKeyConstraint("organization_id", "kind", "row_id", name="pk_written_rows"),
        sqlite_with_rowid=False,
    )
    note_what_is_there()
    with own_path():
        for trigger in triggers():
            make_trigger(*trigger)
    keep_bound_rows()
    if not is_sqlite():
        protect("bound_rows")
        protect("written_rows")


def named() -> list[sa.Column[Any]]:
    """Give the columns that name a row."""
    return [
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("row_id", sa.BigInteger(), nullable=False),
    ]


def note_what_is_there() -> None:
    """Note all rows as written, so that the next event of their books binds them."""
    for each in WATCHED:
        rows = f"SELECT {named_by(each, 'r')} FROM {each.table} r"  # noqa: S608  (names of ours)
        rows += " WHERE " + (each.bound.format("r") or "true")
        op.execute(NOTE.format(rows=rows))


def named_by(each: Watched, row: str) -> str:
    """Name a row that is bound: its organization, kind and id."""
    organization = "id" if each.table == "organizations" else "organization_id"
    row_id = each.row_id if each.row_id == "0" else f"{row}.{each.row_id}"
    return f"{row}.{organization}, '{each.kind}', {row_id}"


def triggers() -> Iterator[tuple[str, str, str, str, str]]:
    """Give name, event, table, condition and body of each trigger."""
    for each in WATCHED:
        for event in each.events:
            row = "OLD" if event == "DELETE" else "NEW"
            rows = ("OLD", "NEW") if event == "UPDATE" and "DELETE" in each.events else (row,)
            condition = " OR ".join(each.bound.format(one) for one in rows) if each.bound else ""
            if event == "UPDATE" and each.columns:
                condition = f"({condition or 'true'}) AND {has_changed(each.columns)}"
            when = f"UPDATE OF {each.columns}" if event == "UPDATE" and each.columns else event
            body = NOTE.format(rows=f"VALUES ({named_by(each, row)})")
            yield f"{each.table}_{event.lower()}_noted", when, each.table, condition, body
    yield "written_rows_bound", "INSERT", "audit_events", "", FORGET


def has_changed(columns: str) -> str:
    """Compare the columns of a row; PostgreSQL compares JSON as text alone."""
    names = columns.split(", ")
    if is_sqlite():
        return "({}) IS NOT ({})".format(
            *(", ".join(f"{row}.{name}" for name in names) for row in ("OLD", "NEW"))
        )
    old, new = (", ".join(f"{row}.{name}::text" for name in names) for row in ("OLD", "NEW"))
    return f"({old}) IS DISTINCT FROM ({new})"


def make_trigger(name: str, event: str, table: str, condition: str, body: str) -> None:
    if is_sqlite():
        when = f" WHEN {condition}" if condition else ""
        op.execute(f"CREATE TRIGGER {name} AFTER {event} ON {table}{when} BEGIN {body}; END")
        return
    op.execute(FUNCTION.format(name=name, body=body))
    op.execute(f"REVOKE ALL ON FUNCTION {name}() FROM PUBLIC")
    when = f" WHEN ({condition})" if condition else ""
    op.execute(f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW{when} EXECUTE FUNCTION {name}()")


def keep_bound_rows() -> None:
    """Refuse every change of a bound row, as of an event."""
    if is_sqlite():
        for event in ("UPDATE", "DELETE"):
            refuse = "SELECT RAISE(ABORT, 'The audit trail only grows.')"
            op.execute(
                f"CREATE TRIGGER bound_rows_{event.lower()} BEFORE {event} ON bound_rows BEGIN {refuse}; END"
            )
        return
    for event, function in KEPT.items():
        each = "STATEMENT" if event == "TRUNCATE" else "ROW"
        op.execute(
            f"CREATE TRIGGER bound_rows_{event.lower()} BEFORE {event} ON bound_rows"
            f" FOR EACH {each} EXECUTE FUNCTION {function}()"
        )


def downgrade() -> None:
    for name, _event, table, _condition, _body in triggers():
        op.execute(f"DROP TRIGGER {name}" + ("" if is_sqlite() else f" ON {table}"))
        if not is_sqlite():
            op.execute(f"DROP FUNCTION {name}")
    op.drop_table("written_rows")
    op.drop_table("bound_rows")
