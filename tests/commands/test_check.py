"""`tieout check`: an answer for programs and people; and what backup and restore say of books that are unsound."""

import json

import pytest
import sqlalchemy as sa

from tests.fixtures.desks import Desk
from webapp.database.sessions import db
from webapp.database.tenancy import maintenance


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
    assert (result.exit_code, result.stderr, answer["ok"], len(answer["violations"])) == (1, "", False, 4)
    assert {
        "code": "no_owner",
        "message": "Lantern Studio has no owner.",
        "organizationId": ada.organization_id,
    } in answer["violations"]


def test_people_read_a_line_for_each(command, broken):
    result = command("check")
    assert result.exit_code == 1
    # Each is also a membership that no act wrote.
    assert len(result.stdout.splitlines()) == 4
    assert "no_owner: Harbour Bakery has no owner." in result.stdout


@pytest.fixture
def desk(ben, bank):
    """Ben's desk, in books that a test damages."""
    return Desk(ben, bank)


@pytest.fixture
def proved(bank, desk):
    """Two lines and their proof."""
    lines = bank.send_many([("2026-10-02", "100.00", "In"), ("2026-10-03", "-40.00", "Out")])
    desk.confirm(*lines)
    return lines, desk.prove("2026-10-31", "60.00")


@pytest.fixture
def damage(app):
    """Write past the application."""

    def run(*statements):
        with app.app_context(), maintenance():
            for each in statements:
                db.session.execute(sa.text(each))
            db.session.commit()

    return run


@pytest.fixture
def round_trip(command, restored, tmp_path):
    """Back the books up and restore them; answers the exit status and answer of the backup, and the restore."""

    def run():
        path = tmp_path / "books.zip"
        backup = command("backup", str(path), "--json")
        return backup.exit_code, json.loads(backup.stdout), restored("restore", str(path))

    return run


def codes(report):
    return {each["code"] for each in report["violations"]}


def test_sound_books_are_backed_up_without_a_finding(proved, round_trip):
    status, report, restore = round_trip()
    assert (status, report["ok"], report["violations"], restore.exit_code) == (0, True, [], 0)


def test_a_break_that_nobody_recorded_is_found_by_the_backup_and_recorded_by_the_restore(
    proved, desk, damage, round_trip, restored
):
    lines, proof = proved
    desk.void(desk.line(lines[1])["journalEntryId"])
    damage("DELETE FROM proof_breaks")
    status, report, restore = round_trip()
    assert (status, report["ok"], codes(report)) == (1, False, {"proof_verdict"})
    assert report["violations"][0]["reconciliationId"] == proof["id"]
    assert restore.exit_code == 0, restore.output
    assert restored("check").exit_code == 0


def test_a_fact_that_is_wrong_is_listed_by_the_backup_and_refused_by_the_restore(
    proved, damage, command, round_trip, tmp_path
):
    damage("UPDATE reconciliations SET digest = '0'")
    status, report, restore = round_trip()
    assert (status, codes(report)) == (1, {"digest_differs", "row_not_bound"})
    assert (restore.exit_code, "not sound" in restore.stderr) == (1, True)
    words = command("backup", str(tmp_path / "again.zip")).stdout
    assert "a restore refuses it until these are repaired" in words
    assert "digest_differs" in words
