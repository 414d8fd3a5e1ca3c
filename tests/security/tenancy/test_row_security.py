"""PostgreSQL enforces it again: the application's role sees and changes the rows of one organization (P37)."""

import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.documents import sent
from tests.fixtures.helpers.marks import on_postgresql
from tests.fixtures.people import Pages
from tests.security.conftest import everything
from webapp.database.sessions import Base, begin_read, begin_write, scope_session
from webapp.database.tenancy import APP_ROLE, maintenance
from webapp.ledger.scopes import organization_of, token_text
from webapp.queries.access.principals import digest_of
from webapp.services.backups.rows import is_protected
from webapp.services.storage import arriving_files

pytestmark = on_postgresql

# A token of before tokens named their books.
OLD_TOKEN = token_text(bytes(range(32)), "books")
assert organization_of(OLD_TOKEN) is None

TABLES = {
    table.name: "id" if table.name == "organizations" else "organization_id"
    for table in Base.metadata.sorted_tables
    if is_protected(table)
}
PROTECTED = sa.text("""
    SELECT c.relname, p.polname, pg_get_expr(p.polqual, p.polrelid) AS condition,
        CASE WHEN p.polroles <> '{0}' THEN p.polroles = ARRAY[c.relowner] END AS is_of_owner
    FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relrowsecurity AND c.relforcerowsecurity""")
FUNCTIONS = sa.text("""
    SELECT p.proname FROM pg_proc p LEFT JOIN LATERAL aclexplode(p.proacl) a ON a.grantee = 0
    WHERE p.prosecdef AND (a.grantee IS NOT NULL OR p.proacl IS NULL
        OR NOT EXISTS (SELECT FROM unnest(p.proconfig) s WHERE s LIKE 'search_path=public, pg_temp'))""")

OWN_TRIGGER = """
    CREATE TEMP TABLE mine (LIKE settlements);
    CREATE TRIGGER theirs AFTER UPDATE ON mine FOR EACH ROW EXECUTE FUNCTION items_of_settlement()"""


def rows_of(session, *, by):
    """Count the rows of each table, those of others apart."""
    return {
        name: tuple(
            session.execute(
                sa.text(f"SELECT count(*), count(*) FILTER (WHERE {column} <> :mine) FROM {name}"),  # noqa: S608
                {"mine": by},
            ).one()
        )
        for name, column in TABLES.items()
    }


def test_every_table_with_an_organization_is_protected_from_its_owner_too(session):
    rows = session.execute(PROTECTED).all()
    assert {row.relname for row in rows} == set(TABLES)
    for name, column in TABLES.items():
        found = {row.polname: row for row in rows if row.relname == name}
        assert set(found) == {"of_organization", "of_maintenance"}, name
        own = f"((({column})::text = current_setting('tieout.organization'::text, true)))"
        assert found["of_organization"].condition == own[1:-1], name
        assert found["of_organization"].is_of_owner is None
        assert found["of_maintenance"].is_of_owner, name
    assert session.scalars(FUNCTIONS).all() == []


def test_no_row_of_another_organization_is_seen(asked, ada, dan, ids, figure):
    with maintenance():
        everybodys = rows_of(asked, by=dan.organization_id)
        asked.rollback()
    scope_session(dan.organization_id)
    begin_read()
    assert asked.scalar(sa.text("SELECT current_user")) == APP_ROLE
    dans = rows_of(asked, by=dan.organization_id)
    assert {name: counts[1] for name, counts in dans.items()} == dict.fromkeys(TABLES, 0)
    assert {name: counts[0] - counts[1] for name, counts in everybodys.items()} == {
        name: counts[0] for name, counts in dans.items()
    }
    foreign = [name for name, counts in everybodys.items() if counts[1]]
    assert len(foreign) >= 30
    figure("P37", f"0 foreign rows of {len(TABLES)} tables, {len(foreign)} of which have some")


def test_without_an_organization_nothing_is_seen(asked, ada, ids, figure):
    assert asked.scalar(sa.text("SELECT current_user")) == APP_ROLE
    assert set(rows_of(asked, by="").values()) == {(0, 0)}
    figure("P37", f"unset: 0 rows of {len(TABLES)} tables")


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            (
                "INSERT INTO memberships (organization_id, user_id, role, created_at)"
                " SELECT :other, user_id, role, created_at FROM memberships"
            ),
            "row-level security",
        ),
        # Nodes of a distributed PostgreSQL refuse it before policies are asked.
        (
            "UPDATE accounts SET organization_id = :other",
            "row-level security|modifying the partition value of rows is not allowed",
        ),
        ("UPDATE audit_events SET body = ''", "permission denied"),
        ("DELETE FROM audit_events", "permission denied"),
        ("UPDATE alembic_version SET version_num = '0'", "permission denied"),
        ("TRUNCATE postings", "permission denied"),
        ("ALTER TABLE postings DISABLE TRIGGER USER", "must be owner"),
        ("ALTER TABLE postings DISABLE ROW LEVEL SECURITY", "must be owner"),
        ("CREATE TABLE mine (id int)", "permission denied"),
        (OWN_TRIGGER, "permission denied for function items_of_settlement"),
    ],
)
def test_what_the_application_may_not_do(asked, ada, dan, ids, statement, sentence):
    scope_session(ada.organization_id)
    begin_write(ada.organization_id)
    named = {"other": dan.organization_id} if ":other" in statement else {}
    with pytest.raises(sa.exc.DBAPIError, match=sentence):
        asked.execute(sa.text(statement), named)


def test_a_temporary_table_of_its_name_hides_no_posted_entry(asked, ada, bank):
    ada.post(f"/api/transactions/{bank.send('2026-03-02', '-4.50')}/confirm")
    scope_session(ada.organization_id)
    begin_write(ada.organization_id)
    asked.execute(sa.text("CREATE TEMP TABLE journal_entries (LIKE public.journal_entries) ON COMMIT DROP"))
    with pytest.raises(sa.exc.DBAPIError, match="The legs of a posted entry never change"):
        asked.execute(sa.text("UPDATE public.postings SET amount_minor = 2 * amount_minor"))


def test_a_change_of_everything_changes_ones_own(asked, ada, dan, ids, bank):
    everything(dan, bank.of(dan))
    before = db_rows(asked, dan)
    scope_session(ada.organization_id)
    begin_write(ada.organization_id)
    asked.execute(sa.text("UPDATE merchants SET name = name || '!'"))
    asked.execute(sa.text("DELETE FROM sessions"))
    asked.commit()
    assert db_rows(asked, dan) == before


def db_rows(session, person):
    with maintenance():
        found = [
            session.execute(
                sa.text(f"SELECT * FROM {name} WHERE organization_id = :mine ORDER BY 1, 2"),  # noqa: S608
                {"mine": person.organization_id},
            ).all()
            for name in ("merchants", "sessions", "accounts")
        ]
        session.rollback()
    return found


def test_a_sweep_leaves_the_files_of_other_books_and_those_that_rows_have(
    asked, app, ada, dan, kept_documents
):
    answer = sent(ada)
    assert answer.status_code == 201, answer.json
    (path,) = kept_documents()
    mark = path.parent.parent / "arriving" / path.name
    mark.touch()
    for each in (path, mark):
        os.utime(each, (0, 0))
    scope_session(dan.organization_id)
    begin_write(dan.organization_id)
    arriving_files.sweep(dan.organization_id, now=datetime.now(UTC))
    assert (path.exists(), mark.exists()) == (True, True), "each organization sweeps its own folder"
    scope_session(ada.organization_id)
    arriving_files.sweep(ada.organization_id, now=datetime.now(UTC))
    assert (path.exists(), mark.exists()) == (True, False)


def test_a_secret_that_names_no_books_opens_its_own(asked, ada, dan):
    """Tokens and cookies of before they named their books go on, and are answered about themselves alone."""
    with maintenance():
        asked.execute(
            sa.text("UPDATE api_tokens SET token_hash = :hash WHERE user_id = :user"), named(dan, OLD_TOKEN)
        )
        asked.execute(
            sa.text(
                "INSERT INTO sessions (id_hash, user_id, organization_id, created_at, last_seen_at)"
                " VALUES (:hash, :user, :books, now(), now())"
            ),
            {**named(dan, "an-old-cookie"), "books": dan.organization_id},
        )
        asked.commit()
    assert replace(dan, token=OLD_TOKEN).get("/api/accounts").status_code == 200
    assert Pages(dan.app, "an-old-cookie", dan.organization_id).get("/settings/sign-in").status_code == 200
    assert Pages(dan.app, "another", dan.organization_id).get("/").status_code == 303


def named(person, secret):
    return {"hash": digest_of(secret), "user": person.user_id}
