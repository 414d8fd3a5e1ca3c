"""Late lines are found from the kept sums as they are by reading all lines of an account."""

import sqlalchemy as sa

from tests.fixtures.feeds import Feed, line
from webapp.db import db
from webapp.models import Reconciliation
from webapp.queries.reconciliation import uneven_lines


def late_days(person, bank, monkeypatch):
    """Give each proof with the days of its late lines; both ways of finding them agree."""

    def found():
        proofs = db.session.scalars(
            sa.select(Reconciliation).where(
                Reconciliation.organization_id == person.organization_id, Reconciliation.status == "COMPLETED"
            )
        ).all()
        rows = [tuple(row) for row in uneven_lines.late(person.organization_id, proofs)]
        with monkeypatch.context() as patch:
            patch.setattr(uneven_lines, "MANY", 0)
            among = [tuple(row) for row in uneven_lines.late(person.organization_id, proofs)]
        assert sorted(rows) == sorted(among)
        month_of = {proof.id: f"{proof.statement_date:%b}" for proof in proofs}
        return sorted((month_of[row[0]], f"{row[4]:%-d %b}") for row in rows)

    return bank.ask(found)


def test_late_lines_are_those_that_no_proof_up_to_the_statement_cleared(ada, bank, desk, monkeypatch):
    feed = Feed(ada, bank.open("Fed account"))

    def late():
        return late_days(ada, bank, monkeypatch)

    feed.push(added=[line("a", "100.00", "2025-01-05"), line("b", "-40.00", "2025-01-10")])
    desk.confirm(*(each["id"] for each in feed.lines()))
    desk.prove("2025-01-31", "60.00")
    feed.push(added=[line("c", "20.00", "2025-02-10"), line("late", "7.00", "2025-01-20")])
    assert late() == [("Jan", "20 Jan")]
    desk.confirm(*(each["id"] for each in feed.lines() if each["status"] == "BOOKED"))
    assert late() == [("Jan", "20 Jan")]
    desk.prove("2025-02-28", "87.00")
    assert late() == [("Jan", "20 Jan")]
    feed.push(added=[line("later", "3.00", "2025-01-10"), line("d", "1.00", "2025-03-03")])
    assert late() == [("Feb", "10 Jan"), ("Jan", "10 Jan"), ("Jan", "20 Jan")]
    feed.push(modified=[line("c", "20.00", "2025-01-31")])
    assert late() == [("Feb", "10 Jan"), ("Jan", "10 Jan"), ("Jan", "20 Jan"), ("Jan", "31 Jan")]
    feed.push(removed=["late"])
    assert late() == [("Feb", "10 Jan"), ("Jan", "10 Jan"), ("Jan", "31 Jan")]
    desk.confirm(*(each["id"] for each in feed.lines() if each["status"] == "BOOKED"))
    assert [desk.put("2025-03-31", "84.00").status_code, desk.clear(auto=True).status_code] == [200, 200]
    assert late() == [("Feb", "10 Jan"), ("Jan", "10 Jan"), ("Jan", "31 Jan")]
    desk.abandon()
    desk.reopen()
    assert late() == [("Jan", "10 Jan"), ("Jan", "31 Jan")]
