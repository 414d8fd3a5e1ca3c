"""Make the tables of the books, with the triggers and functions that keep them."""

from collections.abc import Iterator
from typing import NamedTuple

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.statements import drop_functions, own_path, run
from webapp.migrations.tables import (
    BIG,
    EXACT,
    INSTANT,
    identified,
    is_sqlite,
    make_table,
    numbered,
    owned,
    pair,
    primary,
    unique,
    where,
    words,
)

revision = "0230"
down_revision = None
branch_labels = None
depends_on = None

TABLES = (
    "organizations",
    "sign_in_counters",
    "users",
    "api_tokens",
    "familiar_browsers",
    "financial_years",
    "invitations",
    "memberships",
    "sessions",
    "token_days",
    "saved_views",
    "connection_secrets",
    "passkeys",
    "passkey_challenges",
    "authenticators",
    "recovery_codes",
    "identities",
    "sign_in_steps",
    "action_requests",
    "audit_events",
    "idempotency_keys",
    "proposals",
    "bound_rows",
    "written_rows",
    "accounts",
    "institutions",
    "merchants",
    "project_groups",
    "feed_accounts",
    "projects",
    "stored_files",
    "inbox_files",
    "documents",
    "document_files",
    "journal_entries",
    "imports",
    "transactions",
    "declined_relations",
    "document_relations",
    "exchange_rates",
    "postings",
    "column_mappings",
    "feed_pushes",
    "bulk_turns",
    "provider_balances",
    "feed_lines",
    "import_lines",
    "line_changes",
    "line_joins",
    "transfer_pairs",
    "reconciliations",
    "proof_breaks",
    "reconciliation_items",
    "statement_documents",
    "touched_proofs",
    "settlements",
    "items",
    "settlement_entries",
    "settlement_parts",
    "payment_parts",
    "payments",
    "due_changes",
    "rule_runs",
    "rule_versions",
    "rules",
    "suggestion_dismissals",
    "document_settings",
    "rule_settings",
    "day_sums",
    "month_sums",
    "register_lines",
    "line_day_sums",
    "line_month_sums",
    "tax_codes",
    "tax_packs",
    "tax_returns",
    "tax_stamps",
    "tax_rates",
    "tax_parts",
    "schedules",
    "schedule_parts",
    "closes",
    "own_steps",
    "close_marks",
    "close_policies",
    "balance_notes",
    "jobs",
    "secrets",
    "bank_connections",
    "connected_accounts",
    "webhook_endpoints",
    "webhook_deliveries",
)
FILES = (
    "0230_fixed",
    "0230_sums",
    "0230_proofs",
    "0230_items",
    "0230_words",
    "0230_unconfirmed",
    "0230_written",
    "0230_taxes",
    "0230_closes",
)
OF_OWNER = "0230_owner"
# To plan the question of such a function takes ten times as long as to answer it, and PostgreSQL would plan it for each
# row anew. Nodes of Citus refuse a plan for any organization; `tieout distribute` takes it back.
PLANNED_ONCE = ("proofs_of_entry", "proofs_of_line_insert")


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
        events=("UPDATE", "DELETE"),  # of what is inserted `0230_written` notes all lines of a statement
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
    Watched("tax_code", "tax_codes", events=("INSERT", "UPDATE")),
    Watched("tax_pack", "tax_packs", events=("INSERT", "UPDATE")),
    Watched("tax_return", "tax_returns", events=("INSERT", "UPDATE")),
    Watched("tax_part", "tax_parts", events=("INSERT",)),
    Watched("tax_rate", "tax_rates", events=("INSERT", "UPDATE")),
    Watched("close", "closes", events=("INSERT", "UPDATE"), bound="{}.status <> 'PREPARED'"),
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


def upgrade() -> None:
    make_access()
    make_sign_in()
    make_audit()
    make_accounts()
    make_documents()
    make_entries()
    make_statements()
    make_items()
    make_rules()
    make_sums()
    make_taxes()
    make_closes()
    make_connections()
    run(*FILES)
    with own_path():
        for trigger in triggers():
            make_trigger(*trigger)
    if not is_sqlite():
        run(OF_OWNER)
        protect("organizations", "id")
        plan_once()


def plan_once() -> None:
    if op.get_bind().scalar(sa.text("SELECT to_regclass('pg_catalog.pg_dist_partition')")) is None:
        for name in PLANNED_ONCE:
            op.execute(f"ALTER FUNCTION {name}() SET plan_cache_mode = force_generic_plan")


def downgrade() -> None:
    if is_sqlite():
        for virtual in ("line_words", "document_texts"):
            op.drop_table(virtual)
    else:
        drop_functions(OF_OWNER)
    for table in reversed(TABLES):
        op.drop_table(table)
    if not is_sqlite():
        drop_functions(*FILES)
        for name, *_ in triggers():
            op.execute(f"DROP FUNCTION {name}")


def make_access() -> None:
    make_table(
        "organizations",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("base_currency", sa.String(3), nullable=False),
        sa.Column("time_zone", sa.String(64), nullable=False),
        sa.Column("locale", sa.String(16), server_default="en-GB", nullable=False),
        sa.Column("lock_date", sa.Date),
        sa.Column("vat_ids", sa.JSON, server_default="[]", nullable=False),
        sa.Column("drop_folder", sa.Text),
        sa.Column("retention_years", sa.Integer),
        sa.Column("automatic", sa.JSON, server_default='["CHECK"]', nullable=False),
        sa.Column("write_off_limit_minor", sa.BigInteger),
        sa.Column("materiality_minor", sa.BigInteger, server_default="0", nullable=False),
        sa.Column("second_factor_since", INSTANT),
        sa.Column("has_approving_keys", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("is_demo", sa.Boolean, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_organizations"),
    )
    make_table(
        "sign_in_counters",
        sa.Column("key", sa.String(80), nullable=False),
        sa.Column("tried_at", sa.JSON, nullable=False),
        sa.Column("last_try_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_sign_in_counters"),
        sa.Index("ix_sign_in_counters_last_try_at", "last_try_at"),
    )
    make_table(
        "users",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("password_hash", sa.String(255)),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("letter_keys_off", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("locale", sa.String(16)),
        sa.Column("theme", sa.String(8)),
        sa.Column("language", sa.String(8)),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("email", name="uq_users_email"),
    )
    make_table(
        "api_tokens",
        *numbered("api_tokens"),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id", name="fk_api_tokens_user_id"), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT),
        sa.Column("last_used_at", INSTANT),
        sa.Column("revoked_at", INSTANT),
        sa.Column("max_entries_a_day", sa.Integer),
        sa.Column("max_amount_a_day_minor", sa.BigInteger),
        sa.Column("max_requests_a_minute", sa.Integer),
        sa.Column("client_id", sa.String(512)),
        unique("api_tokens", "token_hash"),
        sa.CheckConstraint("max_amount_a_day_minor >= 0", name="ck_api_tokens_max_amount_a_day"),
        sa.CheckConstraint("max_entries_a_day >= 0", name="ck_api_tokens_max_entries_a_day"),
        sa.CheckConstraint("max_requests_a_minute >= 1", name="ck_api_tokens_max_requests_a_minute"),
        sa.Index("ix_api_tokens_user_id", "user_id"),
    )
    make_table(
        "familiar_browsers",
        sa.Column("id_hash", sa.String(64), nullable=False),
        sa.Column(
            "user_id", BIG, sa.ForeignKey("users.id", name="fk_familiar_browsers_user_id"), nullable=False
        ),
        sa.Column("signed_in_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id_hash", "user_id", name="pk_familiar_browsers"),
        sa.Index("ix_familiar_browsers_user_id", "user_id"),
    )
    make_table(
        "financial_years",
        *owned("financial_years"),
        sa.Column("starts_on", sa.Date, nullable=False),
        sa.Column("first_month", sa.Integer, nullable=False),
        primary("financial_years", "organization_id", "starts_on"),
        sa.CheckConstraint("first_month BETWEEN 1 AND 12", name="ck_financial_years_first_month"),
        sqlite_with_rowid=False,
    )
    make_table(
        "invitations",
        *numbered("invitations"),
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("linked_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("refused_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        unique("invitations", "organization_id", "email"),
        unique("invitations", "token_hash"),
        words("invitations", "role", "viewer", "bookkeeper", "owner"),
        sa.Index("ix_invitations_email", "email"),
    )
    make_table(
        "memberships",
        *owned("memberships"),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id", name="fk_memberships_user_id"), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("hides_steps", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        primary("memberships", "organization_id", "user_id"),
        words("memberships", "role", "owner", "bookkeeper", "viewer"),
    )
    make_table(
        "sessions",
        *owned("sessions"),
        sa.Column("id_hash", sa.String(64), nullable=False),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id", name="fk_sessions_user_id"), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_seen_at", INSTANT, nullable=False),
        sa.Column("address", sa.String(64)),
        sa.Column("user_agent", sa.String(400)),
        sa.Column("is_strong", sa.Boolean, server_default=sa.false(), nullable=False),
        primary("sessions", "id_hash"),
        sa.Index("ix_sessions_user_id", "user_id"),
    )
    make_table(
        "token_days",
        *owned("token_days"),
        sa.Column("token_id", BIG, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("entry_count", sa.Integer, nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger, nullable=False),
        primary("token_days", "organization_id", "token_id", "day"),
        pair("token_days", "token_id", "api_tokens"),
        sqlite_with_rowid=False,
    )
    make_table(
        "saved_views",
        *numbered("saved_views"),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id", name="fk_saved_views_user_id"), nullable=False),
        sa.Column("path", sa.String(64), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("query", sa.String(2000), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        unique("saved_views", "organization_id", "user_id", "path", "name"),
    )


def make_sign_in() -> None:
    make_table(
        "connection_secrets",
        *owned("connection_secrets"),
        sa.Column("secret_hash", sa.String(64), nullable=False),
        sa.Column("token_id", BIG, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("resource", sa.String(512), nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("redirect", sa.String(2000)),
        sa.Column("challenge", sa.String(64)),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT),
        primary("connection_secrets", "organization_id", "secret_hash"),
        words("connection_secrets", "kind", "CODE", "ACCESS", "REFRESH"),
        pair("connection_secrets", "token_id", "api_tokens"),
        sa.Index("ix_connection_secrets_token_id", "organization_id", "token_id"),
        sqlite_with_rowid=False,
    )
    make_table(
        "passkeys",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id", name="fk_passkeys_user_id"), nullable=False),
        sa.Column("credential", sa.String(1400), nullable=False),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("sign_count", sa.BigInteger, nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_used_at", INSTANT),
        sa.PrimaryKeyConstraint("id", name="pk_passkeys"),
        sa.UniqueConstraint("credential", name="uq_passkeys_credential"),
        sa.Index("ix_passkeys_user_id", "user_id"),
    )
    make_table(
        "passkey_challenges",
        sa.Column("challenge_hash", sa.String(64), nullable=False),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id", name="fk_passkey_challenges_user_id")),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("challenge_hash", name="pk_passkey_challenges"),
        sa.Index("ix_passkey_challenges_expires_at", "expires_at"),
    )
    make_table(
        "authenticators",
        sa.Column(
            "user_id", BIG, sa.ForeignKey("users.id", name="fk_authenticators_user_id"), nullable=False
        ),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("last_step", sa.BigInteger, nullable=False),
        sa.Column("confirmed_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_authenticators"),
        sa.UniqueConstraint("uid", name="uq_authenticators_uid"),
    )
    make_table(
        "recovery_codes",
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.Column(
            "user_id", BIG, sa.ForeignKey("users.id", name="fk_recovery_codes_user_id"), nullable=False
        ),
        sa.Column("used_at", INSTANT),
        sa.PrimaryKeyConstraint("code_hash", name="pk_recovery_codes"),
        sa.Index("ix_recovery_codes_user_id", "user_id"),
    )
    make_table(
        "identities",
        sa.Column("issuer", sa.String(512), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id", name="fk_identities_user_id"), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_used_at", INSTANT),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_identities"),
        sa.Index("ix_identities_user_id", "user_id"),
    )
    make_table(
        "sign_in_steps",
        sa.Column("step_hash", sa.String(64), nullable=False),
        sa.Column("user_id", BIG, sa.ForeignKey("users.id", name="fk_sign_in_steps_user_id")),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("step_hash", name="pk_sign_in_steps"),
        sa.Index("ix_sign_in_steps_user_id", "user_id"),
        sa.Index("ix_sign_in_steps_expires_at", "expires_at"),
    )


def make_audit() -> None:
    make_table(
        "action_requests",
        sa.Column("id", sa.String(40), nullable=False),
        *owned("action_requests"),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("actor", sa.JSON, nullable=False),
        sa.Column("target_kind", sa.String(32), nullable=False),
        sa.Column("target_id", sa.String(40), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("before", sa.JSON),
        sa.Column("after", sa.JSON),
        sa.Column("result", sa.JSON),
        sa.Column("error", sa.Text, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("decided_at", INSTANT),
        sa.Column("plan_id", sa.String(40)),
        *identified("action_requests"),
        words("action_requests", "status", "PENDING", "EXECUTED", "REJECTED", "FAILED", "EXPIRED"),
        sa.Index("ix_action_requests_pending", "organization_id", "id", **where("status = 'PENDING'")),
        sa.Index("ix_action_requests_target", "organization_id", "target_kind", "target_id"),
    )
    make_table(
        "audit_events",
        *owned("audit_events"),
        sa.Column("sequence", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("action_request_id", sa.String(40)),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous_hash", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        primary("audit_events", "organization_id", "sequence"),
        unique("audit_events", "organization_id", "hash"),
        sa.Index("ix_audit_events_request", "organization_id", "action_request_id"),
    )
    make_table(
        "idempotency_keys",
        *numbered("idempotency_keys"),
        sa.Column("actor_kind", sa.String(8), nullable=False),
        sa.Column("actor_id", BIG, nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("content_type", sa.String(255), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        unique("idempotency_keys", "organization_id", "actor_kind", "actor_id", "key"),
        words("idempotency_keys", "actor_kind", "PERSON", "TOKEN"),
        sa.Index("ix_idempotency_keys_created", "organization_id", "created_at"),
    )
    make_table(
        "proposals",
        *owned("proposals"),
        sa.Column("action_request_id", sa.String(40), nullable=False),
        sa.Column("token_id", BIG, nullable=False),
        sa.Column("scope", sa.String(64), nullable=False),
        sa.Column("method", sa.String(8), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("body", sa.Text),
        sa.Column("form", sa.JSON),
        sa.Column("if_match", sa.Text),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("earlier", sa.JSON, server_default=sa.text("'[]'"), nullable=False),
        sa.Column("effect", sa.JSON, nullable=False),
        sa.Column("blockers", sa.JSON, nullable=False),
        sa.Column("checked_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("decided_by", sa.JSON),
        sa.Column("replaced_by", sa.String(40)),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("acts", sa.JSON, nullable=False),
        sa.Column("answer", sa.JSON),
        primary("proposals", "organization_id", "action_request_id"),
        pair("proposals", "action_request_id", "action_requests"),
        pair("proposals", "replaced_by", "action_requests"),
        pair("proposals", "token_id", "api_tokens"),
        sa.Index("ix_proposals_fingerprint", "organization_id", "fingerprint"),
        sa.Index("ix_proposals_token", "organization_id", "token_id"),
    )
    make_table(
        "bound_rows",
        *owned("bound_rows"),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("row_id", sa.BigInteger, nullable=False),
        sa.Column("format", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary(32)),
        primary("bound_rows", "organization_id", "sequence", "kind", "row_id"),
        sqlite_with_rowid=False,
    )
    make_table(
        "written_rows",
        *owned("written_rows"),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("row_id", sa.BigInteger, nullable=False),
        primary("written_rows", "organization_id", "kind", "row_id"),
        sqlite_with_rowid=False,
    )


def make_accounts() -> None:
    make_table(
        "accounts",
        *numbered("accounts"),
        sa.Column("code", sa.String(20)),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("type", sa.String(16), nullable=False),
        sa.Column("emoji", sa.String(64)),
        sa.Column("currency", sa.String(3)),
        sa.Column("parent_id", BIG),
        sa.Column("in_scope", sa.Boolean, nullable=False),
        sa.Column("requires_counterparty", sa.Boolean, nullable=False),
        sa.Column("is_watched", sa.Boolean, nullable=False),
        sa.Column("is_revalued", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("keeps_items", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("items_from", sa.Date),
        sa.Column("is_archived", sa.Boolean, nullable=False),
        sa.Column("role", sa.String(32)),
        sa.Column("group", sa.String(32)),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        unique("accounts", "organization_id", "code"),
        unique("accounts", "organization_id", "role"),
        words("accounts", "type", "ASSET", "LIABILITY", "EQUITY", "INCOME", "EXPENSE"),
        pair("accounts", "parent_id", "accounts"),
    )
    make_table(
        "institutions",
        *numbered("institutions"),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("url", sa.String(2000)),
        sa.Column("logo", sa.String(2000)),
        sa.Column("created_at", INSTANT, nullable=False),
    )
    make_table(
        "merchants",
        *numbered("merchants"),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("website", sa.String(2000)),
        sa.Column("image_url", sa.String(2000)),
        sa.Column("logo", sa.String(2000)),
        sa.Column("terms_days", sa.Integer),
        sa.Column("vat_ids", sa.JSON, server_default="[]", nullable=False),
        sa.Column("ibans", sa.JSON, server_default="[]", nullable=False),
        sa.Column("merged_into_id", BIG),
        sa.Column("merged_through_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.CheckConstraint("merged_into_id <> id", name="ck_merchants_merged_into_another"),
        sa.CheckConstraint(
            "merged_through_id IS NULL OR merged_through_id NOT IN (id, merged_into_id)",
            name="ck_merchants_merged_through_another",
        ),
        sa.CheckConstraint(
            "merged_through_id IS NULL OR merged_into_id IS NOT NULL",
            name="ck_merchants_merged_through_merged",
        ),
        pair("merchants", "merged_into_id", "merchants"),
        pair("merchants", "merged_through_id", "merchants"),
        sa.Index(
            "ix_merchants_merged",
            "organization_id",
            "merged_into_id",
            "id",
            **where("merged_into_id IS NOT NULL"),
        ),
    )
    make_table(
        "project_groups",
        *numbered("project_groups"),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("emoji", sa.String(64), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
    )
    make_table(
        "feed_accounts",
        *numbered("feed_accounts"),
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("institution_id", BIG),
        sa.Column("external_id", sa.String(255)),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("mask", sa.String(32)),
        sa.Column("provider", sa.String(64), nullable=False),
        sa.Column("created_by_format", sa.String(16)),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("splits_batches", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("last_feed_at", INSTANT),
        sa.Column("refused_pushes", sa.Integer, server_default="0", nullable=False),
        sa.Column("paused_at", INSTANT),
        sa.Column("paused_reason", sa.Text),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        unique("feed_accounts", "organization_id", "account_id"),
        unique("feed_accounts", "organization_id", "external_id", "currency"),
        pair("feed_accounts", "account_id", "accounts"),
        pair("feed_accounts", "institution_id", "institutions"),
    )
    make_table(
        "projects",
        *numbered("projects"),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("emoji", sa.String(64)),
        sa.Column("group_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        pair("projects", "group_id", "project_groups"),
    )


def make_documents() -> None:
    make_table(
        "stored_files",
        *numbered("stored_files"),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("file_type", sa.String(255).with_variant(sa.String(64), "sqlite"), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("is_compressed", sa.Boolean, nullable=False),
        sa.Column("kept_name", sa.String(80)),
        sa.Column("content", sa.LargeBinary),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("thrown_away_at", INSTANT),
        unique("stored_files", "organization_id", "sha256"),
        sa.CheckConstraint(
            "CASE WHEN thrown_away_at IS NULL THEN (kept_name IS NULL) <> (content IS NULL) ELSE kept_name IS NULL AND content IS NULL END",
            name="ck_stored_files_kept_or_thrown_away",
        ),
        sa.Index("ix_stored_files_came", "organization_id", "created_at", **where("thrown_away_at IS NULL")),
    )
    make_table(
        "inbox_files",
        *numbered("inbox_files"),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("file_name", sa.String(255), nullable=False),
        sa.Column("file_type", sa.String(255), nullable=False),
        sa.Column("file_size", sa.BigInteger, nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("document_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        unique("inbox_files", "organization_id", "sha256"),
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            name="fk_inbox_files_organization_id_sha256",
            ondelete="RESTRICT",
        ),
    )
    make_table(
        "documents",
        *numbered("documents"),
        sa.Column("document_type", sa.String(16), nullable=False),
        sa.Column("side", sa.String(16)),
        sa.Column("file_name", sa.String(255)),
        sa.Column("number", sa.String(255)),
        sa.Column("sender", sa.String(255)),
        sa.Column("issued_on", sa.Date),
        sa.Column("net_minor", sa.BigInteger),
        sa.Column("tax_minor", sa.BigInteger),
        sa.Column("total_minor", sa.BigInteger),
        sa.Column("currency", sa.String(3)),
        sa.Column("original_currency", sa.String(3)),
        sa.Column("due_on", sa.Date),
        sa.Column("received_on", sa.Date),
        sa.Column("prepaid_minor", sa.BigInteger),
        sa.Column("due_minor", sa.BigInteger),
        sa.Column("buyer", sa.String(255)),
        sa.Column("seller_vat_id", sa.String(64)),
        sa.Column("iban", sa.String(64)),
        sa.Column("remittance", sa.String(255)),
        sa.Column("invoice", sa.JSON),
        sa.Column("text", sa.Text),
        sa.Column("account_id", BIG),
        sa.Column("org_merchant_id", BIG),
        sa.Column("project_id", BIG),
        sa.Column("set_by_hand", sa.JSON, nullable=False),
        sa.Column("file_type", sa.String(64)),
        sa.Column("file_size", sa.Integer),
        sa.Column("sha256", sa.String(64)),
        sa.Column("file_part", sa.Integer, server_default="1", nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.CheckConstraint(
            "currency IS NOT NULL OR (net_minor IS NULL AND tax_minor IS NULL AND total_minor IS NULL)",
            name="ck_documents_amounts_currency",
        ),
        words("documents", "document_type", "RECEIPT", "INVOICE", "BILL", "CREDIT_NOTE", "OTHER"),
        sa.CheckConstraint(
            "currency IS NOT NULL OR (prepaid_minor IS NULL AND due_minor IS NULL)",
            name="ck_documents_due_currency",
        ),
        words("documents", "side", "SALE", "PURCHASE"),
        pair("documents", "account_id", "accounts"),
        pair("documents", "org_merchant_id", "merchants"),
        pair("documents", "project_id", "projects"),
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            name="fk_documents_organization_id_sha256",
            ondelete="RESTRICT",
        ),
        sa.Index(
            "ix_documents_due",
            "organization_id",
            "due_minor",
            "issued_on",
            "due_on",
            **where("due_minor IS NOT NULL"),
        ),
        sa.Index("ix_documents_issued", "organization_id", "issued_on", "id"),
        sa.Index("ix_documents_number", "organization_id", "number", **where("number IS NOT NULL")),
        sa.Index(
            "ix_documents_total",
            "organization_id",
            "total_minor",
            "issued_on",
            "due_on",
            **where("total_minor IS NOT NULL"),
        ),
        sa.Index(
            "uq_documents_file",
            "organization_id",
            "sha256",
            "file_part",
            unique=True,
            **where("sha256 IS NOT NULL"),
        ),
    )
    make_table(
        "document_files",
        *numbered("document_files"),
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("file_name", sa.String(255), nullable=False),
        sa.Column("file_type", sa.String(64), nullable=False),
        sa.Column("file_size", sa.Integer, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        unique("document_files", "organization_id", "sha256"),
        pair("document_files", "document_id", "documents"),
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            name="fk_document_files_organization_id_sha256",
            ondelete="RESTRICT",
        ),
        sa.Index("ix_document_files_document", "organization_id", "document_id"),
    )


def make_entries() -> None:
    make_table(
        "journal_entries",
        *numbered("journal_entries"),
        sa.Column("effective_on", sa.Date, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("base_currency", sa.String(3), nullable=False),
        sa.Column("corrects_id", BIG),
        sa.Column("voids_id", BIG),
        sa.Column("voided_by_id", BIG),
        sa.Column("document_id", BIG),
        sa.Column("action_request_id", sa.String(40)),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("posted_at", INSTANT),
        sa.Column("number", sa.BigInteger),
        sa.Column("fact_on", sa.Date),
        sa.Column("is_moved", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("is_closing", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("schedule_id", BIG),
        sa.Column("tax_reason", sa.String(20)),
        words(
            "journal_entries",
            "source",
            "bank_feed",
            "document",
            "manual",
            "opening",
            "correction",
            "void",
            "revaluation",
            "exchange",
            "settlement",
        ),
        words("journal_entries", "status", "DRAFT", "POSTED", "VOIDED"),
        sa.CheckConstraint(
            "(status = 'VOIDED') = (voided_by_id IS NOT NULL)", name="ck_journal_entries_voided_by_reversal"
        ),
        pair("journal_entries", "corrects_id", "journal_entries"),
        pair("journal_entries", "document_id", "documents"),
        pair("journal_entries", "voided_by_id", "journal_entries"),
        pair("journal_entries", "voids_id", "journal_entries"),
        sa.Index(
            "ix_journal_entries_corrects",
            "organization_id",
            "corrects_id",
            **where("corrects_id IS NOT NULL"),
        ),
        sa.Index(
            "ix_journal_entries_document",
            "organization_id",
            "document_id",
            **where("document_id IS NOT NULL"),
        ),
        sa.Index("ix_journal_entries_drafts", "organization_id", "id", **where("status = 'DRAFT'")),
        sa.Index("ix_journal_entries_newest", "organization_id", "effective_on", "id"),
        sa.Index("ix_journal_entries_own", "organization_id", "id", **where("source <> 'bank_feed'")),
        sa.Index(
            "ix_journal_entries_voided_by",
            "organization_id",
            "voided_by_id",
            **where("voided_by_id IS NOT NULL"),
        ),
        sa.Index("ix_journal_entries_voids", "organization_id", "voids_id", **where("voids_id IS NOT NULL")),
        sa.Index(
            "uq_journal_entries_marker",
            "organization_id",
            "corrects_id",
            unique=True,
            **where("status = 'DRAFT' AND corrects_id IS NOT NULL"),
        ),
        sa.Index("uq_journal_entries_number", "organization_id", "number", unique=True),
        sa.Index(
            "ix_journal_entries_facts", "organization_id", "effective_on", **where("fact_on IS NOT NULL")
        ),
        sa.Index(
            "ix_journal_entries_closings",
            "organization_id",
            "effective_on",
            **where("is_closing = 1", "is_closing"),
        ),
        sa.Index(
            "ix_journal_entries_revaluations",
            "organization_id",
            "action_request_id",
            **where("source = 'revaluation'"),
        ),
    )
    make_table(
        "imports",
        *numbered("imports"),
        sa.Column("file_name", sa.String(255), nullable=False),
        sa.Column("format", sa.String(16)),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("error", sa.Text, nullable=False),
        sa.Column("warnings", sa.JSON, nullable=False),
        sa.Column("accounts", sa.JSON, nullable=False),
        sa.Column("reading", sa.JSON, server_default="{}", nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("kept_file", sa.String(80)),
        sa.Column("file_id", BIG),
        sa.Column("feed_account_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        words("imports", "status", "PREVIEWED", "IMPORTED", "REFUSED"),
        pair("imports", "feed_account_id", "feed_accounts"),
        pair("imports", "file_id", "stored_files"),
        sa.Index("ix_imports_file", "organization_id", "file_id"),
    )
    make_table(
        "transactions",
        *numbered("transactions"),
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("provider_transaction_id", sa.String(1000)),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("booked_on", sa.Date, nullable=False),
        sa.Column("value_on", sa.Date),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("counterparty", sa.Text),
        sa.Column("reference", sa.Text),
        sa.Column("iban", sa.String(64)),
        sa.Column("line_key", sa.String(32)),
        sa.Column("occurrence", sa.Integer, nullable=False),
        sa.Column("text_key", sa.Integer),
        sa.Column("details", sa.JSON),
        sa.Column("import_id", BIG),
        sa.Column("removed_by_import_id", BIG),
        sa.Column("journal_entry_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        unique("transactions", "feed_account_id", "line_key", "occurrence"),
        words("transactions", "status", "PENDING", "BOOKED", "SET_ASIDE", "REMOVED", "DELETED"),
        pair("transactions", "feed_account_id", "feed_accounts"),
        pair("transactions", "import_id", "imports"),
        pair("transactions", "journal_entry_id", "journal_entries"),
        pair("transactions", "removed_by_import_id", "imports"),
        sa.Index("ix_transactions_alike", "feed_account_id", "booked_on", "amount_minor", "text_key", "id"),
        sa.Index("ix_transactions_by_day", "feed_account_id", "booked_on", "id"),
        sa.Index("ix_transactions_entry", "journal_entry_id"),
        sa.Index("ix_transactions_import", "import_id"),
        sa.Index("ix_transactions_newest", "organization_id", "booked_on", "id"),
        sa.Index("ix_transactions_status", "feed_account_id", "status", "organization_id"),
        sa.Index(
            "ix_transactions_taken_back",
            "organization_id",
            "feed_account_id",
            **where("status = 'REMOVED' AND journal_entry_id IS NOT NULL"),
        ),
    )
    make_table(
        "declined_relations",
        *numbered("declined_relations"),
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("transaction_id", BIG),
        sa.Column("journal_entry_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint(
            "(transaction_id IS NULL) <> (journal_entry_id IS NULL)", name="ck_declined_relations_one_of_two"
        ),
        pair("declined_relations", "document_id", "documents"),
        pair("declined_relations", "journal_entry_id", "journal_entries", "CASCADE"),
        pair("declined_relations", "transaction_id", "transactions", "CASCADE"),
        sa.Index("ix_declined_relations_document", "document_id"),
        sa.Index(
            "uq_declined_relations_journal_entry",
            "organization_id",
            "journal_entry_id",
            "document_id",
            unique=True,
            **where("journal_entry_id IS NOT NULL"),
        ),
        sa.Index(
            "uq_declined_relations_transaction",
            "organization_id",
            "transaction_id",
            "document_id",
            unique=True,
            **where("transaction_id IS NOT NULL"),
        ),
    )
    make_table(
        "document_relations",
        *numbered("document_relations"),
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("transaction_id", BIG),
        sa.Column("journal_entry_id", BIG),
        sa.Column("is_automatic", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint(
            "(transaction_id IS NULL) <> (journal_entry_id IS NULL)", name="ck_document_relations_one_of_two"
        ),
        pair("document_relations", "document_id", "documents"),
        pair("document_relations", "journal_entry_id", "journal_entries", "CASCADE"),
        pair("document_relations", "transaction_id", "transactions", "CASCADE"),
        sa.Index("ix_document_relations_document", "document_id"),
        sa.Index(
            "uq_document_relations_journal_entry",
            "organization_id",
            "journal_entry_id",
            "document_id",
            unique=True,
            **where("journal_entry_id IS NOT NULL"),
        ),
        sa.Index(
            "uq_document_relations_transaction",
            "organization_id",
            "transaction_id",
            "document_id",
            unique=True,
            **where("transaction_id IS NOT NULL"),
        ),
    )
    make_table(
        "exchange_rates",
        *numbered("exchange_rates"),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("units_per_base", EXACT, nullable=False),
        sa.Column("source", sa.String(255), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        unique("exchange_rates", "organization_id", "currency", "day"),
    )
    make_table(
        "postings",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        *owned("postings"),
        sa.Column("journal_entry_id", BIG, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger),
        sa.Column("base_currency", sa.String(3), nullable=False),
        sa.Column("is_bank_leg", sa.Boolean, nullable=False),
        sa.Column("org_merchant_id", BIG),
        sa.Column("project_id", BIG),
        sa.Column("transaction_id", BIG),
        sa.Column("due_on", sa.Date),
        sa.Column("reference", sa.String(255)),
        sa.Column("has_own_base", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("tax_code_id", BIG),
        sa.Column("tax_point", sa.Date),
        sa.Column("boxes", sa.JSON),
        primary("postings", "id"),
        unique("postings", "journal_entry_id", "position"),
        pair("postings", "account_id", "accounts"),
        pair("postings", "journal_entry_id", "journal_entries"),
        pair("postings", "org_merchant_id", "merchants"),
        pair("postings", "project_id", "projects"),
        pair("postings", "transaction_id", "transactions"),
        sa.Index("ix_postings_account", "account_id", "journal_entry_id"),
        sa.Index(
            "ix_postings_merchant",
            "org_merchant_id",
            "journal_entry_id",
            **where("org_merchant_id IS NOT NULL"),
        ),
        sa.Index(
            "ix_postings_outside",
            "account_id",
            "amount_minor",
            "journal_entry_id",
            **where("transaction_id IS NULL"),
        ),
        sa.Index("ix_postings_project", "project_id", "journal_entry_id", **where("project_id IS NOT NULL")),
        sa.Index("ix_postings_transaction", "transaction_id", **where("transaction_id IS NOT NULL")),
        sa.Index("ix_postings_taxes", "organization_id", "tax_point", **where("tax_point IS NOT NULL")),
    )
    make_table(
        "column_mappings",
        *numbered("column_mappings"),
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("layout", sa.String(64), nullable=False),
        sa.Column("mapping", sa.JSON, nullable=False),
        sa.Column("names", sa.JSON, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        unique("column_mappings", "organization_id", "feed_account_id", "layout"),
        pair("column_mappings", "feed_account_id", "feed_accounts"),
        sa.Index("ix_column_mappings_layout", "organization_id", "layout"),
    )
    make_table(
        "feed_pushes",
        *numbered("feed_pushes"),
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("batch_id", sa.String(255), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("answer", sa.LargeBinary, nullable=False),
        sa.Column("received_at", INSTANT, nullable=False),
        sa.Column("file_id", BIG),
        unique("feed_pushes", "organization_id", "feed_account_id", "batch_id"),
        pair("feed_pushes", "feed_account_id", "feed_accounts"),
        pair("feed_pushes", "file_id", "stored_files"),
        sa.Index("ix_feed_pushes_file", "organization_id", "file_id"),
        sa.Index("ix_feed_pushes_received", "organization_id", "feed_account_id", "received_at"),
    )
    make_table(
        "bulk_turns",
        *owned("bulk_turns"),
        sa.Column("import_id", BIG, autoincrement=False, nullable=False),
        sa.Column("no_import_id", BIG, nullable=False),
        primary("bulk_turns", "organization_id", "import_id"),
        sa.CheckConstraint("no_import_id = 0", name="ck_bulk_turns_ends"),
        pair("bulk_turns", "import_id", "imports"),
        sa.ForeignKeyConstraint(
            ["organization_id", "no_import_id"],
            ["imports.organization_id", "imports.id"],
            name="fk_bulk_turns_organization_id_no_import_id",
            deferrable=True,
            initially="DEFERRED",
        ),
    )
    make_table(
        "provider_balances",
        *numbered("provider_balances"),
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("stated_at", INSTANT),
        sa.Column("received_at", INSTANT, nullable=False),
        sa.Column("import_id", BIG),
        pair("provider_balances", "feed_account_id", "feed_accounts"),
        pair("provider_balances", "import_id", "imports"),
        sa.Index("ix_provider_balances_by_day", "organization_id", "feed_account_id", "day"),
        sa.Index("ix_provider_balances_import", "organization_id", "import_id"),
    )
    make_table(
        "feed_lines",
        *owned("feed_lines"),
        sa.Column("feed_account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("provider_transaction_id", sa.String(255), nullable=False),
        sa.Column("transaction_id", BIG),
        sa.Column("event", sa.String(8), nullable=False),
        sa.Column("is_pending", sa.Boolean, nullable=False),
        sa.Column("digest", sa.LargeBinary(16)),
        sa.Column("pending_id", sa.String(255)),
        primary("feed_lines", "organization_id", "feed_account_id", "provider_transaction_id"),
        words("feed_lines", "event", "ADDED", "MODIFIED", "REMOVED"),
        pair("feed_lines", "feed_account_id", "feed_accounts"),
        pair("feed_lines", "transaction_id", "transactions"),
        sa.Index(
            "ix_feed_lines_pending",
            "organization_id",
            "feed_account_id",
            "pending_id",
            **where("pending_id IS NOT NULL"),
        ),
        sa.Index("ix_feed_lines_transaction", "organization_id", "transaction_id"),
        sqlite_with_rowid=False,
    )
    make_table(
        "import_lines",
        *owned("import_lines"),
        sa.Column("import_id", BIG, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("row", sa.Integer, nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("transaction_id", BIG),
        primary("import_lines", "import_id", "position"),
        words("import_lines", "verdict", "NEW", "ALREADY_THERE", "POSSIBLY_THERE", "PENDING", "SKIPPED"),
        pair("import_lines", "import_id", "imports"),
        pair("import_lines", "transaction_id", "transactions"),
        sa.Index("ix_import_lines_transaction", "transaction_id"),
        sqlite_with_rowid=False,
    )
    make_table(
        "line_changes",
        *numbered("line_changes"),
        sa.Column("transaction_id", BIG, nullable=False),
        sa.Column("before", sa.JSON, nullable=False),
        sa.Column("after", sa.JSON, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        pair("line_changes", "transaction_id", "transactions"),
        sa.Index("ix_line_changes_transaction", "organization_id", "transaction_id"),
    )
    make_table(
        "line_joins",
        *numbered("line_joins"),
        sa.Column("kept_id", BIG, nullable=False),
        sa.Column("joined_id", BIG, nullable=False),
        sa.Column("tier", sa.String(8), nullable=False),
        sa.Column("status", sa.String(9), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("evidence", sa.JSON, nullable=False),
        sa.Column("decided_by", sa.JSON),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("undone_at", INSTANT),
        unique("line_joins", "organization_id", "kept_id", "joined_id"),
        words("line_joins", "status", "JOINED", "SUGGESTED", "REFUSED"),
        words("line_joins", "tier", "LINK", "EXACT", "TIP", "REWORDED", "TWIN", "REISSUED", "PERSON"),
        pair("line_joins", "joined_id", "transactions"),
        pair("line_joins", "kept_id", "transactions"),
        sa.Index("ix_line_joins_joined", "organization_id", "joined_id"),
        sa.Index("ix_line_joins_kept_joined", "organization_id", "kept_id", **where("status = 'JOINED'")),
        sa.Index(
            "uq_line_joins_joined_once",
            "organization_id",
            "joined_id",
            unique=True,
            **where("status = 'JOINED'"),
        ),
    )
    make_table(
        "transfer_pairs",
        *numbered("transfer_pairs"),
        sa.Column("transaction_id", BIG, nullable=False),
        sa.Column("other_id", BIG, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("counters", sa.JSON, nullable=False),
        sa.Column("part_minor", sa.BigInteger),
        sa.Column("difference", sa.String(8)),
        sa.Column("difference_entry_id", BIG),
        sa.Column("is_settled", sa.Boolean, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("ended_at", INSTANT),
        unique("transfer_pairs", "organization_id", "transaction_id", "other_id"),
        words("transfer_pairs", "difference", "FEE", "EXCHANGE"),
        words("transfer_pairs", "status", "STANDING", "UNDONE", "DISMISSED"),
        sa.CheckConstraint("transaction_id <> other_id", name="ck_transfer_pairs_two_lines"),
        pair("transfer_pairs", "difference_entry_id", "journal_entries"),
        pair("transfer_pairs", "other_id", "transactions"),
        pair("transfer_pairs", "transaction_id", "transactions"),
        sa.Index(
            "ix_transfer_pairs_difference",
            "organization_id",
            "difference_entry_id",
            **where("difference_entry_id IS NOT NULL"),
        ),
        sa.Index("ix_transfer_pairs_other", "organization_id", "other_id"),
        sa.Index(
            "uq_transfer_pairs_standing",
            "organization_id",
            "transaction_id",
            unique=True,
            **where("status = 'STANDING'"),
        ),
    )


def make_statements() -> None:
    make_table(
        "reconciliations",
        *numbered("reconciliations"),
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("statement_date", sa.Date, nullable=False),
        sa.Column("statement_balance_minor", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("keep_as_new", sa.Boolean, nullable=False),
        sa.Column("opening_balance_minor", sa.BigInteger),
        sa.Column("opening_date", sa.Date),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("opened_at", INSTANT, nullable=False),
        sa.Column("opened_by", sa.JSON, nullable=False),
        sa.Column("reopened_from_id", BIG),
        sa.Column("previous_id", BIG),
        sa.Column("opening_entry_id", BIG),
        sa.Column("frozen", sa.Text),
        sa.Column("digest", sa.String(64)),
        sa.Column("left_open", sa.JSON),
        sa.Column("completed_at", INSTANT),
        sa.Column("completed_by", sa.JSON),
        sa.Column("reopened_at", INSTANT),
        sa.Column("reopened_by", sa.JSON),
        sa.Column("reopen_reason", sa.Text),
        words("reconciliations", "status", "DRAFT", "COMPLETED", "REOPENED"),
        pair("reconciliations", "feed_account_id", "feed_accounts"),
        pair("reconciliations", "opening_entry_id", "journal_entries"),
        pair("reconciliations", "previous_id", "reconciliations"),
        pair("reconciliations", "reopened_from_id", "reconciliations"),
        sa.Index(
            "ix_reconciliations_opening_day",
            "organization_id",
            "feed_account_id",
            "opening_date",
            **where("keep_as_new = 1", "keep_as_new"),
        ),
        sa.Index(
            "ix_reconciliations_opening_entry", "opening_entry_id", **where("opening_entry_id IS NOT NULL")
        ),
        sa.Index(
            "uq_reconciliations_draft",
            "organization_id",
            "feed_account_id",
            unique=True,
            **where("status = 'DRAFT'"),
        ),
        sa.Index(
            "uq_reconciliations_statement",
            "organization_id",
            "feed_account_id",
            "statement_date",
            unique=True,
            **where("status = 'COMPLETED'"),
        ),
    )
    make_table(
        "proof_breaks",
        *numbered("proof_breaks"),
        sa.Column("reconciliation_id", BIG, nullable=False),
        sa.Column("broken_at", INSTANT, nullable=False),
        sa.Column("broken_by", sa.JSON, nullable=False),
        sa.Column("action_request_id", sa.String(40)),
        sa.Column("journal_entry_id", BIG),
        sa.Column("transaction_id", BIG),
        sa.Column("field", sa.String(16), nullable=False),
        sa.Column("before", sa.String(32)),
        sa.Column("after", sa.String(32)),
        sa.Column("cleared_now_minor", sa.BigInteger, nullable=False),
        sa.Column("off_by_minor", sa.BigInteger, nullable=False),
        sa.Column("repaired_at", INSTANT),
        sa.Column("repaired_by", sa.JSON),
        sa.Column("repair_action_request_id", sa.String(40)),
        sa.Column("repair", sa.String(16)),
        words("proof_breaks", "repair", "UNDONE", "REOPENED", "ACCEPTED"),
        sa.CheckConstraint(
            "(repaired_at IS NULL) = (repair IS NULL)",
            name="ck_proof_breaks_repaired_by_repair",
        ),
        pair("proof_breaks", "reconciliation_id", "reconciliations"),
        sa.Index("ix_proof_breaks_of", "organization_id", "reconciliation_id"),
        sa.Index(
            "uq_proof_breaks_unrepaired",
            "organization_id",
            "reconciliation_id",
            unique=True,
            **where("repaired_at IS NULL"),
        ),
    )
    make_table(
        "reconciliation_items",
        *numbered("reconciliation_items"),
        sa.Column("reconciliation_id", BIG, nullable=False),
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("transaction_id", BIG),
        sa.Column("journal_entry_id", BIG),
        sa.Column("is_standing", sa.Boolean, nullable=False),
        sa.Column("frozen_on", sa.Date),
        sa.Column("frozen_minor", sa.BigInteger),
        sa.CheckConstraint(
            "(transaction_id IS NULL) <> (journal_entry_id IS NULL)",
            name="ck_reconciliation_items_line_or_entry",
        ),
        pair("reconciliation_items", "feed_account_id", "feed_accounts"),
        pair("reconciliation_items", "journal_entry_id", "journal_entries"),
        pair("reconciliation_items", "reconciliation_id", "reconciliations"),
        pair("reconciliation_items", "transaction_id", "transactions"),
        sa.Index(
            "ix_reconciliation_items_entry", "journal_entry_id", **where("journal_entry_id IS NOT NULL")
        ),
        sa.Index("ix_reconciliation_items_line", "transaction_id", **where("transaction_id IS NOT NULL")),
        sa.Index("ix_reconciliation_items_of", "organization_id", "reconciliation_id"),
        sa.Index(
            "uq_reconciliation_items_entry",
            "organization_id",
            "feed_account_id",
            "journal_entry_id",
            unique=True,
            **where("is_standing = 1", "is_standing"),
        ),
        sa.Index(
            "uq_reconciliation_items_transaction",
            "organization_id",
            "transaction_id",
            unique=True,
            **where("is_standing = 1", "is_standing"),
        ),
    )
    make_table(
        "statement_documents",
        *numbered("statement_documents"),
        sa.Column("reconciliation_id", BIG, nullable=False),
        sa.Column("document_id", BIG, nullable=False),
        unique("statement_documents", "organization_id", "reconciliation_id"),
        pair("statement_documents", "document_id", "documents"),
        pair("statement_documents", "reconciliation_id", "reconciliations", "CASCADE"),
        sa.Index("ix_statement_documents_document", "document_id"),
        sa.Index("ix_statement_documents_reconciliation", "reconciliation_id"),
    )
    make_table(
        "touched_proofs",
        *owned("touched_proofs"),
        sa.Column("reconciliation_id", BIG, autoincrement=False, nullable=False),
        sa.Column("by_late_lines", sa.Boolean, server_default=sa.false(), nullable=False),
        primary("touched_proofs", "organization_id", "reconciliation_id"),
        pair("touched_proofs", "reconciliation_id", "reconciliations", "CASCADE"),
    )


def make_items() -> None:
    make_table(
        "settlements",
        *numbered("settlements"),
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("base_currency", sa.String(3), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("cause", sa.String(16), server_default="BY_HAND", nullable=False),
        sa.Column("settled_on", sa.Date, nullable=False),
        sa.Column("undone_on", sa.Date),
        sa.Column("actor", sa.JSON, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("undone_at", INSTANT),
        words("settlements", "cause", "BY_HAND", "PAYMENT", "VOID", "NIL", "DOCUMENT"),
        words("settlements", "status", "OPEN", "STANDING", "UNDONE"),
        sa.CheckConstraint(
            "(status = 'UNDONE') = (undone_on IS NOT NULL)", name="ck_settlements_undone_on_a_day"
        ),
        pair("settlements", "account_id", "accounts"),
        sa.Index("ix_settlements_account", "organization_id", "account_id", "id"),
    )
    make_table(
        "items",
        sa.Column("id", BIG, autoincrement=False, nullable=False),
        *owned("items"),
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("org_merchant_id", BIG),
        sa.Column("journal_entry_id", BIG),
        sa.Column("day", sa.Date),
        sa.Column("due_on", sa.Date),
        sa.Column("reference", sa.String(255)),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger, nullable=False),
        sa.Column("settled_minor", sa.BigInteger, nullable=False),
        sa.Column("settled_base_minor", sa.BigInteger, nullable=False),
        primary("items", "organization_id", "id"),
        sa.CheckConstraint(
            "amount_minor = 0 OR settled_minor <> amount_minor OR settled_base_minor = amount_base_minor",
            name="ck_items_closed_in_base",
        ),
        sa.CheckConstraint(
            "(settled_base_minor BETWEEN 0 AND amount_base_minor) OR (settled_base_minor BETWEEN amount_base_minor AND 0)",
            name="ck_items_settled_base_within",
        ),
        sa.CheckConstraint(
            "(settled_minor BETWEEN 0 AND amount_minor) OR (settled_minor BETWEEN amount_minor AND 0)",
            name="ck_items_settled_within",
        ),
        pair("items", "account_id", "accounts"),
        pair("items", "journal_entry_id", "journal_entries"),
        pair("items", "org_merchant_id", "merchants"),
        sa.Index("ix_items_account", "organization_id", "account_id", "org_merchant_id", "currency"),
        sa.Index("ix_items_entry", "organization_id", "journal_entry_id", "account_id"),
        sa.Index(
            "ix_items_open",
            "organization_id",
            "account_id",
            "id",
            **where("settled_minor <> amount_minor OR settled_base_minor <> amount_base_minor"),
        ),
    )
    make_table(
        "settlement_entries",
        *owned("settlement_entries"),
        sa.Column("journal_entry_id", BIG, autoincrement=False, nullable=False),
        sa.Column("settlement_id", BIG, nullable=False),
        sa.Column("purpose", sa.String(16), nullable=False),
        primary("settlement_entries", "organization_id", "journal_entry_id"),
        words("settlement_entries", "purpose", "DIFFERENCE", "DISCOUNT", "WRITE_OFF", "FEE"),
        pair("settlement_entries", "journal_entry_id", "journal_entries"),
        pair("settlement_entries", "settlement_id", "settlements"),
        sa.Index("ix_settlement_entries_settlement", "organization_id", "settlement_id"),
    )
    make_table(
        "settlement_parts",
        *numbered("settlement_parts"),
        sa.Column("settlement_id", BIG, nullable=False),
        sa.Column("item_id", BIG, nullable=False),
        sa.Column("journal_entry_id", BIG),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger, nullable=False),
        unique("settlement_parts", "settlement_id", "item_id"),
        pair("settlement_parts", "journal_entry_id", "journal_entries"),
        pair("settlement_parts", "settlement_id", "settlements"),
        sa.Index("ix_settlement_parts_entry", "organization_id", "journal_entry_id"),
        sa.Index("ix_settlement_parts_item", "organization_id", "item_id"),
        sa.Index("ix_settlement_parts_settlement", "organization_id", "settlement_id", "id"),
    )
    make_table(
        "payment_parts",
        *owned("payment_parts"),
        sa.Column("transaction_id", BIG, autoincrement=False, nullable=False),
        sa.Column("item_id", BIG, autoincrement=False, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("in_line_minor", sa.BigInteger),
        primary("payment_parts", "organization_id", "transaction_id", "item_id"),
        pair("payment_parts", "transaction_id", "transactions", "CASCADE"),
        sa.Index("ix_payment_parts_item", "organization_id", "item_id"),
    )
    make_table(
        "payments",
        *owned("payments"),
        sa.Column("transaction_id", BIG, autoincrement=False, nullable=False),
        sa.Column("short", sa.JSON),
        primary("payments", "organization_id", "transaction_id"),
        pair("payments", "transaction_id", "transactions", "CASCADE"),
    )
    make_table(
        "due_changes",
        *owned("due_changes"),
        sa.Column("item_id", BIG, autoincrement=False, nullable=False),
        sa.Column("since", sa.Date, nullable=False),
        sa.Column("due_before", sa.Date),
        primary("due_changes", "organization_id", "item_id", "since"),
        pair("due_changes", "item_id", "items", "CASCADE"),
    )


def make_rules() -> None:
    make_table(
        "rule_runs",
        *numbered("rule_runs"),
        sa.Column("action_request_id", sa.String(40), nullable=False),
        sa.Column("trigger", sa.String(32), nullable=False),
        sa.Column("rule_id", BIG),
        sa.Column("matched", sa.Integer, nullable=False),
        sa.Column("changed", sa.Integer, nullable=False),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("skipped", sa.JSON, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("undone_at", INSTANT),
        sa.Column("undone_by", sa.String(40)),
        words(
            "rule_runs",
            "trigger",
            "TRANSACTION_INGESTED",
            "TRANSACTION_UPDATED",
            "RECEIPT_PARSED",
            "MANUAL_APPLY",
        ),
        sa.Index("ix_rule_runs_newest", "organization_id", "created_at", "id"),
    )
    make_table(
        "rule_versions",
        *numbered("rule_versions"),
        sa.Column("rule_id", BIG, nullable=False),
        sa.Column("action_request_id", sa.String(40)),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("description", sa.String(500)),
        sa.Column("target", sa.String(16), nullable=False),
        sa.Column("trigger", sa.String(32), nullable=False),
        sa.Column("conditions", sa.JSON, nullable=False),
        sa.Column("effects", sa.JSON, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("stop_processing", sa.Boolean, nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        unique("rule_versions", "organization_id", "rule_id", "version"),
        words("rule_versions", "target", "RECEIPT", "TRANSACTION"),
        words(
            "rule_versions",
            "trigger",
            "RECEIPT_PARSED",
            "TRANSACTION_INGESTED",
            "TRANSACTION_UPDATED",
            "MANUAL_PREVIEW",
            "MANUAL_APPLY",
        ),
    )
    make_table(
        "rules",
        *numbered("rules"),
        sa.Column("match_count", sa.Integer, nullable=False),
        sa.Column("last_run_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("description", sa.String(500)),
        sa.Column("target", sa.String(16), nullable=False),
        sa.Column("trigger", sa.String(32), nullable=False),
        sa.Column("conditions", sa.JSON, nullable=False),
        sa.Column("effects", sa.JSON, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("stop_processing", sa.Boolean, nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        words("rules", "target", "RECEIPT", "TRANSACTION"),
        words(
            "rules",
            "trigger",
            "RECEIPT_PARSED",
            "TRANSACTION_INGESTED",
            "TRANSACTION_UPDATED",
            "MANUAL_PREVIEW",
            "MANUAL_APPLY",
        ),
        sa.Index("ix_rules_order", "organization_id", "priority", "id"),
    )
    make_table(
        "suggestion_dismissals",
        *numbered("suggestion_dismissals"),
        sa.Column("key", sa.String(22), nullable=False),
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("conditions", sa.JSON, nullable=False),
        sa.Column("evidence_count", sa.Integer, nullable=False),
        sa.Column("sentence", sa.Text, nullable=False),
        sa.Column("dismissed_by", sa.JSON, nullable=False),
        sa.Column("dismissed_at", INSTANT, nullable=False),
        unique("suggestion_dismissals", "organization_id", "key"),
        pair("suggestion_dismissals", "account_id", "accounts"),
    )
    make_table(
        "document_settings",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        *owned("document_settings"),
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("rule_id", BIG, nullable=False),
        sa.Column("rule_version", sa.Integer, nullable=False),
        sa.Column("value", sa.String(20), nullable=False),
        sa.Column("before", sa.String(20)),
        sa.Column("superseded_by", sa.String(40)),
        primary("document_settings", "id"),
        words("document_settings", "kind", "SET_CURRENCY", "SET_ACCOUNT", "SET_MERCHANT", "SET_PROJECT"),
        pair("document_settings", "document_id", "documents"),
        pair("document_settings", "run_id", "rule_runs"),
        sa.Index("ix_document_settings_document", "document_id"),
        sa.Index("ix_document_settings_run", "run_id", "document_id"),
    )
    make_table(
        "rule_settings",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        *owned("rule_settings"),
        sa.Column("transaction_id", BIG, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("rule_id", BIG, nullable=False),
        sa.Column("rule_version", sa.Integer, nullable=False),
        sa.Column("value", sa.String(20), nullable=False),
        sa.Column("before", sa.String(20)),
        sa.Column("superseded_by", sa.String(40)),
        primary("rule_settings", "id"),
        words(
            "rule_settings",
            "kind",
            "SET_CURRENCY",
            "SET_ACCOUNT",
            "SET_MERCHANT",
            "SET_PROJECT",
            "SETTLE_BY_REFERENCE",
        ),
        pair("rule_settings", "run_id", "rule_runs"),
        pair("rule_settings", "transaction_id", "transactions"),
        sa.Index("ix_rule_settings_line", "transaction_id"),
        sa.Index("ix_rule_settings_run", "run_id", "transaction_id"),
    )


def make_sums() -> None:
    make_table(
        "day_sums",
        *owned("day_sums"),
        sa.Column("account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger, nullable=False),
        primary("day_sums", "organization_id", "account_id", "currency", "day"),
        sa.CheckConstraint(
            "amount_base_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name="ck_day_sums_amount_base_minor_within_reach",
        ),
        sa.CheckConstraint(
            "amount_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name="ck_day_sums_amount_minor_within_reach",
        ),
        pair("day_sums", "account_id", "accounts", "CASCADE"),
        sqlite_with_rowid=False,
    )
    make_table(
        "month_sums",
        *owned("month_sums"),
        sa.Column("account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger, nullable=False),
        primary("month_sums", "organization_id", "account_id", "currency", "day"),
        sa.CheckConstraint(
            "amount_base_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name="ck_month_sums_amount_base_minor_within_reach",
        ),
        sa.CheckConstraint(
            "amount_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name="ck_month_sums_amount_minor_within_reach",
        ),
        pair("month_sums", "account_id", "accounts", "CASCADE"),
        sqlite_with_rowid=False,
    )
    make_table(
        "register_lines",
        *owned("register_lines"),
        sa.Column("account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("journal_entry_id", BIG, autoincrement=False, nullable=False),
        sa.Column("posting_id", BIG, autoincrement=False, nullable=False),
        primary("register_lines", "organization_id", "account_id", "day", "journal_entry_id", "posting_id"),
        pair("register_lines", "account_id", "accounts", "CASCADE"),
        sqlite_with_rowid=False,
    )
    make_table(
        "line_day_sums",
        *owned("line_day_sums"),
        sa.Column("feed_account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("unreconciled_count", BIG, nullable=False),
        sa.Column("booked_count", BIG, server_default=sa.text("0"), nullable=False),
        primary("line_day_sums", "organization_id", "feed_account_id", "day"),
        sa.CheckConstraint(
            "amount_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name="ck_line_day_sums_amount_minor_within_reach",
        ),
        pair("line_day_sums", "feed_account_id", "feed_accounts", "CASCADE"),
        sqlite_with_rowid=False,
    )
    make_table(
        "line_month_sums",
        *owned("line_month_sums"),
        sa.Column("unconfirmed_count", BIG, server_default=sa.text("0"), nullable=False),
        sa.Column("feed_account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("unreconciled_count", BIG, nullable=False),
        sa.Column("booked_count", BIG, server_default=sa.text("0"), nullable=False),
        primary("line_month_sums", "organization_id", "feed_account_id", "day"),
        sa.CheckConstraint(
            "amount_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name="ck_line_month_sums_amount_minor_within_reach",
        ),
        pair("line_month_sums", "feed_account_id", "feed_accounts", "CASCADE"),
        sqlite_with_rowid=False,
    )


def make_taxes() -> None:
    make_table(
        "tax_codes",
        *numbered("tax_codes"),
        sa.Column("code", sa.String(20), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("side", sa.String(8), nullable=False),
        sa.Column("rate", EXACT, nullable=False),
        sa.Column("basis", sa.String(8), nullable=False),
        sa.Column("amount_is", sa.String(4), nullable=False),
        sa.Column("is_self_assessed", sa.Boolean, nullable=False),
        sa.Column("has_relief", sa.Boolean, nullable=False),
        sa.Column("pack", sa.String(32)),
        sa.Column("valid_from", sa.Date),
        sa.Column("valid_to", sa.Date),
        sa.Column("is_archived", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("shares", sa.JSON, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        unique("tax_codes", "organization_id", "code"),
        words("tax_codes", "amount_is", "BASE", "TAX"),
        words("tax_codes", "basis", "ACCRUAL", "CASH"),
        words("tax_codes", "side", "SALE", "PURCHASE"),
    )
    make_table(
        "tax_packs",
        *numbered("tax_packs"),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("basis", sa.String(8), nullable=False),
        sa.Column("frequency", sa.String(16), nullable=False),
        sa.Column("starts_on", sa.Date, nullable=False),
        sa.Column("counted_from", sa.Date),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        unique("tax_packs", "organization_id", "name"),
        words("tax_packs", "basis", "ACCRUAL", "CASH"),
        words("tax_packs", "frequency", "MONTHLY", "QUARTERLY", "YEARLY"),
    )
    make_table(
        "tax_returns",
        *numbered("tax_returns"),
        sa.Column("form", sa.String(32), nullable=False),
        sa.Column("pack_version", sa.Integer, nullable=False),
        sa.Column("starts_on", sa.Date, nullable=False),
        sa.Column("ends_on", sa.Date, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("is_notice", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("figures", sa.JSON, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("reference", sa.String(255)),
        sa.Column("note", sa.Text),
        sa.Column("filed_at", INSTANT, nullable=False),
        sa.Column("filed_by", sa.JSON, nullable=False),
        sa.Column("journal_entry_id", BIG),
        sa.Column("last_number", BIG),
        sa.Column("withdrawn_at", INSTANT),
        sa.Column("reason", sa.Text),
        words("tax_returns", "status", "FILED", "WITHDRAWN"),
        sa.CheckConstraint(
            "(status = 'WITHDRAWN') = (withdrawn_at IS NOT NULL)", name="ck_tax_returns_withdrawn_at"
        ),
        pair("tax_returns", "journal_entry_id", "journal_entries"),
        sa.Index("ix_tax_returns_entry", "journal_entry_id", **where("journal_entry_id IS NOT NULL")),
        sa.Index(
            "uq_tax_returns_period",
            "organization_id",
            "form",
            "ends_on",
            unique=True,
            **where("status = 'FILED' AND NOT is_notice"),
        ),
    )
    make_table(
        "tax_stamps",
        *numbered("tax_stamps"),
        sa.Column("return_id", BIG, nullable=False),
        sa.Column("posting_id", BIG, nullable=False),
        sa.Column("form", sa.String(32), nullable=False),
        sa.Column("ended_at", INSTANT),
        pair("tax_stamps", "return_id", "tax_returns"),
        sa.Index(
            "uq_tax_stamps_standing",
            "organization_id",
            "posting_id",
            "form",
            unique=True,
            **where("ended_at IS NULL"),
        ),
        sa.Index("ix_tax_stamps_return", "organization_id", "return_id"),
    )
    make_table(
        "tax_rates",
        *numbered("tax_rates"),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("last_day", sa.Date, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("units_per_base", EXACT, nullable=False),
        sa.Column("source", sa.String(255), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        unique("tax_rates", "organization_id", "currency", "day", "last_day"),
    )
    make_table(
        "tax_parts",
        *numbered("tax_parts"),
        sa.Column("journal_entry_id", BIG, nullable=False),
        sa.Column("settlement_id", BIG),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("tax_code_id", BIG, nullable=False),
        sa.Column("tax_point", sa.Date, nullable=False),
        sa.Column("base_minor", sa.BigInteger, nullable=False),
        sa.Column("tax_minor", sa.BigInteger, nullable=False),
        sa.Column("posted_by_id", BIG, nullable=False),
        sa.Column("cause_id", BIG, nullable=False),
        sa.Column("is_own_day", sa.Boolean, nullable=False),
        sa.Column("account_id", BIG),
        sa.Column("size_minor", sa.BigInteger, nullable=False),
        words(
            "tax_parts",
            "kind",
            "MONEY",
            "DISCOUNT",
            "WRITE_OFF",
            "APPLIED",
            "RELIEF",
            "RETURNED",
            "UNPAID",
            "REPAID",
        ),
        pair("tax_parts", "account_id", "accounts"),
        pair("tax_parts", "cause_id", "journal_entries"),
        pair("tax_parts", "journal_entry_id", "journal_entries"),
        pair("tax_parts", "posted_by_id", "journal_entries"),
        pair("tax_parts", "settlement_id", "settlements"),
        pair("tax_parts", "tax_code_id", "tax_codes"),
        sa.Index("ix_tax_parts_entry", "organization_id", "journal_entry_id"),
        sa.Index("ix_tax_parts_posted_by", "organization_id", "posted_by_id"),
        sa.Index("ix_tax_parts_cause", "organization_id", "cause_id"),
    )


def make_closes() -> None:
    make_table(
        "schedules",
        *numbered("schedules"),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("account_id", BIG),
        sa.Column("counter_account_id", BIG),
        sa.Column("legs", sa.JSON),
        sa.Column("currency", sa.String(3)),
        sa.Column("amount_minor", sa.BigInteger),
        sa.Column("amount_base_minor", sa.BigInteger),
        sa.Column("residual_minor", sa.BigInteger),
        sa.Column("method", sa.String(16)),
        sa.Column("rate", EXACT),
        sa.Column("payment_minor", sa.BigInteger),
        sa.Column("first_month", sa.String(4)),
        sa.Column("starts_on", sa.Date, nullable=False),
        sa.Column("every", sa.String(8), nullable=False),
        sa.Column("day_rule", sa.String(16), nullable=False),
        sa.Column("document_id", BIG),
        sa.Column("origin_entry_id", BIG),
        sa.Column("asset_account_id", BIG),
        sa.Column("disposed_on", sa.Date),
        sa.Column("disposal_entry_id", BIG),
        sa.Column("sale_entry_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        words("schedules", "day_rule", "ANCHOR", "LAST_DAY", "FIRST_DAY"),
        words("schedules", "every", "MONTH", "QUARTER", "YEAR"),
        words("schedules", "first_month", "FULL", "NEXT"),
        words("schedules", "kind", "REVERSING", "RECURRING", "RELEASE", "DEPRECIATION", "LOAN"),
        words("schedules", "method", "STRAIGHT_LINE", "REDUCING"),
        words("schedules", "status", "ACTIVE", "STOPPED"),
        pair("schedules", "account_id", "accounts"),
        pair("schedules", "counter_account_id", "accounts"),
        pair("schedules", "document_id", "documents"),
        pair("schedules", "origin_entry_id", "journal_entries"),
        sa.Index("ix_schedules_origin", "origin_entry_id", **where("origin_entry_id IS NOT NULL")),
    )
    make_table(
        "schedule_parts",
        *numbered("schedule_parts"),
        sa.Column("schedule_id", BIG, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("due_on", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger),
        sa.Column("amount_base_minor", sa.BigInteger),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("journal_entry_id", BIG),
        sa.Column("refusal_code", sa.String(64)),
        sa.Column("refusal", sa.Text),
        unique("schedule_parts", "organization_id", "schedule_id", "number"),
        sa.CheckConstraint(
            "state <> 'POSTED' OR journal_entry_id IS NOT NULL", name="ck_schedule_parts_posted_entry"
        ),
        words("schedule_parts", "state", "PLANNED", "POSTED", "REFUSED", "SKIPPED"),
        pair("schedule_parts", "journal_entry_id", "journal_entries"),
        pair("schedule_parts", "schedule_id", "schedules"),
        sa.Index("ix_schedule_parts_entry", "journal_entry_id", **where("journal_entry_id IS NOT NULL")),
        sa.Index("ix_schedule_parts_due", "organization_id", "due_on", **where("state <> 'SKIPPED'")),
    )
    make_table(
        "closes",
        *numbered("closes"),
        sa.Column("period", sa.String(7), nullable=False),
        sa.Column("starts_on", sa.Date, nullable=False),
        sa.Column("ends_on", sa.Date, nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("needs_two", sa.Boolean, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("previous_id", BIG),
        sa.Column("lock_before", sa.Date),
        sa.Column("preparer_id", BIG),
        sa.Column("prepared_by", sa.JSON, nullable=False),
        sa.Column("prepared_at", INSTANT, nullable=False),
        sa.Column("approved_by", sa.JSON),
        sa.Column("approved_at", INSTANT),
        sa.Column("reopened_by", sa.JSON),
        sa.Column("reopened_at", INSTANT),
        sa.Column("reopen_note", sa.Text),
        words("closes", "status", "PREPARED", "CLOSED", "REOPENED"),
        pair("closes", "previous_id", "closes"),
        sa.Index(
            "uq_closes_period", "organization_id", "ends_on", unique=True, **where("status <> 'REOPENED'")
        ),
        sa.Index("ix_closes_previous", "previous_id", **where("previous_id IS NOT NULL")),
    )
    make_table(
        "own_steps",
        *numbered("own_steps"),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("owner_id", BIG),
        sa.Column("due_after", sa.Integer),
        sa.Column("every", sa.String(8), nullable=False),
        sa.Column("is_archived", sa.Boolean, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        words("own_steps", "every", "MONTH", "QUARTER", "YEAR"),
    )
    make_table(
        "close_marks",
        *numbered("close_marks"),
        sa.Column("period", sa.String(7), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("about", sa.String(64), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("done_by", sa.JSON, nullable=False),
        sa.Column("done_at", INSTANT, nullable=False),
        unique("close_marks", "organization_id", "period", "code", "about"),
    )
    make_table(
        "close_policies",
        *owned("close_policies"),
        sa.Column("needs_two", sa.Boolean, nullable=False),
        sa.Column("expenses_from_minor", sa.BigInteger),
        sa.Column("manual_from_minor", sa.BigInteger),
        sa.Column("exempt_account_ids", sa.JSON, nullable=False),
        sa.Column("exempt_merchant_ids", sa.JSON, nullable=False),
        sa.Column("flux_amount_minor", sa.BigInteger),
        sa.Column("flux_percent", sa.Integer),
        primary("close_policies", "organization_id"),
        sqlite_with_rowid=False,
    )
    make_table(
        "balance_notes",
        *numbered("balance_notes"),
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("as_of", sa.Date, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("owner", sa.String(255)),
        sa.Column("reverses_by", sa.Date),
        sa.Column("document_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("withdrawn_at", INSTANT),
        words("balance_notes", "kind", "ATTESTED", "TIMING", "DISPUTE", "TO_CORRECT", "OTHER"),
        sa.CheckConstraint("(kind = 'ATTESTED') = (reverses_by IS NULL)", name="ck_balance_notes_reversing"),
        pair("balance_notes", "account_id", "accounts"),
        pair("balance_notes", "document_id", "documents"),
        sa.Index("ix_balance_notes_day", "organization_id", "as_of"),
        sa.Index("ix_balance_notes_account", "organization_id", "account_id"),
        sa.Index("ix_balance_notes_document", "document_id", **where("document_id IS NOT NULL")),
    )


def make_connections() -> None:
    make_table(
        "jobs",
        *numbered("jobs"),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("subject", sa.String(80), nullable=False),
        sa.Column("occurrence", sa.String(40), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("run_at", INSTANT, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("leased_until", INSTANT),
        sa.Column("leased_by", sa.String(80)),
        sa.Column("error", sa.Text),
        sa.Column("ended_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        unique("jobs", "organization_id", "kind", "subject", "occurrence"),
        words("jobs", "state", "WAITING", "RUNNING", "DONE", "FAILED"),
        sa.Index("ix_jobs_open", "run_at", **where("state IN ('WAITING', 'RUNNING')")),
        sa.Index("ix_jobs_failed", "organization_id", **where("state = 'FAILED'")),
    )
    make_table(
        "secrets",
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("owner_kind", sa.String(20), nullable=False),
        sa.Column("owner_uid", sa.String(32), nullable=False),
        sa.Column("purpose", sa.String(20), nullable=False),
        sa.Column("key_id", sa.String(16), nullable=False),
        sa.Column("nonce", sa.LargeBinary, nullable=False),
        sa.Column("ciphertext", sa.LargeBinary, nullable=False),
        sa.Column("sealed_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("uid", name="pk_secrets"),
        sa.UniqueConstraint(
            "owner_kind", "owner_uid", "purpose", name="uq_secrets_owner_kind_owner_uid_purpose"
        ),
    )
    make_table(
        "bank_connections",
        *numbered("bank_connections"),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("provider", sa.String(16), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("consent_ends_at", INSTANT),
        sa.Column("last_succeeded_at", INSTANT),
        sa.Column("calls_on", sa.Date),
        sa.Column("calls", sa.Integer, nullable=False),
        sa.Column("error_code", sa.String(40)),
        sa.Column("error", sa.Text),
        sa.Column("error_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        words("bank_connections", "status", "ACTIVE", "NEEDS_CONSENT", "FAILING", "PAUSED", "ENDED"),
    )
    make_table(
        "connected_accounts",
        *numbered("connected_accounts"),
        sa.Column("connection_id", BIG, nullable=False),
        sa.Column("external_id", sa.String(255), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("currency", sa.String(255), nullable=False),
        sa.Column("iban", sa.String(34)),
        sa.Column("mask", sa.String(32)),
        sa.Column("feed_account_id", BIG),
        sa.Column("is_left", sa.Boolean, nullable=False),
        sa.Column("is_gone", sa.Boolean, nullable=False),
        sa.Column("is_renumbered", sa.Boolean, nullable=False),
        sa.Column("fetch_from", sa.Date),
        sa.Column("fetched_until", sa.Date),
        sa.Column("balance_at", INSTANT),
        sa.Column("digest", sa.String(64)),
        sa.Column("batches", sa.Integer, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("created_at", INSTANT, nullable=False),
        unique("connected_accounts", "organization_id", "connection_id", "external_id"),
        pair("connected_accounts", "connection_id", "bank_connections"),
        pair("connected_accounts", "feed_account_id", "feed_accounts"),
        sa.Index(
            "ix_connected_accounts_feed_account",
            "organization_id",
            "feed_account_id",
            unique=True,
            **where("feed_account_id IS NOT NULL"),
        ),
    )
    make_table(
        "webhook_endpoints",
        *numbered("webhook_endpoints"),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("types", sa.JSON, nullable=False),
        sa.Column("view", sa.String(8), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("after_sequence", sa.BigInteger, nullable=False),
        sa.Column("failing_since", INSTANT),
        sa.Column("enabled_at", INSTANT, nullable=False),
        sa.Column("rotated_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        words("webhook_endpoints", "status", "ACTIVE", "PAUSED", "ENDED"),
        words("webhook_endpoints", "view", "THIN", "FULL"),
    )
    make_table(
        "webhook_deliveries",
        *numbered("webhook_deliveries"),
        sa.Column("endpoint_id", BIG, nullable=False),
        sa.Column("message_id", sa.String(40), nullable=False),
        sa.Column("replays", sa.String(40)),
        sa.Column("type", sa.String(64), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("status_code", sa.Integer),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("tried_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        words("webhook_deliveries", "state", "WAITING", "DONE", "FAILED"),
        pair("webhook_deliveries", "endpoint_id", "webhook_endpoints"),
        sa.Index("ix_webhook_deliveries_endpoint_id", "organization_id", "endpoint_id", "id"),
    )


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
