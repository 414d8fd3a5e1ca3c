"""The roles of PostgreSQL: one owns the books and maintains them, another serves them, and neither is the other."""

import os
from dataclasses import replace

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_postgresql
from tests.fixtures.programs import Program
from webapp import create_app
from webapp.database.postgresql import strong_role
from webapp.database.roles import UNBOUND, refusal
from webapp.database.sessions import db
from webapp.database.tenancy import APP_ROLE

pytestmark = on_postgresql


@pytest.fixture
def administrator(house):
    """The server's superuser, in no transaction."""
    engine = sa.create_engine(house.store.url("books"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield connection.exec_driver_sql
    engine.dispose()


@pytest.fixture
def three_roles(house, administrator):
    """An empty database of a role that nobody signs in as; one that maintains it, and one that serves it."""
    suffix = f"{os.getpid()}_{os.urandom(3).hex()}"
    owner, keeper, server = (f"{name}_{suffix}" for name in ("owner", "keeper", "server"))
    administrator(f"CREATE ROLE {owner} NOLOGIN")
    administrator(f"CREATE ROLE {keeper} LOGIN IN ROLE {owner}")
    administrator(f"ALTER ROLE {keeper} SET role = {owner}")
    administrator(f"CREATE ROLE {server} LOGIN IN ROLE {APP_ROLE}")
    house.store.make("three")
    url = sa.make_url(house.store.url("three"))
    administrator(f'ALTER DATABASE "{url.database}" OWNER TO {owner}')
    yield {
        "keeper": url.set(username=keeper).render_as_string(hide_password=False),
        "server": url.set(username=server).render_as_string(hide_password=False),
    }
    house.store.drop("three")
    for role in (server, keeper, owner):
        administrator(f"DROP ROLE {role}")


@pytest.fixture
def run(house):
    """Run a command in a process of its own, whose connections end with it; answers its status and what it wrote."""

    def finished(*words, **urls):
        program = Program(house, *words, **urls)
        out, err = program.communicate()
        return program.returncode, (out + err).decode()

    return finished


def test_three_roles_make_keep_and_serve_books(command, run, three_roles, house, tmp_path):
    path = str(tmp_path / "books.zip")
    command("backup", path)
    urls = {"DATABASE_URL": three_roles["server"], "MAINTENANCE_DATABASE_URL": three_roles["keeper"]}
    instance = {"INSTANCE_PATH": str(tmp_path / "instance")}
    for words in (("restore", path), ("check",)):
        status, written = run(*words, **urls, **instance)
        assert status == 0, written
    status, written = run("check", DATABASE_URL=three_roles["server"])
    assert (status, "Set MAINTENANCE_DATABASE_URL" in written) == (1, True)

    app = create_app(replace(house.settings, database_url=three_roles["server"]))
    for name in ("ada", "dan"):
        person = replace(house.people[name], app=app)
        assert person.get("/api/accounts").json["accounts"]
    with app.app_context():
        with db.engine.connect() as connection:
            assert (refusal(connection), strong_role(connection)) == (None, None)
        db.engine.dispose()


def test_a_role_that_owns_the_books_is_shown_what_makes_policies_hold(house, administrator, run):
    owner = f"alone_{os.getpid()}_{os.urandom(3).hex()}"
    administrator(f"CREATE ROLE {owner} LOGIN")
    house.store.make("three")
    url = sa.make_url(house.store.url("three"))
    administrator(f'ALTER DATABASE "{url.database}" OWNER TO {owner}')
    own = {"DATABASE_URL": url.set(username=owner).render_as_string(hide_password=False)}
    try:
        status, written = run("migrate", **own)
        assert (status, UNBOUND.format(name=owner, role=APP_ROLE) in written) == (0, True), written
        administrator(f"GRANT {APP_ROLE} TO {owner}")
        status, written = run("migrate", **own)
        assert (status, "row-level security" in written) == (0, False), written
    finally:
        house.store.drop("three")
        administrator(f"DROP ROLE {owner}")


def test_a_role_for_maintenance_does_not_serve(app, administrator):
    with app.app_context(), db.engine.connect() as connection:
        assert refusal(connection) is None
        try:
            connection.exec_driver_sql(f"ALTER ROLE {APP_ROLE} LOGIN")
            assert "is for maintenance" in refusal(connection)
        finally:
            connection.rollback()
