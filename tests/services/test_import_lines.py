"""Lines of a file against what is there: other sources, locked days, the day an account's books begin."""

from datetime import date, timedelta

import sqlalchemy as sa

from tests.api.imports.test_imports import MARCH, counted, imported, lines_of
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from webapp.models import Import, Organization, Reconciliation, Transaction


def become_of_another_source(session):
    """Let the lines that are there come from another format than the files of the test."""
    session.execute(sa.update(Import).values(format="camt"))
    camt_keys = {"line_key": Transaction.line_key + "-camt", "updated_at": Transaction.updated_at}
    session.execute(sa.update(Transaction).values(camt_keys))
    session.commit()


def suspected(answer):
    return [said for said in answer["warnings"] if said.startswith("1 of the lines may be duplicates")]


def test_a_line_that_another_source_gave_is_added_and_warned_of(ben, session):
    imported(ben, bank_file(*MARCH[:1]))
    become_of_another_source(session)
    answer = imported(ben, bank_file(*MARCH))
    assert counted(answer) == [(3, 0, 0, 0)]
    assert len(suspected(answer)) == 1
    rows = ben.get(f"/api/feeds/imports/{answer['id']}/lines").json["lines"]
    assert [row["verdict"] for row in rows] == ["POSSIBLY_THERE", "NEW", "NEW"]


def test_what_was_possibly_there_once_is_not_so_again(ben, session):
    imported(ben, bank_file(*MARCH[:1]))
    become_of_another_source(session)
    imported(ben, bank_file(*MARCH[:1]))
    answer = imported(ben, bank_file(*MARCH[:2]))
    assert counted(answer) == [(1, 1, 0, 0)]
    assert suspected(answer) == []


def test_a_pushed_line_is_another_source_too(ben, session):
    imported(ben, bank_file(*MARCH[:1]))
    pushed = {"line_key": None, "import_id": None, "updated_at": Transaction.updated_at}
    session.execute(sa.update(Transaction).values(pushed))
    session.commit()
    assert len(suspected(imported(ben, bank_file(*MARCH[:1])))) == 1


def test_the_draft_of_a_locked_day_is_dated_the_first_open_one(ada, session):
    session.get_one(Organization, ada.organization_id).lock_date = date(2026, 3, 3)
    session.commit()
    imported(ada, bank_file(*MARCH))
    days = [entry["effectiveAt"][:10] for entry in ada.get("/api/journal-entries").json["entries"]]
    assert days == ["2026-03-05", "2026-03-04", "2026-03-04"]
    assert [day for day, *_ in lines_of(ada)] == ["2026-03-02", "2026-03-02", "2026-03-05"]


def test_a_line_before_the_books_begin_is_set_aside(ada, session):
    fa_id = imported(ada, bank_file(*MARCH[:1]))["accounts"][0]["faId"]
    opening = date(2026, 3, 4)
    session.add(
        Reconciliation(
            organization_id=ada.organization_id,
            feed_account_id=fa_id,
            status="DRAFT",
            statement_date=opening + timedelta(days=27),
            statement_balance_minor=0,
            currency="EUR",
            keep_as_new=True,
            opening_date=opening,
            opened_at=session.get_one(Organization, ada.organization_id).created_at,
            opened_by={},
        )
    )
    session.commit()
    imported(ada, bank_file(*MARCH[1:]))
    assert [status for *_, status in lines_of(ada)] == ["BOOKED", "SET_ASIDE", "BOOKED"]


def test_a_removed_pending_line_may_be_pending_again(ben):
    hotel = Line("2026-03-30", "-90.00", "Hotel", "P1", pending=True)
    for lines in ([hotel], [], [hotel]):
        imported(ben, bank_file(*lines))
    assert lines_of(ben) == [("2026-03-30", "-90.00", "PENDING")]
