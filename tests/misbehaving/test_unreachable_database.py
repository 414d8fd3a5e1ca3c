"""A database that is not there: each door says so, and that nothing was changed."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_postgresql
from tests.fixtures.servers import free_port
from webapp import create_app
from webapp.database.sessions import begin_write, db
from webapp.services.ingestion import staging

pytestmark = on_postgresql


def test_every_door_answers_that_the_books_are_not_reached(house, ada):
    nowhere = f"postgresql+psycopg://postgres@127.0.0.1:{free_port()}/books"
    app = create_app(replace(house.settings, database_url=nowhere))
    away = replace(ada, app=app)
    # Tokens are looked up without a session of the ORM, cookies with one.
    for path in ("/api/accounts", "/api/projects"):
        answer = away.get(path)
        assert (answer.status_code, answer.json["code"]) == (503, "busy")
    written = away.post("/api/projects", json={"name": "North"})
    assert (written.status_code, written.json["code"]) == (503, "busy")
    client = app.test_client()
    client.set_cookie("tieout", "a-cookie.org_1")
    assert client.get("/").status_code == 503


@pytest.mark.operates
def test_a_connection_that_is_lost_while_lines_are_copied_is_answered_as_any_other(session, ada):
    begin_write(ada.organization_id)
    process = session.scalar(sa.text("SELECT pg_backend_pid()"))

    def lines():
        with db.engine.connect() as other:
            assert other.scalar(sa.text("SELECT pg_terminate_backend(:process, 5000)"), {"process": process})
        yield from ()

    with pytest.raises(sa.exc.OperationalError) as lost:
        staging.stage(session.connection(), lines(), [])
    assert lost.value.connection_invalidated
    session.rollback()
    begin_write(ada.organization_id)
    assert session.scalar(sa.text("SELECT 1")) == 1
