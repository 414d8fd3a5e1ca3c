"""`tieout check`: an answer for programs, lines for people, and an exit status for both."""

import json

import pytest
import sqlalchemy as sa

from webapp.database.sessions import db


@pytest.fixture
def broken(app, ada):
    """Books that nobody owns any more."""
    with app.app_context():
        db.session.execute(sa.text("UPDATE memberships SET role = 'viewer' WHERE role = 'owner'"))
        db.session.commit()


def test_sound_books_are_ok(command):
    result = command("check", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {"ok": True, "violations": []}


def test_sound_books_are_said_to_be(command):
    assert command("check").stdout == "The books are sound.\n"


def test_every_violation_is_listed_on_standard_output_and_the_status_is_1(command, broken, ada):
    result = command("check", "--json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, result.stderr, answer["ok"], len(answer["violations"])) == (1, "", False, 2)
    assert {
        "code": "no_owner",
        "message": "Lantern Studio has no owner.",
        "organizationId": ada.organization_id,
    } in answer["violations"]


def test_people_read_a_line_for_each(command, broken):
    result = command("check")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 2
    assert "no_owner: Harbour Bakery has no owner." in result.stdout
