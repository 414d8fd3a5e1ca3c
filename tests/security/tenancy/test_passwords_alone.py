"""The application's role reads no column of password hashes; it asks for one person's, and may write one."""

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_postgresql
from webapp.database.sessions import db
from webapp.database.tenancy import APP_ROLE

pytestmark = on_postgresql


@pytest.fixture
def as_application(app, ada):
    """Ask PostgreSQL as the application's role."""

    def ask(statement, **values):
        with app.app_context(), db.engine.connect() as connection:
            connection.exec_driver_sql(f"SET LOCAL ROLE {APP_ROLE}")
            return connection.execute(sa.text(statement), values).all()

    return ask


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT password_hash FROM users",
        "SELECT * FROM users",
        "SELECT email FROM users WHERE password_hash LIKE '$argon2%'",
        "SELECT email FROM users ORDER BY password_hash",
        "UPDATE users SET name = password_hash",
        "UPDATE users SET name = name RETURNING password_hash",
        "SELECT u FROM users u",
    ],
)
def test_no_statement_reads_the_hashes(as_application, statement):
    with pytest.raises(sa.exc.ProgrammingError, match="permission denied"):
        as_application(statement)


def test_one_persons_is_answered_and_the_other_columns_are_read(as_application, ada):
    ((found,),) = as_application("SELECT password_hash_of(:email)", email=ada.email)
    assert found.startswith("$argon2id$")
    assert as_application("SELECT password_hash_of('nobody@example.com')") == [(None,)]
    assert (ada.email,) in as_application("SELECT email FROM users")


def test_nobody_else_may_ask(app):
    statement = "SELECT has_function_privilege('pg_read_all_settings', 'password_hash_of(text)', 'EXECUTE')"
    with app.app_context(), db.engine.connect() as connection:
        assert connection.scalar(sa.text(statement)) is False
