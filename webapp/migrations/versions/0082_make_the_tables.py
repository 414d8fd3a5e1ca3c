"""Make the tables of the books, with the triggers and functions that keep them."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.statements import drop_functions, run
from webapp.migrations.tables import (
    BIG,
    EXACT,
    INSTANT,
    identified,
    is_sqlite,
    key,
    numbered,
    owned,
    pair,
    where,
)

revision = "0082"
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
    "action_requests",
    "audit_events",
    "idempotency_keys",
    "proposals",
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
)
# What no organization has, and the organizations themselves.
OF_ALL = ("organizations", "sign_in_counters", "users", "familiar_browsers")
FILES = ("0082_fixed", "0082_sums", "0082_proofs", "0082_items", "0082_words")
OF_OWNER = "0082_owner"
# To plan the question of such a function takes ten times as long as to answer it, and PostgreSQL would plan it for each
# row anew. Nodes of Citus refuse a plan for any organization; `tieout distribute` takes it back.
PLANNED_ONCE = ("proofs_of_entry", "proofs_of_line_insert")


def upgrade() -> None:
    make_access()
    make_audit()
    make_accounts()
    make_documents()
    make_entries()
    make_statements()
    make_items()
    make_rules()
    make_sums()
    run(*FILES)
    if not is_sqlite():
        keep_apart()


def keep_apart() -> None:
    run(OF_OWNER)
    protect("organizations", "id")
    for table in TABLES:
        if table not in OF_ALL:
            protect(table)
    if op.get_bind().scalar(sa.text("SELECT to_regclass('pg_catalog.pg_dist_partition')")) is not None:
        return
    for name in PLANNED_ONCE:
        op.execute(f"ALTER FUNCTION {name}() SET plan_cache_mode = force_generic_plan")


def downgrade() -> None:
    if is_sqlite():
        for words in ("line_words", "document_texts"):
            op.drop_table(words)
    else:
        drop_functions(OF_OWNER)
    for table in reversed(TABLES):
        op.drop_table(table)
    if not is_sqlite():
        drop_functions(*FILES)


def make_access() -> None:
    op.create_table(
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
        sa.Column("is_demo", sa.Boolean, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_organizations"),
    )
    op.create_table(
        "sign_in_counters",
        sa.Column("key", sa.String(80), nullable=False),
        sa.Column("tried_at", sa.JSON, nullable=False),
        sa.Column("last_try_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_sign_in_counters"),
    )
    op.create_index("ix_sign_in_counters_last_try_at", "sign_in_counters", ["last_try_at"])
    op.create_table(
        "users",
        sa.Column("id", BIG, nullable=False),
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("password_hash", sa.String(255)),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("letter_keys_off", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("locale", sa.String(16)),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("email", name="uq_users_email"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "api_tokens",
        sa.Column("user_id", BIG, nullable=False),
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
        *numbered("api_tokens"),
        sa.UniqueConstraint(*key("token_hash"), name="uq_api_tokens_token_hash"),
        sa.CheckConstraint("max_amount_a_day_minor >= 0", name=op.f("ck_api_tokens_max_amount_a_day")),
        sa.CheckConstraint("max_entries_a_day >= 0", name=op.f("ck_api_tokens_max_entries_a_day")),
        sa.CheckConstraint("max_requests_a_minute >= 1", name=op.f("ck_api_tokens_max_requests_a_minute")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_api_tokens_user_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_api_tokens_user_id", "api_tokens", ["user_id"])
    op.create_table(
        "familiar_browsers",
        sa.Column("id_hash", sa.String(64), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("signed_in_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id_hash", "user_id", name="pk_familiar_browsers"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_familiar_browsers_user_id"),
    )
    op.create_index("ix_familiar_browsers_user_id", "familiar_browsers", ["user_id"])
    op.create_table(
        "financial_years",
        sa.Column("starts_on", sa.Date, nullable=False),
        sa.Column("first_month", sa.Integer, nullable=False),
        *owned("financial_years"),
        sa.PrimaryKeyConstraint("organization_id", "starts_on", name="pk_financial_years"),
        sa.CheckConstraint(
            "first_month BETWEEN 1 AND 12", name=op.f("ck_financial_years_ck_financial_years_first_month")
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "invitations",
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("linked_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        *numbered("invitations"),
        sa.UniqueConstraint("organization_id", "email", name="uq_invitations_organization_id_email"),
        sa.UniqueConstraint(*key("token_hash"), name="uq_invitations_token_hash"),
        sa.CheckConstraint(
            "role IN ('viewer', 'bookkeeper', 'owner')", name=op.f("ck_invitations_role_word")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_invitations_email", "invitations", ["email"])
    op.create_table(
        "memberships",
        *owned("memberships"),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "user_id", name="pk_memberships"),
        sa.CheckConstraint(
            "role IN ('owner', 'bookkeeper', 'viewer')", name=op.f("ck_memberships_role_word")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_memberships_user_id"),
    )
    op.create_table(
        "sessions",
        sa.Column("id_hash", sa.String(64), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        *owned("sessions"),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_seen_at", INSTANT, nullable=False),
        sa.Column("address", sa.String(64)),
        sa.Column("user_agent", sa.String(400)),
        sa.PrimaryKeyConstraint(*key("id_hash"), name="pk_sessions"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sessions_user_id"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_table(
        "token_days",
        sa.Column("token_id", BIG, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("entry_count", sa.Integer, nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger, nullable=False),
        *owned("token_days"),
        sa.PrimaryKeyConstraint("organization_id", "token_id", "day", name="pk_token_days"),
        pair("token_days", "token_id", "api_tokens"),
        sqlite_with_rowid=False,
    )


def make_audit() -> None:
    op.create_table(
        "action_requests",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("actor", sa.JSON, nullable=False),
        sa.Column("target_kind", sa.String(32), nullable=False),
        sa.Column("target_id", sa.String(40), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("before", sa.JSON(none_as_null=True)),
        sa.Column("after", sa.JSON(none_as_null=True)),
        sa.Column("result", sa.JSON(none_as_null=True)),
        sa.Column("error", sa.Text, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("decided_at", INSTANT),
        sa.Column("plan_id", sa.String(40)),
        *owned("action_requests"),
        *identified("action_requests"),
        sa.CheckConstraint(
            "status IN ('PENDING', 'EXECUTED', 'REJECTED', 'FAILED', 'EXPIRED')",
            name=op.f("ck_action_requests_status_word"),
        ),
    )
    op.create_index(
        "ix_action_requests_pending",
        "action_requests",
        ["organization_id", "id"],
        **where("status = 'PENDING'"),
    )
    op.create_index(
        "ix_action_requests_target", "action_requests", ["organization_id", "target_kind", "target_id"]
    )
    op.create_table(
        "audit_events",
        *owned("audit_events"),
        sa.Column("sequence", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("action_request_id", sa.String(40)),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous_hash", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "sequence", name="pk_audit_events"),
        sa.UniqueConstraint("organization_id", "hash", name="uq_audit_events_organization_id_hash"),
    )
    op.create_index("ix_audit_events_request", "audit_events", ["organization_id", "action_request_id"])
    op.create_table(
        "idempotency_keys",
        sa.Column("actor_kind", sa.String(8), nullable=False),
        sa.Column("actor_id", BIG, nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("content_type", sa.String(255), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        *numbered("idempotency_keys"),
        sa.UniqueConstraint(
            "organization_id",
            "actor_kind",
            "actor_id",
            "key",
            name="uq_idempotency_keys_organization_id_actor_kind_actor_id_key",
        ),
        sa.CheckConstraint(
            "actor_kind IN ('PERSON', 'TOKEN')", name=op.f("ck_idempotency_keys_actor_kind_word")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_idempotency_keys_created", "idempotency_keys", ["organization_id", "created_at"])
    op.create_table(
        "proposals",
        *owned("proposals"),
        sa.Column("action_request_id", sa.String(40), nullable=False),
        sa.Column("token_id", BIG, nullable=False),
        sa.Column("scope", sa.String(64), nullable=False),
        sa.Column("method", sa.String(8), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("body", sa.Text),
        sa.Column("form", sa.JSON(none_as_null=True)),
        sa.Column("if_match", sa.Text),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("effect", sa.JSON, nullable=False),
        sa.Column("blockers", sa.JSON, nullable=False),
        sa.Column("checked_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("decided_by", sa.JSON(none_as_null=True)),
        sa.Column("replaced_by", sa.String(40)),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("acts", sa.JSON, nullable=False),
        sa.Column("answer", sa.JSON(none_as_null=True)),
        sa.PrimaryKeyConstraint("organization_id", "action_request_id", name="pk_proposals"),
        pair("proposals", "action_request_id", "action_requests"),
        pair("proposals", "replaced_by", "action_requests"),
        pair("proposals", "token_id", "api_tokens"),
    )
    op.create_index("ix_proposals_fingerprint", "proposals", ["organization_id", "fingerprint"])
    op.create_index("ix_proposals_token", "proposals", ["organization_id", "token_id"])


def make_accounts() -> None:
    op.create_table(
        "accounts",
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
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        *numbered("accounts"),
        sa.UniqueConstraint("organization_id", "code", name="uq_accounts_organization_id_code"),
        sa.UniqueConstraint("organization_id", "role", name="uq_accounts_organization_id_role"),
        sa.CheckConstraint(
            "type IN ('ASSET', 'LIABILITY', 'EQUITY', 'INCOME', 'EXPENSE')",
            name=op.f("ck_accounts_type_word"),
        ),
        pair("accounts", "parent_id", "accounts"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "institutions",
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("url", sa.String(2000)),
        sa.Column("logo", sa.String(2000)),
        sa.Column("created_at", INSTANT, nullable=False),
        *numbered("institutions"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "merchants",
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
        *numbered("merchants"),
        sa.CheckConstraint("merged_into_id <> id", name=op.f("ck_merchants_merged_into_another")),
        sa.CheckConstraint(
            "merged_through_id IS NULL OR merged_through_id NOT IN (id, merged_into_id)",
            name=op.f("ck_merchants_merged_through_another"),
        ),
        sa.CheckConstraint(
            "merged_through_id IS NULL OR merged_into_id IS NOT NULL",
            name=op.f("ck_merchants_merged_through_merged"),
        ),
        pair("merchants", "merged_into_id", "merchants"),
        pair("merchants", "merged_through_id", "merchants"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_merchants_merged",
        "merchants",
        ["organization_id", "merged_into_id", "id"],
        **where("merged_into_id IS NOT NULL"),
    )
    op.create_table(
        "project_groups",
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("emoji", sa.String(64), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        *numbered("project_groups"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "feed_accounts",
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
        *numbered("feed_accounts"),
        sa.UniqueConstraint(
            "organization_id", "account_id", name="uq_feed_accounts_organization_id_account_id"
        ),
        sa.UniqueConstraint(
            "organization_id",
            "external_id",
            "currency",
            name="uq_feed_accounts_organization_id_external_id_currency",
        ),
        pair("feed_accounts", "account_id", "accounts"),
        pair("feed_accounts", "institution_id", "institutions"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "projects",
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("emoji", sa.String(64)),
        sa.Column("group_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        *numbered("projects"),
        pair("projects", "group_id", "project_groups"),
        sqlite_autoincrement=True,
    )


def make_documents() -> None:
    op.create_table(
        "stored_files",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("file_type", sa.String(255).with_variant(sa.String(64), "sqlite"), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("is_compressed", sa.Boolean, nullable=False),
        sa.Column("kept_name", sa.String(80)),
        sa.Column("content", sa.LargeBinary),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("thrown_away_at", INSTANT),
        *numbered("stored_files"),
        sa.UniqueConstraint("organization_id", "sha256", name="uq_stored_files_organization_id_sha256"),
        sa.CheckConstraint(
            "CASE WHEN thrown_away_at IS NULL THEN (kept_name IS NULL) <> (content IS NULL) ELSE kept_name IS NULL AND content IS NULL END",
            name=op.f("ck_stored_files_kept_or_thrown_away"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_stored_files_came",
        "stored_files",
        ["organization_id", "created_at"],
        **where("thrown_away_at IS NULL"),
    )
    op.create_table(
        "inbox_files",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("file_name", sa.String(255), nullable=False),
        sa.Column("file_type", sa.String(255), nullable=False),
        sa.Column("file_size", sa.BigInteger, nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("document_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        *numbered("inbox_files"),
        sa.UniqueConstraint("organization_id", "sha256", name="uq_inbox_files_organization_id_sha256"),
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            name="fk_inbox_files_organization_id_sha256",
            ondelete="RESTRICT",
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "documents",
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
        sa.Column("prepaid_minor", sa.BigInteger),
        sa.Column("due_minor", sa.BigInteger),
        sa.Column("buyer", sa.String(255)),
        sa.Column("seller_vat_id", sa.String(64)),
        sa.Column("iban", sa.String(64)),
        sa.Column("remittance", sa.String(255)),
        sa.Column("invoice", sa.JSON(none_as_null=True)),
        sa.Column("text", sa.Text),
        sa.Column("account_id", BIG),
        sa.Column("org_merchant_id", BIG),
        sa.Column("project_id", BIG),
        sa.Column("set_by_hand", sa.JSON, nullable=False),
        sa.Column("file_type", sa.String(64)),
        sa.Column("file_size", sa.Integer),
        sa.Column("sha256", sa.String(64)),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        *numbered("documents"),
        sa.CheckConstraint(
            "currency IS NOT NULL OR (net_minor IS NULL AND tax_minor IS NULL AND total_minor IS NULL)",
            name=op.f("ck_documents_amounts_currency"),
        ),
        sa.CheckConstraint(
            "document_type IN ('RECEIPT', 'INVOICE', 'BILL', 'CREDIT_NOTE', 'OTHER')",
            name=op.f("ck_documents_document_type_word"),
        ),
        sa.CheckConstraint(
            "currency IS NOT NULL OR (prepaid_minor IS NULL AND due_minor IS NULL)",
            name=op.f("ck_documents_due_currency"),
        ),
        sa.CheckConstraint("side IN ('SALE', 'PURCHASE')", name=op.f("ck_documents_side_word")),
        pair("documents", "account_id", "accounts"),
        pair("documents", "org_merchant_id", "merchants"),
        pair("documents", "project_id", "projects"),
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            name="fk_documents_organization_id_sha256",
            ondelete="RESTRICT",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_documents_due",
        "documents",
        ["organization_id", "due_minor", "issued_on", "due_on"],
        **where("due_minor IS NOT NULL"),
    )
    op.create_index("ix_documents_issued", "documents", ["organization_id", "issued_on", "id"])
    op.create_index(
        "ix_documents_number", "documents", ["organization_id", "number"], **where("number IS NOT NULL")
    )
    op.create_index(
        "ix_documents_total",
        "documents",
        ["organization_id", "total_minor", "issued_on", "due_on"],
        **where("total_minor IS NOT NULL"),
    )
    op.create_index(
        "uq_documents_file",
        "documents",
        ["organization_id", "sha256"],
        unique=True,
        **where("sha256 IS NOT NULL"),
    )
    op.create_table(
        "document_files",
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("file_name", sa.String(255), nullable=False),
        sa.Column("file_type", sa.String(64), nullable=False),
        sa.Column("file_size", sa.Integer, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        *numbered("document_files"),
        sa.UniqueConstraint("organization_id", "sha256", name="uq_document_files_organization_id_sha256"),
        pair("document_files", "document_id", "documents"),
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            name="fk_document_files_organization_id_sha256",
            ondelete="RESTRICT",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_document_files_document", "document_files", ["document_id"])


def make_entries() -> None:
    op.create_table(
        "journal_entries",
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
        *numbered("journal_entries"),
        sa.CheckConstraint(
            "source IN ('bank_feed', 'document', 'manual', 'opening', 'correction', 'void', 'revaluation', 'exchange', 'settlement')",
            name=op.f("ck_journal_entries_source_word"),
        ),
        sa.CheckConstraint(
            "status IN ('DRAFT', 'POSTED', 'VOIDED')", name=op.f("ck_journal_entries_status_word")
        ),
        sa.CheckConstraint(
            "(status = 'VOIDED') = (voided_by_id IS NOT NULL)",
            name=op.f("ck_journal_entries_voided_by_reversal"),
        ),
        pair("journal_entries", "corrects_id", "journal_entries"),
        pair("journal_entries", "document_id", "documents"),
        pair("journal_entries", "voided_by_id", "journal_entries"),
        pair("journal_entries", "voids_id", "journal_entries"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_journal_entries_corrects",
        "journal_entries",
        ["organization_id", "corrects_id"],
        **where("corrects_id IS NOT NULL"),
    )
    op.create_index(
        "ix_journal_entries_document",
        "journal_entries",
        ["organization_id", "document_id"],
        **where("document_id IS NOT NULL"),
    )
    op.create_index(
        "ix_journal_entries_drafts", "journal_entries", ["organization_id", "id"], **where("status = 'DRAFT'")
    )
    op.create_index("ix_journal_entries_newest", "journal_entries", ["organization_id", "effective_on", "id"])
    op.create_index(
        "ix_journal_entries_own",
        "journal_entries",
        ["organization_id", "id"],
        **where("source <> 'bank_feed'"),
    )
    op.create_index(
        "ix_journal_entries_voided_by",
        "journal_entries",
        ["organization_id", "voided_by_id"],
        **where("voided_by_id IS NOT NULL"),
    )
    op.create_index(
        "ix_journal_entries_voids",
        "journal_entries",
        ["organization_id", "voids_id"],
        **where("voids_id IS NOT NULL"),
    )
    op.create_index(
        "uq_journal_entries_marker",
        "journal_entries",
        ["organization_id", "corrects_id"],
        unique=True,
        **where("status = 'DRAFT' AND corrects_id IS NOT NULL"),
    )
    op.create_index(
        "uq_journal_entries_number", "journal_entries", ["organization_id", "number"], unique=True
    )
    op.create_table(
        "imports",
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
        *numbered("imports"),
        sa.CheckConstraint(
            "status IN ('PREVIEWED', 'IMPORTED', 'REFUSED')", name=op.f("ck_imports_status_word")
        ),
        pair("imports", "feed_account_id", "feed_accounts"),
        pair("imports", "file_id", "stored_files"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_imports_file", "imports", ["organization_id", "file_id"])
    op.create_table(
        "transactions",
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
        sa.Column("import_id", BIG),
        sa.Column("removed_by_import_id", BIG),
        sa.Column("journal_entry_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        *numbered("transactions"),
        sa.UniqueConstraint(
            *key("feed_account_id", "line_key", "occurrence"),
            name="uq_transactions_feed_account_id_line_key_occurrence",
        ),
        sa.CheckConstraint(
            "status IN ('PENDING', 'BOOKED', 'SET_ASIDE', 'REMOVED', 'DELETED')",
            name=op.f("ck_transactions_status_word"),
        ),
        pair("transactions", "feed_account_id", "feed_accounts"),
        pair("transactions", "import_id", "imports"),
        pair("transactions", "journal_entry_id", "journal_entries"),
        pair("transactions", "removed_by_import_id", "imports"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_transactions_alike",
        "transactions",
        ["feed_account_id", "booked_on", "amount_minor", "text_key", "id"],
    )
    op.create_index("ix_transactions_by_day", "transactions", ["feed_account_id", "booked_on", "id"])
    op.create_index("ix_transactions_entry", "transactions", ["journal_entry_id"])
    op.create_index("ix_transactions_import", "transactions", ["import_id"])
    op.create_index("ix_transactions_newest", "transactions", ["organization_id", "booked_on", "id"])
    op.create_index(
        "ix_transactions_status", "transactions", ["feed_account_id", "status", "organization_id"]
    )
    op.create_index(
        "ix_transactions_taken_back",
        "transactions",
        ["organization_id", "feed_account_id"],
        **where("status = 'REMOVED' AND journal_entry_id IS NOT NULL"),
    )
    op.create_table(
        "declined_relations",
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("transaction_id", BIG),
        sa.Column("journal_entry_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        *numbered("declined_relations"),
        sa.CheckConstraint(
            "(transaction_id IS NULL) <> (journal_entry_id IS NULL)",
            name=op.f("ck_declined_relations_one_of_two"),
        ),
        pair("declined_relations", "document_id", "documents"),
        sa.ForeignKeyConstraint(
            ["organization_id", "journal_entry_id"],
            ["journal_entries.organization_id", "journal_entries.id"],
            name="fk_declined_relations_organization_id_journal_entry_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "transaction_id"],
            ["transactions.organization_id", "transactions.id"],
            name="fk_declined_relations_organization_id_transaction_id",
            ondelete="CASCADE",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_declined_relations_document", "declined_relations", ["document_id"])
    op.create_index(
        "uq_declined_relations_journal_entry",
        "declined_relations",
        ["organization_id", "journal_entry_id", "document_id"],
        unique=True,
        **where("journal_entry_id IS NOT NULL"),
    )
    op.create_index(
        "uq_declined_relations_transaction",
        "declined_relations",
        ["organization_id", "transaction_id", "document_id"],
        unique=True,
        **where("transaction_id IS NOT NULL"),
    )
    op.create_table(
        "document_relations",
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("transaction_id", BIG),
        sa.Column("journal_entry_id", BIG),
        sa.Column("is_automatic", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        *numbered("document_relations"),
        sa.CheckConstraint(
            "(transaction_id IS NULL) <> (journal_entry_id IS NULL)",
            name=op.f("ck_document_relations_one_of_two"),
        ),
        pair("document_relations", "document_id", "documents"),
        sa.ForeignKeyConstraint(
            ["organization_id", "journal_entry_id"],
            ["journal_entries.organization_id", "journal_entries.id"],
            name="fk_document_relations_organization_id_journal_entry_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "transaction_id"],
            ["transactions.organization_id", "transactions.id"],
            name="fk_document_relations_organization_id_transaction_id",
            ondelete="CASCADE",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_document_relations_document", "document_relations", ["document_id"])
    op.create_index(
        "uq_document_relations_journal_entry",
        "document_relations",
        ["organization_id", "journal_entry_id", "document_id"],
        unique=True,
        **where("journal_entry_id IS NOT NULL"),
    )
    op.create_index(
        "uq_document_relations_transaction",
        "document_relations",
        ["organization_id", "transaction_id", "document_id"],
        unique=True,
        **where("transaction_id IS NOT NULL"),
    )
    op.create_table(
        "exchange_rates",
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("units_per_base", EXACT, nullable=False),
        sa.Column("source", sa.String(255), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        *numbered("exchange_rates"),
        sa.UniqueConstraint(
            "organization_id", "currency", "day", name="uq_exchange_rates_organization_id_currency_day"
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "postings",
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
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        *owned("postings"),
        sa.PrimaryKeyConstraint(*key("id"), name="pk_postings"),
        sa.UniqueConstraint(
            *key("journal_entry_id", "position"), name="uq_postings_journal_entry_id_position"
        ),
        pair("postings", "account_id", "accounts"),
        pair("postings", "journal_entry_id", "journal_entries"),
        pair("postings", "org_merchant_id", "merchants"),
        pair("postings", "project_id", "projects"),
        pair("postings", "transaction_id", "transactions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_postings_account", "postings", ["account_id", "journal_entry_id"])
    op.create_index(
        "ix_postings_merchant",
        "postings",
        ["org_merchant_id", "journal_entry_id"],
        **where("org_merchant_id IS NOT NULL"),
    )
    op.create_index(
        "ix_postings_outside",
        "postings",
        ["account_id", "amount_minor", "journal_entry_id"],
        **where("transaction_id IS NULL"),
    )
    op.create_index(
        "ix_postings_project",
        "postings",
        ["project_id", "journal_entry_id"],
        **where("project_id IS NOT NULL"),
    )
    op.create_index(
        "ix_postings_transaction", "postings", ["transaction_id"], **where("transaction_id IS NOT NULL")
    )
    op.create_table(
        "column_mappings",
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("layout", sa.String(64), nullable=False),
        sa.Column("mapping", sa.JSON, nullable=False),
        sa.Column("names", sa.JSON, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        *numbered("column_mappings"),
        sa.UniqueConstraint(
            "organization_id",
            "feed_account_id",
            "layout",
            name="uq_column_mappings_organization_id_feed_account_id_layout",
        ),
        pair("column_mappings", "feed_account_id", "feed_accounts"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_column_mappings_layout", "column_mappings", ["organization_id", "layout"])
    op.create_table(
        "feed_pushes",
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("batch_id", sa.String(255), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("answer", sa.LargeBinary, nullable=False),
        sa.Column("received_at", INSTANT, nullable=False),
        sa.Column("file_id", BIG),
        *numbered("feed_pushes"),
        sa.UniqueConstraint(
            "organization_id",
            "feed_account_id",
            "batch_id",
            name="uq_feed_pushes_organization_id_feed_account_id_batch_id",
        ),
        pair("feed_pushes", "feed_account_id", "feed_accounts"),
        pair("feed_pushes", "file_id", "stored_files"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_feed_pushes_file", "feed_pushes", ["organization_id", "file_id"])
    op.create_index(
        "ix_feed_pushes_received", "feed_pushes", ["organization_id", "feed_account_id", "received_at"]
    )
    op.create_table(
        "bulk_turns",
        sa.Column("import_id", BIG, autoincrement=False, nullable=False),
        sa.Column("no_import_id", BIG, nullable=False),
        *owned("bulk_turns"),
        sa.PrimaryKeyConstraint("organization_id", "import_id", name="pk_bulk_turns"),
        sa.CheckConstraint("no_import_id = 0", name=op.f("ck_bulk_turns_ck_bulk_turns_ends")),
        pair("bulk_turns", "import_id", "imports"),
        sa.ForeignKeyConstraint(
            ["organization_id", "no_import_id"],
            ["imports.organization_id", "imports.id"],
            name="fk_bulk_turns_organization_id_no_import_id",
            deferrable=True,
            initially="DEFERRED",
        ),
    )
    op.create_table(
        "provider_balances",
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("stated_at", INSTANT),
        sa.Column("received_at", INSTANT, nullable=False),
        sa.Column("import_id", BIG),
        *numbered("provider_balances"),
        pair("provider_balances", "feed_account_id", "feed_accounts"),
        pair("provider_balances", "import_id", "imports"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_provider_balances_by_day", "provider_balances", ["organization_id", "feed_account_id", "day"]
    )
    op.create_index("ix_provider_balances_import", "provider_balances", ["organization_id", "import_id"])
    op.create_table(
        "feed_lines",
        *owned("feed_lines"),
        sa.Column("feed_account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("provider_transaction_id", sa.String(255), nullable=False),
        sa.Column("transaction_id", BIG),
        sa.Column("event", sa.String(8), nullable=False),
        sa.Column("is_pending", sa.Boolean, nullable=False),
        sa.Column("digest", sa.LargeBinary(16)),
        sa.Column("pending_id", sa.String(255)),
        sa.PrimaryKeyConstraint(
            "organization_id", "feed_account_id", "provider_transaction_id", name="pk_feed_lines"
        ),
        sa.CheckConstraint(
            "event IN ('ADDED', 'MODIFIED', 'REMOVED')", name=op.f("ck_feed_lines_event_word")
        ),
        pair("feed_lines", "feed_account_id", "feed_accounts"),
        pair("feed_lines", "transaction_id", "transactions"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_feed_lines_pending",
        "feed_lines",
        ["organization_id", "feed_account_id", "pending_id"],
        **where("pending_id IS NOT NULL"),
    )
    op.create_index("ix_feed_lines_transaction", "feed_lines", ["organization_id", "transaction_id"])
    op.create_table(
        "import_lines",
        sa.Column("import_id", BIG, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("row", sa.Integer, nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("transaction_id", BIG),
        *owned("import_lines"),
        sa.PrimaryKeyConstraint(*key("import_id", "position"), name="pk_import_lines"),
        sa.CheckConstraint(
            "verdict IN ('NEW', 'ALREADY_THERE', 'POSSIBLY_THERE', 'PENDING', 'SKIPPED')",
            name=op.f("ck_import_lines_verdict_word"),
        ),
        pair("import_lines", "import_id", "imports"),
        pair("import_lines", "transaction_id", "transactions"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_import_lines_transaction", "import_lines", ["transaction_id"])
    op.create_table(
        "line_changes",
        sa.Column("transaction_id", BIG, nullable=False),
        sa.Column("before", sa.JSON, nullable=False),
        sa.Column("after", sa.JSON, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        *numbered("line_changes"),
        pair("line_changes", "transaction_id", "transactions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_line_changes_transaction", "line_changes", ["organization_id", "transaction_id"])
    op.create_table(
        "line_joins",
        sa.Column("kept_id", BIG, nullable=False),
        sa.Column("joined_id", BIG, nullable=False),
        sa.Column("tier", sa.String(8), nullable=False),
        sa.Column("status", sa.String(9), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("evidence", sa.JSON, nullable=False),
        sa.Column("decided_by", sa.JSON),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("undone_at", INSTANT),
        *numbered("line_joins"),
        sa.UniqueConstraint(
            "organization_id", "kept_id", "joined_id", name="uq_line_joins_organization_id_kept_id_joined_id"
        ),
        sa.CheckConstraint(
            "status IN ('JOINED', 'SUGGESTED', 'REFUSED')", name=op.f("ck_line_joins_status_word")
        ),
        sa.CheckConstraint(
            "tier IN ('LINK', 'EXACT', 'TIP', 'REWORDED', 'TWIN', 'REISSUED', 'PERSON')",
            name=op.f("ck_line_joins_tier_word"),
        ),
        pair("line_joins", "joined_id", "transactions"),
        pair("line_joins", "kept_id", "transactions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_line_joins_joined", "line_joins", ["organization_id", "joined_id"])
    op.create_index(
        "ix_line_joins_kept_joined",
        "line_joins",
        ["organization_id", "kept_id"],
        **where("status = 'JOINED'"),
    )
    op.create_index(
        "uq_line_joins_joined_once",
        "line_joins",
        ["organization_id", "joined_id"],
        unique=True,
        **where("status = 'JOINED'"),
    )
    op.create_table(
        "transfer_pairs",
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
        *numbered("transfer_pairs"),
        sa.UniqueConstraint(
            "organization_id",
            "transaction_id",
            "other_id",
            name="uq_transfer_pairs_organization_id_transaction_id_other_id",
        ),
        sa.CheckConstraint(
            "difference IN ('FEE', 'EXCHANGE')", name=op.f("ck_transfer_pairs_difference_word")
        ),
        sa.CheckConstraint(
            "status IN ('STANDING', 'UNDONE', 'DISMISSED')", name=op.f("ck_transfer_pairs_status_word")
        ),
        sa.CheckConstraint("transaction_id <> other_id", name=op.f("ck_transfer_pairs_two_lines")),
        pair("transfer_pairs", "difference_entry_id", "journal_entries"),
        pair("transfer_pairs", "other_id", "transactions"),
        pair("transfer_pairs", "transaction_id", "transactions"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_transfer_pairs_difference",
        "transfer_pairs",
        ["organization_id", "difference_entry_id"],
        **where("difference_entry_id IS NOT NULL"),
    )
    op.create_index("ix_transfer_pairs_other", "transfer_pairs", ["organization_id", "other_id"])
    op.create_index(
        "uq_transfer_pairs_standing",
        "transfer_pairs",
        ["organization_id", "transaction_id"],
        unique=True,
        **where("status = 'STANDING'"),
    )


def make_statements() -> None:
    op.create_table(
        "reconciliations",
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
        sa.Column("left_open", sa.JSON(none_as_null=True)),
        sa.Column("completed_at", INSTANT),
        sa.Column("completed_by", sa.JSON(none_as_null=True)),
        sa.Column("reopened_at", INSTANT),
        sa.Column("reopened_by", sa.JSON(none_as_null=True)),
        sa.Column("reopen_reason", sa.Text),
        *numbered("reconciliations"),
        sa.CheckConstraint(
            "status IN ('DRAFT', 'COMPLETED', 'REOPENED')", name=op.f("ck_reconciliations_status_word")
        ),
        pair("reconciliations", "feed_account_id", "feed_accounts"),
        pair("reconciliations", "opening_entry_id", "journal_entries"),
        pair("reconciliations", "previous_id", "reconciliations"),
        pair("reconciliations", "reopened_from_id", "reconciliations"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_reconciliations_opening_day",
        "reconciliations",
        ["organization_id", "feed_account_id", "opening_date"],
        **where("keep_as_new = 1", "keep_as_new"),
    )
    op.create_index(
        "ix_reconciliations_opening_entry",
        "reconciliations",
        ["opening_entry_id"],
        **where("opening_entry_id IS NOT NULL"),
    )
    op.create_index(
        "uq_reconciliations_draft",
        "reconciliations",
        ["organization_id", "feed_account_id"],
        unique=True,
        **where("status = 'DRAFT'"),
    )
    op.create_index(
        "uq_reconciliations_statement",
        "reconciliations",
        ["organization_id", "feed_account_id", "statement_date"],
        unique=True,
        **where("status = 'COMPLETED'"),
    )
    op.create_table(
        "proof_breaks",
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
        sa.Column("repaired_by", sa.JSON(none_as_null=True)),
        sa.Column("repair_action_request_id", sa.String(40)),
        sa.Column("repair", sa.String(16)),
        *numbered("proof_breaks"),
        sa.CheckConstraint(
            "repair IN ('UNDONE', 'REOPENED', 'ACCEPTED')",
            name=op.f("ck_proof_breaks_ck_proof_breaks_repair_word"),
        ),
        sa.CheckConstraint(
            "(repaired_at IS NULL) = (repair IS NULL)",
            name=op.f("ck_proof_breaks_ck_proof_breaks_repaired_by_repair"),
        ),
        pair("proof_breaks", "reconciliation_id", "reconciliations"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_proof_breaks_of", "proof_breaks", ["organization_id", "reconciliation_id"])
    op.create_index(
        "uq_proof_breaks_unrepaired",
        "proof_breaks",
        ["organization_id", "reconciliation_id"],
        unique=True,
        **where("repaired_at IS NULL"),
    )
    op.create_table(
        "reconciliation_items",
        sa.Column("reconciliation_id", BIG, nullable=False),
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("transaction_id", BIG),
        sa.Column("journal_entry_id", BIG),
        sa.Column("is_standing", sa.Boolean, nullable=False),
        sa.Column("frozen_on", sa.Date),
        sa.Column("frozen_minor", sa.BigInteger),
        *numbered("reconciliation_items"),
        sa.CheckConstraint(
            "(transaction_id IS NULL) <> (journal_entry_id IS NULL)",
            name=op.f("ck_reconciliation_items_line_or_entry"),
        ),
        pair("reconciliation_items", "feed_account_id", "feed_accounts"),
        pair("reconciliation_items", "journal_entry_id", "journal_entries"),
        pair("reconciliation_items", "reconciliation_id", "reconciliations"),
        pair("reconciliation_items", "transaction_id", "transactions"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_reconciliation_items_entry",
        "reconciliation_items",
        ["journal_entry_id"],
        **where("journal_entry_id IS NOT NULL"),
    )
    op.create_index(
        "ix_reconciliation_items_line",
        "reconciliation_items",
        ["transaction_id"],
        **where("transaction_id IS NOT NULL"),
    )
    op.create_index(
        "ix_reconciliation_items_of", "reconciliation_items", ["organization_id", "reconciliation_id"]
    )
    op.create_index(
        "uq_reconciliation_items_entry",
        "reconciliation_items",
        ["organization_id", "feed_account_id", "journal_entry_id"],
        unique=True,
        **where("is_standing = 1", "is_standing"),
    )
    op.create_index(
        "uq_reconciliation_items_transaction",
        "reconciliation_items",
        ["organization_id", "transaction_id"],
        unique=True,
        **where("is_standing = 1", "is_standing"),
    )
    op.create_table(
        "statement_documents",
        sa.Column("reconciliation_id", BIG, nullable=False),
        sa.Column("document_id", BIG, nullable=False),
        *numbered("statement_documents"),
        sa.UniqueConstraint(
            "organization_id",
            "reconciliation_id",
            name="uq_statement_documents_organization_id_reconciliation_id",
        ),
        pair("statement_documents", "document_id", "documents"),
        sa.ForeignKeyConstraint(
            ["organization_id", "reconciliation_id"],
            ["reconciliations.organization_id", "reconciliations.id"],
            name="fk_statement_documents_organization_id_reconciliation_id",
            ondelete="CASCADE",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_statement_documents_document", "statement_documents", ["document_id"])
    op.create_index("ix_statement_documents_reconciliation", "statement_documents", ["reconciliation_id"])
    op.create_table(
        "touched_proofs",
        sa.Column("reconciliation_id", BIG, autoincrement=False, nullable=False),
        sa.Column("by_late_lines", sa.Boolean, server_default=sa.false(), nullable=False),
        *owned("touched_proofs"),
        sa.PrimaryKeyConstraint("organization_id", "reconciliation_id", name="pk_touched_proofs"),
        sa.ForeignKeyConstraint(
            ["organization_id", "reconciliation_id"],
            ["reconciliations.organization_id", "reconciliations.id"],
            name="fk_touched_proofs_organization_id_reconciliation_id",
            ondelete="CASCADE",
        ),
    )


def make_items() -> None:
    op.create_table(
        "settlements",
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
        *numbered("settlements"),
        sa.CheckConstraint(
            "cause IN ('BY_HAND', 'PAYMENT', 'VOID', 'NIL', 'DOCUMENT')",
            name=op.f("ck_settlements_cause_word"),
        ),
        sa.CheckConstraint(
            "status IN ('OPEN', 'STANDING', 'UNDONE')", name=op.f("ck_settlements_status_word")
        ),
        sa.CheckConstraint(
            "(status = 'UNDONE') = (undone_on IS NOT NULL)", name=op.f("ck_settlements_undone_on_a_day")
        ),
        pair("settlements", "account_id", "accounts"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_settlements_account", "settlements", ["organization_id", "account_id", "id"])
    op.create_table(
        "items",
        sa.Column("id", BIG, autoincrement=False, nullable=False),
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
        *owned("items"),
        sa.PrimaryKeyConstraint("organization_id", "id", name="pk_items"),
        sa.CheckConstraint(
            "amount_minor = 0 OR settled_minor <> amount_minor OR settled_base_minor = amount_base_minor",
            name=op.f("ck_items_closed_in_base"),
        ),
        sa.CheckConstraint(
            "(settled_base_minor BETWEEN 0 AND amount_base_minor) OR (settled_base_minor BETWEEN amount_base_minor AND 0)",
            name=op.f("ck_items_settled_base_within"),
        ),
        sa.CheckConstraint(
            "(settled_minor BETWEEN 0 AND amount_minor) OR (settled_minor BETWEEN amount_minor AND 0)",
            name=op.f("ck_items_settled_within"),
        ),
        pair("items", "account_id", "accounts"),
        pair("items", "journal_entry_id", "journal_entries"),
        pair("items", "org_merchant_id", "merchants"),
    )
    op.create_index(
        "ix_items_account", "items", ["organization_id", "account_id", "org_merchant_id", "currency"]
    )
    op.create_index("ix_items_entry", "items", ["organization_id", "journal_entry_id", "account_id"])
    op.create_index(
        "ix_items_open",
        "items",
        ["organization_id", "account_id", "id"],
        **where("settled_minor <> amount_minor OR settled_base_minor <> amount_base_minor"),
    )
    op.create_table(
        "settlement_entries",
        sa.Column("journal_entry_id", BIG, autoincrement=False, nullable=False),
        sa.Column("settlement_id", BIG, nullable=False),
        sa.Column("purpose", sa.String(16), nullable=False),
        *owned("settlement_entries"),
        sa.PrimaryKeyConstraint("organization_id", "journal_entry_id", name="pk_settlement_entries"),
        sa.CheckConstraint(
            "purpose IN ('DIFFERENCE', 'DISCOUNT', 'WRITE_OFF', 'FEE')",
            name=op.f("ck_settlement_entries_purpose_word"),
        ),
        pair("settlement_entries", "journal_entry_id", "journal_entries"),
        pair("settlement_entries", "settlement_id", "settlements"),
    )
    op.create_index(
        "ix_settlement_entries_settlement", "settlement_entries", ["organization_id", "settlement_id"]
    )
    op.create_table(
        "settlement_parts",
        sa.Column("settlement_id", BIG, nullable=False),
        sa.Column("item_id", BIG, nullable=False),
        sa.Column("journal_entry_id", BIG),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger, nullable=False),
        *numbered("settlement_parts"),
        sa.UniqueConstraint(
            *key("settlement_id", "item_id"), name="uq_settlement_parts_settlement_id_item_id"
        ),
        pair("settlement_parts", "journal_entry_id", "journal_entries"),
        pair("settlement_parts", "settlement_id", "settlements"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_settlement_parts_entry", "settlement_parts", ["organization_id", "journal_entry_id"])
    op.create_index("ix_settlement_parts_item", "settlement_parts", ["organization_id", "item_id"])
    op.create_index(
        "ix_settlement_parts_settlement", "settlement_parts", ["organization_id", "settlement_id", "id"]
    )
    op.create_table(
        "payment_parts",
        sa.Column("transaction_id", BIG, autoincrement=False, nullable=False),
        sa.Column("item_id", BIG, autoincrement=False, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        *owned("payment_parts"),
        sa.PrimaryKeyConstraint("organization_id", "transaction_id", "item_id", name="pk_payment_parts"),
        sa.ForeignKeyConstraint(
            ["organization_id", "transaction_id"],
            ["transactions.organization_id", "transactions.id"],
            name="fk_payment_parts_organization_id_transaction_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_payment_parts_item", "payment_parts", ["organization_id", "item_id"])
    op.create_table(
        "payments",
        sa.Column("transaction_id", BIG, autoincrement=False, nullable=False),
        sa.Column("short", sa.JSON),
        *owned("payments"),
        sa.PrimaryKeyConstraint("organization_id", "transaction_id", name="pk_payments"),
        sa.ForeignKeyConstraint(
            ["organization_id", "transaction_id"],
            ["transactions.organization_id", "transactions.id"],
            name="fk_payments_organization_id_transaction_id",
            ondelete="CASCADE",
        ),
    )


def make_rules() -> None:
    op.create_table(
        "rule_runs",
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
        *numbered("rule_runs"),
        sa.CheckConstraint(
            "trigger IN ('TRANSACTION_INGESTED', 'TRANSACTION_UPDATED', 'RECEIPT_PARSED', 'MANUAL_APPLY')",
            name=op.f("ck_rule_runs_trigger_word"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rule_runs_newest", "rule_runs", ["organization_id", "created_at", "id"])
    op.create_table(
        "rule_versions",
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
        *numbered("rule_versions"),
        sa.UniqueConstraint(
            "organization_id", "rule_id", "version", name="uq_rule_versions_organization_id_rule_id_version"
        ),
        sa.CheckConstraint("target IN ('RECEIPT', 'TRANSACTION')", name=op.f("ck_rule_versions_target_word")),
        sa.CheckConstraint(
            "trigger IN ('RECEIPT_PARSED', 'TRANSACTION_INGESTED', 'TRANSACTION_UPDATED', 'MANUAL_PREVIEW', 'MANUAL_APPLY')",
            name=op.f("ck_rule_versions_trigger_word"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "rules",
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
        *numbered("rules"),
        sa.CheckConstraint("target IN ('RECEIPT', 'TRANSACTION')", name=op.f("ck_rules_target_word")),
        sa.CheckConstraint(
            "trigger IN ('RECEIPT_PARSED', 'TRANSACTION_INGESTED', 'TRANSACTION_UPDATED', 'MANUAL_PREVIEW', 'MANUAL_APPLY')",
            name=op.f("ck_rules_trigger_word"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rules_order", "rules", ["organization_id", "priority", "id"])
    op.create_table(
        "suggestion_dismissals",
        sa.Column("key", sa.String(22), nullable=False),
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("conditions", sa.JSON, nullable=False),
        sa.Column("evidence_count", sa.Integer, nullable=False),
        sa.Column("sentence", sa.Text, nullable=False),
        sa.Column("dismissed_by", sa.JSON, nullable=False),
        sa.Column("dismissed_at", INSTANT, nullable=False),
        *numbered("suggestion_dismissals"),
        sa.UniqueConstraint("organization_id", "key", name="uq_suggestion_dismissals_organization_id_key"),
        pair("suggestion_dismissals", "account_id", "accounts"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "document_settings",
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("rule_id", BIG, nullable=False),
        sa.Column("rule_version", sa.Integer, nullable=False),
        sa.Column("value", sa.String(20), nullable=False),
        sa.Column("before", sa.String(20)),
        sa.Column("superseded_by", sa.String(40)),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        *owned("document_settings"),
        sa.PrimaryKeyConstraint(*key("id"), name="pk_document_settings"),
        sa.CheckConstraint(
            "kind IN ('SET_CURRENCY', 'SET_ACCOUNT', 'SET_MERCHANT', 'SET_PROJECT')",
            name=op.f("ck_document_settings_kind_word"),
        ),
        pair("document_settings", "document_id", "documents"),
        pair("document_settings", "run_id", "rule_runs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_document_settings_document", "document_settings", ["document_id"])
    op.create_index("ix_document_settings_run", "document_settings", ["run_id", "document_id"])
    op.create_table(
        "rule_settings",
        sa.Column("transaction_id", BIG, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("rule_id", BIG, nullable=False),
        sa.Column("rule_version", sa.Integer, nullable=False),
        sa.Column("value", sa.String(20), nullable=False),
        sa.Column("before", sa.String(20)),
        sa.Column("superseded_by", sa.String(40)),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        *owned("rule_settings"),
        sa.PrimaryKeyConstraint(*key("id"), name="pk_rule_settings"),
        sa.CheckConstraint(
            "kind IN ('SET_CURRENCY', 'SET_ACCOUNT', 'SET_MERCHANT', 'SET_PROJECT', 'SETTLE_BY_REFERENCE')",
            name=op.f("ck_rule_settings_kind_word"),
        ),
        pair("rule_settings", "run_id", "rule_runs"),
        pair("rule_settings", "transaction_id", "transactions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rule_settings_line", "rule_settings", ["transaction_id"])
    op.create_index("ix_rule_settings_run", "rule_settings", ["run_id", "transaction_id"])


def make_sums() -> None:
    op.create_table(
        "day_sums",
        sa.Column("account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger, nullable=False),
        *owned("day_sums"),
        sa.PrimaryKeyConstraint("organization_id", "account_id", "currency", "day", name="pk_day_sums"),
        sa.CheckConstraint(
            "amount_base_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name=op.f("ck_day_sums_ck_day_sums_amount_base_minor_within_reach"),
        ),
        sa.CheckConstraint(
            "amount_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name=op.f("ck_day_sums_ck_day_sums_amount_minor_within_reach"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["accounts.organization_id", "accounts.id"],
            name="fk_day_sums_organization_id_account_id",
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "month_sums",
        sa.Column("account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger, nullable=False),
        *owned("month_sums"),
        sa.PrimaryKeyConstraint("organization_id", "account_id", "currency", "day", name="pk_month_sums"),
        sa.CheckConstraint(
            "amount_base_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name=op.f("ck_month_sums_ck_month_sums_amount_base_minor_within_reach"),
        ),
        sa.CheckConstraint(
            "amount_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name=op.f("ck_month_sums_ck_month_sums_amount_minor_within_reach"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["accounts.organization_id", "accounts.id"],
            name="fk_month_sums_organization_id_account_id",
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "register_lines",
        sa.Column("account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("journal_entry_id", BIG, autoincrement=False, nullable=False),
        sa.Column("posting_id", BIG, autoincrement=False, nullable=False),
        *owned("register_lines"),
        sa.PrimaryKeyConstraint(
            "organization_id", "account_id", "day", "journal_entry_id", "posting_id", name="pk_register_lines"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["accounts.organization_id", "accounts.id"],
            name="fk_register_lines_organization_id_account_id",
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "line_day_sums",
        sa.Column("feed_account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("unreconciled_count", BIG, nullable=False),
        sa.Column("booked_count", BIG, server_default=sa.text("0"), nullable=False),
        *owned("line_day_sums"),
        sa.PrimaryKeyConstraint("organization_id", "feed_account_id", "day", name="pk_line_day_sums"),
        sa.CheckConstraint(
            "amount_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name=op.f("ck_line_day_sums_ck_line_day_sums_amount_minor_within_reach"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "feed_account_id"],
            ["feed_accounts.organization_id", "feed_accounts.id"],
            name="fk_line_day_sums_organization_id_feed_account_id",
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "line_month_sums",
        sa.Column("feed_account_id", BIG, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("unreconciled_count", BIG, nullable=False),
        sa.Column("booked_count", BIG, server_default=sa.text("0"), nullable=False),
        *owned("line_month_sums"),
        sa.PrimaryKeyConstraint("organization_id", "feed_account_id", "day", name="pk_line_month_sums"),
        sa.CheckConstraint(
            "amount_minor BETWEEN -9223372036854775807 AND 9223372036854775807",
            name=op.f("ck_line_month_sums_ck_line_month_sums_amount_minor_within_reach"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "feed_account_id"],
            ["feed_accounts.organization_id", "feed_accounts.id"],
            name="fk_line_month_sums_organization_id_feed_account_id",
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
    )
