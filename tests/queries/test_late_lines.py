"""Late lines are found from the kept sums as they are by reading all lines of an account, and cost an act little."""

import sys

import pytest
import sqlalchemy as sa

from tests.fixtures.feeds import Feed, line
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.steps import Steps
from webapp.database.sessions import db
from webapp.models import Reconciliation
from webapp.queries.reconciliation import uneven_lines


def late_days(person, bank, monkeypatch):
    def found():
        proofs = db.session.scalars(
            sa.select(Reconciliation).where(
                Reconciliation.organization_id == person.organization_id, Reconciliation.status == "COMPLETED"
            )
        ).all()
        ways = []
        for many in (sys.maxsize, 0):
            with monkeypatch.context() as patch:
                patch.setattr(uneven_lines, "MANY", many)
                ways.append([tuple(row) for row in uneven_lines.late(person.organization_id, proofs)])
        rows, among = ways
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


MONTHS, LINES, LATE = 4, 40, 20
MOST_STEPS_FOR_A_LATE_LINE = 10


@pytest.fixture
def steps(app):
    """Counts the steps of SQLite's programs."""
    return Steps(app)


def prove(bank, desk, month):
    desk.confirm(*bank.send_many([(f"2025-{month:02}-15", "1.00", f"Sale {n}") for n in range(LINES)]))
    desk.prove(f"2025-{month:02}-28", f"{LINES * month}.00")


@pytest.mark.rare
@on_sqlite
def test_confirming_a_late_line_reads_no_other_one(ada, bank, desk, steps):
    """Each proof is broken by lines that came after it; confirming one more reads neither these nor what was proved."""
    bank.open("Bank")
    for month in range(1, MONTHS + 1):
        prove(bank, desk, month)

    def send(count):
        days = [f"2025-{1 + n % MONTHS:02}-{1 + n % 14:02}" for n in range(count)]
        return bank.send_many([(day, "-5.00", f"Late {day}") for day in days])

    def confirm(line_id):
        return steps.of(lambda: ada.post(f"/api/transactions/{line_id}/confirm"))

    first = send(LATE)
    desk.confirm(*first[:-2])
    confirm(first[-2])
    few = confirm(first[-1])
    many = send(10 * LATE)
    desk.confirm(*many[:-1])
    more = confirm(many[-1])
    proofs = ada.get("/api/reconciliations").json["reconciliations"]
    assert [each["holds"] for each in proofs] == [False] * MONTHS
    assert more - few < MOST_STEPS_FOR_A_LATE_LINE * 10 * LATE, (few, more)


@on_sqlite
def test_a_line_that_goes_with_its_draft_has_no_proof_added_up(ada, bank, desk, steps):
    feed = Feed(ada, bank.open("Bank"))

    def removed(name):
        feed.push(added=[line(name, "-5.00", "2025-12-01")])
        body = {"batchId": f"without {name}", "removed": [name]}
        return steps.of(lambda: ada.post(f"/api/feeds/accounts/{feed.fa_id}/transactions", json=body))

    prove(bank, desk, 1)
    removed("warm")
    few = removed("first")
    for month in range(2, MONTHS + 1):
        prove(bank, desk, month)
    more = removed("second")
    assert more < 1.2 * few, (few, more)
