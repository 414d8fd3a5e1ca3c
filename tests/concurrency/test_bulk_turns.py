"""The lines of a long import count at the end of its turn, or the database takes nothing of them (P14, P31)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from tests.api.imports.test_imports import send
from tests.concurrency.test_long_imports import count_of, file_of, said_by
from tests.fixtures.programs import Program
from webapp.database.sessions import db
from webapp.models import BulkTurn, Import, JournalEntry
from webapp.queries import checks
from webapp.services.imports import turns

LINES = 300
AT_ONCE = 3


def test_no_turn_is_left_open(house, ada, tmp_path):
    path = tmp_path / "first.ofx"
    path.write_bytes(file_of(2, "first"))
    said_by(house, "import", str(path), "--organization", ada.organization_id, "--json")
    with house.app.app_context():
        import_id = db.session.scalar(sa.select(Import.id))
        db.session.add(BulkTurn(organization_id=ada.organization_id, import_id=import_id, no_import_id=0))
        with pytest.raises(sa.exc.IntegrityError):
            db.session.commit()
        db.session.rollback()
        assert db.session.scalar(sa.select(sa.func.count()).select_from(BulkTurn)) == 0


@pytest.mark.operates
def test_the_same_file_comes_in_once_by_many_at_once(house, ada, session, tmp_path):
    path = tmp_path / "same.ofx"
    path.write_bytes(file_of(LINES, "same"))
    asked = ("import", str(path), "--organization", ada.organization_id, "--json")
    running = [Program(house, *asked) for _ in range(AT_ONCE)]
    ended = [(each.communicate(), each.returncode) for each in running]
    assert [code for _, code in ended] == [0] * AT_ONCE, ended
    assert count_of(session) == LINES
    assert list(checks.violations()) == []


# SQLite's one writer lets nobody close a period while it writes: there is no such moment there.
@pytest.mark.operates
@pytest.mark.parametrize(
    ("database_kind", "moment"),
    [("sqlite", "begin_bulk"), ("postgresql", "begin_bulk"), ("postgresql", "lock_books")],
    indirect=["database_kind"],
)
def test_a_period_that_closes_while_lines_are_laid_in_gets_none_of_their_drafts(
    house, ada, ben, session, monkeypatch, moment
):
    closed, whole = [], getattr(turns, moment)

    def close_before(*asked):
        if not closed:
            with ThreadPoolExecutor(1) as elsewhere:
                asking = elsewhere.submit(ada.put, "/api/lock-date", json={"lockDate": "2026-03-31"})
                closed.append(asking.result().status_code)
        return whole(*asked)

    monkeypatch.setattr(turns, moment, close_before)
    answer = send(ben, file_of(LINES, "closing"), "closing.ofx")
    assert (closed, answer.status_code) == ([200], 201), answer.json
    days = session.scalars(sa.select(JournalEntry.effective_on).distinct()).all()
    assert [day.isoformat() for day in days] == ["2026-04-01"]
    assert list(checks.violations()) == []
