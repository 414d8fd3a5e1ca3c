"""Let PostgreSQL itself show the application the rows of one organization, and answer what is asked before one is known.

The functions run as the role that owns the books. Each answers about one secret, one person or the names that it is
given; the one for search looks in the transaction's own organization.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect, unprotect

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None

TABLES = sa.text("""
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND NOT a.attisdropped ORDER BY 1""")
# What is asked before an organization is known, or of a folder that is one for all.
FUNCTIONS = {
    "organization_of_token(digest text) RETURNS text": """
        SELECT organization_id FROM api_tokens WHERE token_hash = digest LIMIT 1""",
    "organization_of_session(digest text) RETURNS text": """
        SELECT organization_id FROM sessions WHERE id_hash = digest LIMIT 1""",
    "organization_of_invitation(digest text) RETURNS text": """
        SELECT organization_id FROM invitations WHERE token_hash = digest LIMIT 1""",
    "organizations_of_person(person bigint) RETURNS SETOF organizations": """
        SELECT o.* FROM memberships m JOIN organizations o ON o.id = m.organization_id
        WHERE m.user_id = person ORDER BY m.created_at, m.organization_id""",
    "sessions_of_person(person bigint) RETURNS SETOF sessions": """
        SELECT * FROM sessions WHERE user_id = person""",
    "end_session(digest text) RETURNS void": """
        DELETE FROM sessions WHERE id_hash = digest""",
    "end_sessions_before(instant timestamptz) RETURNS void": """
        DELETE FROM sessions WHERE created_at < instant""",
    "end_sessions_of_person(person bigint, reference text) RETURNS SETOF text": """
        DELETE FROM sessions
        WHERE user_id = person AND (reference IS NULL OR substr(id_hash, 1, 16) = reference)
        RETURNING id_hash""",
    "is_invited_later(digest text, instant timestamptz) RETURNS boolean": """
        SELECT EXISTS (
            SELECT 1 FROM invitations i
            JOIN invitations l ON l.email = i.email AND l.organization_id <> i.organization_id
                AND (l.linked_at > i.linked_at OR (l.linked_at = i.linked_at AND l.id > i.id))
            WHERE i.token_hash = digest AND l.expires_at > instant)""",
    "named_by_documents(names text[]) RETURNS SETOF text": """
        SELECT kept_file FROM documents WHERE kept_file = ANY (names)""",
    "named_by_proposals() RETURNS SETOF text": """
        SELECT p.form -> 'file' ->> 'kept' FROM proposals p
        JOIN action_requests r ON r.organization_id = p.organization_id AND r.id = p.action_request_id
        WHERE r.status = 'PENDING' AND p.form -> 'file' ->> 'kept' IS NOT NULL""",
    "lines_with_words(wanted tsquery, most integer) RETURNS SETOF bigint": """
        SELECT id FROM transactions
        WHERE organization_id = current_setting('tieout.organization', true)
        AND words_of_line(organization_id, description, counterparty, reference, iban, amount_minor) @@ wanted
        ORDER BY booked_on DESC, id DESC LIMIT most""",
}
# An owner alone may look at a table anew. As webapp/database/postgresql.py does for one who is it.
STATISTICS = """
    CREATE FUNCTION refresh_statistics(few bigint, share double precision) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp SET default_statistics_target = 30 AS $$
    DECLARE old text;
    BEGIN
        SELECT string_agg(c.oid::regclass::text, ', ' ORDER BY c.oid::regclass::text) INTO old FROM pg_class c
        WHERE c.relkind = 'r' AND c.relnamespace = '{schema}'::regnamespace
        AND (c.reltuples <= 0 OR pg_stat_get_mod_since_analyze(c.oid) + pg_stat_get_xact_tuples_inserted(c.oid)
            + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid)
            > few + share * c.reltuples);
        IF old IS NOT NULL THEN EXECUTE 'ANALYZE (SKIP_LOCKED) ' || old; END IF;
    END $$"""


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    protect("organizations", "id")
    for table in tables():
        protect(table)
    schema = op.get_bind().scalar(sa.text("SELECT quote_ident(current_schema())"))
    for signature, question in FUNCTIONS.items():
        as_owner = f"LANGUAGE sql SECURITY DEFINER SET search_path = {schema}, pg_temp"
        make(f"CREATE FUNCTION {signature} {as_owner} AS $${question} $$")
    make(STATISTICS.format(schema=schema))
    for name in names():
        make(f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC")


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    for name in names():
        make(f"DROP FUNCTION {name}")
    for table in ("organizations", *tables()):
        unprotect(table)


def names() -> list[str]:
    return [*(signature.partition("(")[0] for signature in FUNCTIONS), "refresh_statistics"]


def tables() -> list[str]:
    return list(op.get_bind().scalars(TABLES))


def make(statement: str) -> None:
    """Run a statement in which nothing is a parameter."""
    op.get_bind().exec_driver_sql(statement)
