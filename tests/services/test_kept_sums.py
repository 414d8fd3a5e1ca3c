"""The database keeps the sums by itself: its triggers are there, whoever writes, and read no more than is written."""

import re

import pytest
import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import DaySum, JournalEntry
from webapp.queries import checks

POSTING = {"sums_of_posting", "proofs_of_entry", "unconfirmed_of_posting"}
MARKERS = {"unconfirmed_of_marker_insert", "unconfirmed_of_marker_delete"}
LINES = {
    f"{kind}_of_line_{event}"
    for kind in ("sums", "proofs", "unconfirmed")
    for event in ("insert", "update", "delete")
}
PROOFS = {"sqlite": {"sums_of_completed", "sums_of_reopened"}, "postgresql": {"sums_of_proof"}}
BODIES = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
NAMES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
}


def test_no_migration_has_lost_a_trigger(bank, database_kind):
    there = bank.ask(lambda: set(db.session.scalars(sa.text(NAMES[database_kind]))))
    assert there >= POSTING | MARKERS | LINES | PROOFS[database_kind]


def asked_by_triggers(bank):
    """List what the triggers of postings and lines do, each statement with a value in place of each of the row's."""
    bodies = bank.ask(lambda: db.session.execute(sa.text(BODIES)).all())
    assert {body.name for body in bodies} >= POSTING | MARKERS | LINES
    for body in bodies:
        if body.name in POSTING | MARKERS | LINES:
            statements = re.search(r"\bBEGIN\b(.*)\bEND\b", body.sql, re.DOTALL)[1].split(";")
            yield from (re.sub(r"\b(NEW|OLD)\.\w+", "1", each) for each in statements if each.strip())


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_trigger_finds_what_it_needs_by_an_index(bank):
    """One wrong index would read a whole history at each posting."""
    statements = list(asked_by_triggers(bank))
    assert len(statements) == 3 + 2 * 3 + 1 + 3 + 1 + 2 + 3
    for statement in statements:
        steps = bank.ask(
            lambda asked=statement: [
                row[3] for row in db.session.execute(sa.text(f"EXPLAIN QUERY PLAN {asked}"))
            ]
        )
        searches = [step for step in steps if step.startswith("SEARCH")]
        assert all("journal_entry_id=?" in step for step in searches if step.startswith("SEARCH p ")), steps
        assert not any("(organization_id=?)" in step for step in searches), steps
        assert {step for step in steps if step.startswith("SCAN")} <= {
            "SCAN CONSTANT ROW",
            "SCAN e",
            "SCAN l",
            "SCAN touched",
        }


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
