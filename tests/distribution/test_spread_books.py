"""Books on several nodes: where their tables are, what nodes are told, and what is not done there."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.fixtures.people import apart
from webapp.database import tenancy
from webapp.database.sessions import Base, begin_read, begin_write, db, scope_session
from webapp.database.tenancy import APP_ROLE
from webapp.distribution.tables import placing
from webapp.migrations.revisions import head_revision
from webapp.models import Project
from webapp.models.base import table_of
from webapp.queries.access import organizations
from webapp.services.access import organizations as services
from webapp.services.backups import restores

NOW = datetime(2026, 11, 24, tzinfo=UTC)
NODES = "SELECT true, true WHERE %s = 'tieout_app'"
BACKEND = sa.text("SELECT pg_backend_pid()")
TAKING_VALUES = sa.text("""
    SELECT p.proname FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
    WHERE p.prosecdef AND p.pronargs > 0 AND l.lanname = 'sql'""")


def test_every_table_of_the_books_has_its_place():
    of_books, everywhere, alone = set(), set(), set()
    for table in Base.metadata.sorted_tables:
        question = placing(table.name, has_organization="organization_id" in table.columns)
        place = alone if question is None else everywhere if "reference" in question else of_books
        place.add(table.name)
    assert (everywhere, alone) == (
        {
            "users",
            "authenticators",
            "familiar_browsers",
            "identities",
            "passkeys",
            "passkey_challenges",
            "recovery_codes",
            "secrets",
            "sign_in_steps",
        },
        {"sign_in_counters"},
    )
    assert {"organizations", "postings", "audit_events"} <= of_books
    # What is everywhere or alone names nothing that is on one node: a foreign key could not be kept.
    for name in everywhere | alone:
        keys = Base.metadata.tables[name].foreign_key_constraints
        assert {key.referred_table.name for key in keys} <= everywhere


@pytest.fixture
def asked(app, monkeypatch):
    """What a PostgreSQL is asked that says it has nodes; one without takes their settings for its own."""
    monkeypatch.setattr(tenancy, "SERVER", NODES)
    seen = []

    def note(_connection, _cursor, statement, *_):
        seen.append(statement)

    with app.app_context():
        db.engine.dispose()
        sa.event.listen(db.engine, "before_cursor_execute", note)
        yield seen
        sa.event.remove(db.engine, "before_cursor_execute", note)
        db.session.rollback()
        db.engine.dispose()


def read_books_of(app, organization_id):
    with app.app_context():
        scope_session(organization_id)
        begin_read()


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_nodes_are_told_the_organization_in_a_message_of_settings_alone(asked, app, ada):
    apart(read_books_of, app, ada.organization_id)
    opened, told = asked[:2]
    assert opened == f"{tenancy.SNAPSHOT}; SET LOCAL ROLE {APP_ROLE}; {tenancy.TELL_NODES}"
    assert told == f"SET LOCAL tieout.organization = '{ada.organization_id}'"


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_rows_that_a_question_finds_come_by_a_statement_that_policies_allow(asked, ada):
    """A node would COPY them otherwise, which PostgreSQL refuses where policies hold."""
    begin_write(ada.organization_id)
    projects = table_of(Project)
    columns = ("organization_id", "name", "created_at", "updated_at")
    made = sa.select(sa.literal(ada.organization_id), sa.literal("North"), sa.func.now(), sa.func.now())
    db.session.execute(sa.insert(projects).from_select(columns, made, include_defaults=False))
    assert asked[-1].endswith("ON CONFLICT (organization_id, id) DO NOTHING")
    assert (
        db.session.scalar(sa.select(projects.c.name).where(projects.c.organization_id == ada.organization_id))
        == "North"
    )


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_the_owner_is_asked_apart_from_a_transaction_that_may_have_written_on_nodes(asked, ada):
    begin_write(ada.organization_id)
    own = db.session.scalar(BACKEND)
    with tenancy.asking_owner(db.session()) as connection:
        assert connection.scalar(BACKEND) != own
    assert db.session.scalar(BACKEND) == own


def begin_books_of(app, person):
    with app.app_context():
        begin_write()
        opened = services.open_own(
            person.user_id, name="New books", base_currency="EUR", locale="en-GB", now=NOW
        )
        found = [
            [each.id for each in organizations.as_joined(person.user_id, newest=newest)]
            for newest in (None, opened.id, person.organization_id)
        ]
        db.session.rollback()
        return opened.id, found


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_books_that_a_transaction_begins_are_found_in_it(asked, app, ada):
    """The owner is asked apart, and does not see them yet."""
    opened, (_, found, others) = apart(begin_books_of, app, ada)
    assert found == [ada.organization_id, opened]
    assert others == [ada.organization_id]


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_a_person_s_sessions_are_listed_where_the_owner_is_asked_apart(asked, app, ada):
    browser = ada.browser()
    assert browser.get("/settings/sign-in").status_code == 200


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_one_database_is_asked_in_the_same_transaction(app, ada, session):
    begin_write(ada.organization_id)
    with tenancy.asking_owner(session()) as connection:
        assert connection is session.connection()


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_no_function_of_the_owner_that_takes_a_value_is_one_of_sql(session):
    """Citus cannot plan what such a function asks of several nodes."""
    assert session.scalars(TAKING_VALUES).all() == []


@pytest.mark.rare
def test_a_restore_into_distributed_books_is_refused_and_says_the_way(app, demo_installation, monkeypatch):
    monkeypatch.setattr(restores, "is_distributed", lambda _connection: True)
    monkeypatch.setattr(restores, "_check_empty", lambda _session: None)
    with (
        app.app_context(),
        pytest.raises(restores.DistributedError, match="then run there: tieout distribute"),
    ):
        restores.restore(db.session(), demo_installation.backup, revision=head_revision(), now=NOW)
