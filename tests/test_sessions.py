"""The baseline of every connection, and one writer at a time in front of SQLite."""

import threading
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
import sqlalchemy as sa

from webapp import create_app
from webapp.database import sessions
from webapp.database.column_types import Exact, Instant
from webapp.database.sessions import db, next_ids
from webapp.models import Project

pytestmark = pytest.mark.operates

PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": 2,
    "foreign_keys": 1,
    "recursive_triggers": 1,
    "busy_timeout": 5000,
    "trusted_schema": 0,
    "cell_size_check": 1,
}


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=False)
def test_every_sqlite_connection_is_durable_and_strict(house, database_kind):
    """Asked of an application that no fixture has put in a hurry."""
    with create_app(house.settings).app_context(), db.engine.connect() as connection:
        told = {name: connection.scalar(sa.text(f"PRAGMA {name}")) for name in PRAGMAS}
        version = connection.scalar(sa.text("SELECT sqlite_version()"))
    assert told == PRAGMAS
    assert tuple(map(int, version.split("."))) >= (3, 51, 3)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=False)
def test_a_connection_to_sqlite_keeps_what_it_compiled(house, database_kind):
    """The driver drops its newest statement once it keeps as many as it may."""
    compiled = []
    statements = [sa.select(sa.literal_column(str(number))) for number in range(300)]
    with create_app(house.settings).app_context(), db.engine.connect() as connection:
        for statement in statements:
            connection.execute(statement)
        connection.connection.dbapi_connection.set_authorizer(lambda *each: compiled.append(each) or 0)
        # What looks on makes it compile each statement once more.
        for statement in statements:
            connection.execute(statement)
        compiled.clear()
        for statement in statements:
            connection.execute(statement)
        connection.connection.dbapi_connection.set_authorizer(None)
    assert compiled == []


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=False)
def test_every_postgresql_connection_gives_up_in_time(session, database_kind):
    assert session.scalar(sa.text("SHOW statement_timeout")) == "15s"
    assert session.scalar(sa.text("SHOW lock_timeout")) == "15s"


def test_a_session_that_reads_cannot_write(session, ada):
    sessions.begin_read()
    if session.get_bind().dialect.name == "postgresql":
        with pytest.raises(sa.exc.DBAPIError, match="read-only"):
            session.execute(sa.text("UPDATE organizations SET name = 'x'"))
    else:
        assert session.connection().get_execution_options()["read_only"]


def test_a_savepoint_holds_what_is_sent_past_the_session(session, ada):
    """The session finds its connection once, but sets a savepoint only as it finds it anew."""
    sessions.begin_write(ada.organization_id)
    rename = sa.text("UPDATE organizations SET name = :name WHERE id = :id")
    named = sa.text("SELECT name FROM organizations WHERE id = :id")

    def send(statement, **values):
        return session.connection().execute(statement, {"id": ada.organization_id, **values})

    before = send(named).scalar()
    with session.begin_nested() as savepoint:
        send(rename, name="Taken back")
        savepoint.rollback()
    assert send(named).scalar() == before
    send(rename, name="Kept")
    assert send(named).scalar() == "Kept"
    session.rollback()
    assert send(named).scalar() == before


def test_nothing_is_sent_past_a_session_whose_transaction_failed(session, ada):
    sessions.begin_write(ada.organization_id)
    assert session.connection().in_transaction()
    session.add(Project(organization_id="org_none", name=None))
    with pytest.raises(sa.exc.IntegrityError):
        session.flush()
    with pytest.raises(sa.exc.InvalidRequestError, match="rolled back"):
        session.connection()
    session.rollback()


def test_writers_queue_instead_of_failing(app, ada):
    """Eight threads read and write back the same name forty times; no write is lost, none is refused."""
    failures = []

    def grow():
        for _ in range(5):
            try:
                with app.app_context():
                    sessions.begin_write(ada.organization_id)
                    name = db.session.scalar(sa.text("SELECT name FROM organizations WHERE id = :id"), here)
                    db.session.execute(
                        sa.text("UPDATE organizations SET name = :name WHERE id = :id"),
                        {**here, "name": name + "."},
                    )
                    db.session.commit()
            except Exception as error:  # noqa: BLE001  (whatever it is, it is a failure)
                failures.append(error)

    here = {"id": ada.organization_id}
    threads = [threading.Thread(target=grow) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with app.app_context():
        name = db.session.scalar(sa.text("SELECT name FROM organizations WHERE id = :id"), here)
    assert failures == []
    assert name == "Lantern Studio" + 40 * "."


def test_a_session_sees_one_organization_even_where_a_query_forgets_to_ask(session, ada, dan):
    for owner in (ada, dan):
        session.add(
            Project(
                organization_id=owner.organization_id,
                name=f"{owner.name}'s",
                created_at=datetime.now(UTC),
                updated_at=datetime.now(UTC),
            )
        )
    session.flush()
    sessions.scope_session(dan.organization_id)
    assert session.scalars(sa.select(Project.name)).all() == ["Dan's"]


def test_reserved_ids_are_never_given_out_again(session, ada):
    connection = session.connection()
    first = [
        connection.scalar(sa.select(next_ids(connection, Project.__table__, sa.literal(place))))
        for place in range(3)
    ]
    at = datetime.now(UTC)
    facts = {"organization_id": ada.organization_id, "created_at": at, "updated_at": at}
    session.execute(sa.insert(Project), [{"id": number, "name": "x", **facts} for number in first])
    later = Project(name="y", **facts)
    session.add(later)
    session.flush()
    assert len(set(first)) == 3
    assert later.id > max(first)


def test_instants_keep_their_moment_and_exact_decimals_their_digits(session):
    instant = datetime(2026, 3, 29, 2, 30, tzinfo=timezone(timedelta(hours=2)))
    digits = Decimal("12345678901234567890.123456789012")
    table = sa.Table("kept", sa.MetaData(), sa.Column("at", Instant), sa.Column("rate", Exact))
    table.create(session.connection())
    session.execute(sa.insert(table).values(at=instant, rate=digits))
    at, rate = session.execute(sa.select(table)).one()
    assert (at, at.tzinfo, rate) == (instant, UTC, digits)


def test_an_instant_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="zone"):
        Instant().process_bind_param(datetime(2026, 1, 1), sa.create_engine("sqlite://").dialect)  # noqa: DTZ001
