"""The database keeps the sums by itself: its triggers are there, whoever writes, and read no more than is written."""

import re

import pytest
import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import DaySum, JournalEntry
from webapp.queries import checks
from webapp.queries.accounts import unconfirmed_lines

POSTING = {"sums_of_posting", "proofs_of_entry"}
LINES = {f"{kind}_of_line_{event}" for kind in ("sums", "proofs") for event in ("insert", "update", "delete")}
PROOFS = {"sqlite": {"sums_of_completed", "sums_of_reopened"}, "postgresql": {"sums_of_proof"}}
BODIES = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
NAMES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
}


def test_no_migration_has_lost_a_trigger(bank, database_kind):
    there = bank.ask(lambda: set(db.session.scalars(sa.text(NAMES[database_kind]))))
    assert there >= POSTING | LINES | PROOFS[database_kind]


def asked_by_triggers(bank):
    """List what the triggers of postings and lines do, each statement with a value in place of each of the row's."""
    bodies = bank.ask(lambda: db.session.execute(sa.text(BODIES)).all())
    assert {body.name for body in bodies} >= POSTING | LINES
    for body in bodies:
        if body.name in POSTING | LINES:
            statements = re.search(r"\bBEGIN\b(.*)\bEND\b", body.sql, re.DOTALL)[1].split(";")
            yield from (re.sub(r"\b(NEW|OLD)\.\w+", "1", each) for each in statements if each.strip())


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_trigger_finds_what_it_needs_by_an_index(bank):
    """SQLite plans without statistics: one wrong index would read a whole history at each posting."""
    statements = list(asked_by_triggers(bank))
    assert len(statements) == 3 + 2 * 3 + 1 + 3
    for statement in statements:
        steps = bank.ask(
            lambda asked=statement: [
                row[3] for row in db.session.execute(sa.text(f"EXPLAIN QUERY PLAN {asked}"))
            ]
        )
        searches = [step for step in steps if step.startswith("SEARCH")]
        assert all("(journal_entry_id=?" in step for step in searches if step.startswith("SEARCH p ")), steps
        assert not any("(organization_id=?)" in step for step in searches), steps
        assert {step for step in steps if step.startswith("SCAN")} <= {
            "SCAN CONSTANT ROW",
            "SCAN e",
            "SCAN l",
            "SCAN touched",
        }


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("way", [unconfirmed_lines.by_drafts, unconfirmed_lines.by_posted])
def test_what_is_unconfirmed_is_counted_from_entries_and_not_line_by_line(ada, bank, statements, way):
    """An only account's lines, each held against all drafts, kept the hub of 100,000 new lines busy for minutes."""
    bank.send("2026-10-02", "-5.00")
    with statements() as sent:
        assert bank.ask(lambda: way(ada.organization_id, [1])) == {1: 1}
    (counting,) = [each for each in sent if "count(*)" in each]
    plan = bank.ask(
        lambda: (
            db.session.connection()
            .exec_driver_sql(f"EXPLAIN QUERY PLAN {counting}", (0,) * counting.count("?"))
            .all()
        )
    )
    steps = [row[-1] for row in plan if row[-1].startswith(("SEARCH", "SCAN"))]
    of_lines = [step for step in steps if "transactions" in step and "ix_transactions_status" not in step]
    assert all("ix_transactions_entry (journal_entry_id=?)" in step for step in of_lines)
    entries = [step for step in steps if "journal_entries" in step]
    assert len(of_lines) == len(entries) > 0
    assert all("(organization_id=?" in step for step in entries)


def test_whoever_posts_past_the_services_is_summed_too(ben, bank):
    line = bank.send("2026-03-02", "-12.50", "Coffee")
    entry = ben.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    account = bank.ledger_account()
    kept = sa.select(DaySum.amount_minor).where(DaySum.account_id == account)
    post = sa.update(JournalEntry).where(JournalEntry.id == entry).values(status="POSTED")
    bank.ask(lambda: db.session.execute(post) and None)
    assert bank.ask(lambda: db.session.scalars(kept).all()) == [-1250]
    assert not {
        code for code in bank.ask(lambda: {each.code for each in checks.violations()}) if "sum" in code
    }


def test_a_sum_that_64_bits_cannot_hold_is_refused(ben, bank):
    huge = "92233720368547758.07"
    accounts = [bank.account("Much", "ASSET"), bank.account("More", "ASSET")]
    legs = [{"accountId": accounts[0], "amount": huge, "currency": "EUR"}]
    legs.append({"accountId": accounts[1], "amount": f"-{huge}", "currency": "EUR"})
    body = {"effectiveAt": "2026-03-02", "description": "Much", "postings": legs, "post": True}
    assert ben.post("/api/journal-entries", json=body).status_code == 201
    again = ben.post("/api/journal-entries", json=body)
    assert again.status_code in (409, 422)
    assert bank.ask(lambda: [each.code for each in checks.violations()]) == []
