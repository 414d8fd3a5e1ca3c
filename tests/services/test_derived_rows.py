"""Sums, registers and records of verdicts are computed again from the facts, and written only where they differ."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.fixtures.desks import Desk
from tests.fixtures.helpers.owed import items, keep_items, owe, settle
from tests.fixtures.helpers.transfers import join
from webapp.database.sessions import db
from webapp.queries import checks
from webapp.queries.checks import items as checked_items
from webapp.queries.checks import proofs, sums, transfers
from webapp.services.backups import derived_rows

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
TABLES = (
    "items",
    "day_sums",
    "month_sums",
    "line_day_sums",
    "line_month_sums",
    "register_lines",
    "transfer_pairs",
    "proof_breaks",
)
UNREPAIRED = "repaired_at = NULL, repaired_by = NULL, repair_action_request_id = NULL, repair = NULL"


@pytest.fixture
def settled_books(bank, ada, ben, books):
    """A proof that broke and healed, one that is broken, and one that was reopened while it was."""
    desk = Desk(ben, bank)
    lines = bank.send_many(
        [("2026-10-02", "100.00", "In"), ("2026-10-03", "-40.00", "Out"), ("2026-10-31", "5.00", "Interest")]
    )
    desk.confirm(*lines)
    desk.prove("2026-10-30", "60.00")
    desk.prove("2026-10-31", "65.00")
    desk.void(desk.line(lines[2])["journalEntryId"])
    desk.reopen()
    desk.abandon()
    desk.void(desk.line(lines[0])["journalEntryId"])
    desk.confirm(lines[0])
    bank.open("Card")
    line = bank.send("2026-10-05", "-3.00", "Coffee")
    desk.confirm(line)
    desk.prove("2026-10-30", "-3.00")
    desk.void(desk.line(line)["journalEntryId"])
    keep_items(ada, books.account_id("Trade receivables"))
    for amount in ("70.00", "-70.00"):
        owe(ben, books, amount)
    settle(ben, *items(ben))
    join(ben, line, bank.at(bank.open("Cash")).send("2026-10-06", "3.00", "Coffee"))


@pytest.fixture
def rows(bank):
    def read():
        return bank.ask(
            lambda: {
                name: sorted(map(repr, db.session.execute(sa.text(f"SELECT * FROM {name}"))))  # noqa: S608  (our own names)
                for name in TABLES
            }
        )

    return read


def compute(bank):
    bank.ask(lambda: derived_rows.compute_again(db.session(), NOW))
    assert bank.ask(lambda: [each.as_json() for each in checks.violations()]) == []


def test_nothing_is_written_where_nothing_differs(settled_books, bank, rows):
    before = rows()
    assert len(before["proof_breaks"]) == 3
    compute(bank)
    assert rows() == before


def test_what_differs_is_written_anew(settled_books, bank, rows):
    before = rows()

    def damage():
        for statement in (
            "UPDATE day_sums SET amount_minor = amount_minor + 1",
            "DELETE FROM month_sums",
            "UPDATE line_month_sums SET unreconciled_count = 7, unconfirmed_count = 8",
            "DELETE FROM register_lines",
            "DELETE FROM proof_breaks WHERE repair IS NULL",
            f"UPDATE proof_breaks SET {UNREPAIRED}",  # noqa: S608  (our own words)
            "UPDATE items SET settled_minor = 0, settled_base_minor = 0",
            "UPDATE transfer_pairs SET is_settled = NOT is_settled",
        ):
            db.session.execute(sa.text(statement))

    bank.ask(damage)
    found = bank.ask(
        lambda: {
            each.code
            for check in (*sums.CHECKS, *proofs.CHECKS, *transfers.CHECKS, checked_items.settled_of_items)
            for each in check()
        }
    )
    assert found == derived_rows.CODES
    compute(bank)
    after = rows()
    assert [after[name] for name in TABLES[:-1]] == [before[name] for name in TABLES[:-1]]
    assert len(after["proof_breaks"]) == 3
