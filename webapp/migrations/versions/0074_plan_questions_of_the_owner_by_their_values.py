"""Write the owner's functions that take a value in PL/pgSQL: Citus plans few questions of SQL functions that have one."""

from __future__ import annotations

from importlib import import_module

import sqlalchemy as sa
from alembic import op

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None

# Nodes compare no rows of one with those of another: the second question of an invitation has the first one's values.
BODIES = {
    "organization_of_token(digest text) RETURNS text": """
        BEGIN RETURN (SELECT organization_id FROM api_tokens WHERE token_hash = digest LIMIT 1); END""",
    "organization_of_session(digest text) RETURNS text": """
        BEGIN RETURN (SELECT organization_id FROM sessions WHERE id_hash = digest LIMIT 1); END""",
    "organization_of_invitation(digest text) RETURNS text": """
        BEGIN RETURN (SELECT organization_id FROM invitations WHERE token_hash = digest LIMIT 1); END""",
    "organizations_of_person(person bigint) RETURNS SETOF organizations": """
        BEGIN RETURN QUERY
            SELECT o.* FROM memberships m JOIN organizations o ON o.id = m.organization_id
            WHERE m.user_id = person ORDER BY m.created_at, m.organization_id;
        END""",
    "sessions_of_person(person bigint) RETURNS SETOF sessions": """
        BEGIN RETURN QUERY SELECT s.* FROM sessions s WHERE s.user_id = person; END""",
    "end_session(digest text) RETURNS void": """
        BEGIN DELETE FROM sessions WHERE id_hash = digest; END""",
    "end_sessions_before(instant timestamptz) RETURNS void": """
        BEGIN DELETE FROM sessions WHERE created_at < instant; END""",
    "end_sessions_of_person(person bigint, reference text) RETURNS SETOF text": """
        BEGIN RETURN QUERY
            DELETE FROM sessions s
            WHERE s.user_id = person AND (reference IS NULL OR substr(s.id_hash, 1, 16) = reference)
            RETURNING s.id_hash::text;
        END""",
    "is_invited_later(digest text, instant timestamptz) RETURNS boolean": """
        DECLARE invited record;
        BEGIN
            SELECT organization_id, id, email, linked_at INTO invited FROM invitations WHERE token_hash = digest LIMIT 1;
            RETURN EXISTS (
                SELECT 1 FROM invitations l
                WHERE l.email = invited.email AND l.organization_id <> invited.organization_id
                    AND (l.linked_at > invited.linked_at OR (l.linked_at = invited.linked_at AND l.id > invited.id))
                    AND l.expires_at > instant);
        END""",
    "lines_with_words(wanted tsquery, most integer) RETURNS SETOF bigint": """
        DECLARE books text := current_setting('tieout.organization', true);
        BEGIN RETURN QUERY
            SELECT t.id FROM transactions t
            WHERE t.organization_id = books
            AND words_of_line(
                t.organization_id, t.description, t.counterparty, t.reference, t.iban, t.amount_minor) @@ wanted
            ORDER BY t.booked_on DESC, t.id DESC LIMIT most;
        END""",
}


def upgrade() -> None:
    write("plpgsql", BODIES)


def downgrade() -> None:
    before = import_module("webapp.migrations.versions.0055_show_rows_of_one_organization").FUNCTIONS
    write("sql", {signature: before[signature] for signature in BODIES})


def write(language: str, bodies: dict[str, str]) -> None:
    """Write functions that are there; who may call them stays."""
    if op.get_bind().dialect.name == "sqlite":
        return
    schema = op.get_bind().scalar(sa.text("SELECT quote_ident(current_schema())"))
    for signature, body in bodies.items():
        op.get_bind().exec_driver_sql(
            f"CREATE OR REPLACE FUNCTION {signature} LANGUAGE {language} SECURITY DEFINER"
            f" SET search_path = {schema}, pg_temp AS $${body} $$"
        )
