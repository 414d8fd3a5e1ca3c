"""The organization of a transaction on PostgreSQL: set as it begins, and gone with it."""

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_postgresql
from webapp.database.sessions import begin_read, begin_write, db, scope_session, scoped_session
from webapp.models import Project

pytestmark = on_postgresql
SET = sa.text("SELECT nullif(current_setting('tieout.organization', true), '')")


def test_a_transaction_says_its_organization_as_it_begins(asked, ada, statements):
    scope_session(ada.organization_id)
    for begin in (begin_read, lambda: begin_write(ada.organization_id)):
        with statements() as seen:
            begin()
            assert asked.scalar(SET) == ada.organization_id
        assert [each for each in seen if "SET LOCAL" in each] == []
        asked.rollback()


def test_it_ends_with_the_transaction_and_the_connection_brings_it_to_nobody(asked, ada):
    scope_session(ada.organization_id)
    begin_write(ada.organization_id)
    asked.commit()
    begin_write(ada.organization_id)
    with pytest.raises(sa.exc.DBAPIError):
        asked.execute(sa.text("SELECT 1 / 0"))
    asked.rollback()
    begin_read()
    asked.rollback()
    for _ in range(3):
        with db.engine.connect() as connection:
            assert connection.scalar(SET) is None


def test_a_transaction_that_nobody_began_has_its_session_s_organization(asked, ada, dan):
    scope_session(ada.organization_id)
    asked.rollback()
    assert asked.scalar(SET) == ada.organization_id
    with scoped_session(dan.organization_id):
        assert asked.scalar(SET) == dan.organization_id
        with scoped_session(ada.organization_id):
            assert asked.scalar(SET) == ada.organization_id
        assert asked.scalar(SET) == dan.organization_id
    assert asked.scalar(SET) == ada.organization_id
    with pytest.raises(ZeroDivisionError), scoped_session(dan.organization_id):
        raise ZeroDivisionError
    assert asked.scalar(SET) == ada.organization_id


def test_a_savepoint_that_is_taken_back_keeps_it(asked, ada, dan):
    scope_session(ada.organization_id)
    begin_write(ada.organization_id)
    with pytest.raises(sa.exc.DBAPIError), asked.begin_nested(), scoped_session(dan.organization_id):
        asked.execute(sa.text("SELECT 1 / 0"))
    assert asked.scalar(SET) == ada.organization_id


@pytest.mark.parametrize("text", ["x'; RESET ROLE; --", "org_1 ", "", "ü" * 3, "a" * 41])
def test_a_text_that_is_no_organization_is_none(asked, text):
    scope_session(text)
    begin_read()
    assert asked.scalar(SET) is None


def test_a_command_sees_the_books_of_all(app, ada, dan):
    with app.app_context():
        begin_write(ada.organization_id)
        assert set(db.session.scalars(sa.text("SELECT id FROM organizations"))) == {
            ada.organization_id,
            dan.organization_id,
        }
        assert db.session.scalars(sa.select(Project)).all() == []
        db.session.rollback()
