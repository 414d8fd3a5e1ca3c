"""What is posted stays as it is, whatever is sent to the database itself (P2), and the audit trail only grows."""

import re

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from tests.tree import ROOT
from webapp.database.sessions import db
from webapp.ledger import chain
from webapp.models import AuditEvent

# The last one is said by nodes of a distributed PostgreSQL, before our triggers are asked.
REASONS = (
    "never change",
    "born as a draft",
    "two legs or more",
    "only grows",
    "To MERGE into a distributed table",
)
ENGINE_AND_NAME = re.compile(r"-- (both|sqlite|postgresql): (.+)\n")


def statements_for(kind):
    blocks = (ROOT / "tests/services/refused.sql").read_text().split("\n\n")[1:]
    read = [(*ENGINE_AND_NAME.match(block).groups(), ENGINE_AND_NAME.sub("", block)) for block in blocks]
    return {name: statement for engine, name, statement in read if engine in ("both", kind)}


@pytest.fixture
def entries(ada, bank, books):
    lines = bank.send_many([("2026-03-02", f"-{number}0.00", f"Line {number}") for number in range(1, 7)])
    ids = [ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"] for line in lines]
    for line in (lines[0], lines[3]):
        ada.post(f"/api/transactions/{line}/confirm")
    ada.post(f"/api/journal-entries/{ids[3]}/void", json={"reason": "A test"})
    ids_by_name = dict(zip(("posted", "draft", "lonely", "voided", "crooked", "leaning"), ids, strict=True))
    for change in (
        "DELETE FROM postings WHERE journal_entry_id = :lonely AND position = 1",
        "UPDATE postings SET amount_minor = 1 WHERE journal_entry_id = :crooked AND position = 1",
        "UPDATE postings SET amount_base_minor = 1 WHERE journal_entry_id = :leaning AND position = 1",
    ):
        assert not refused(bank, change, **ids_by_name)
    return ids_by_name


def refused(bank, statement, **entries):
    """Tell whether the database refuses a statement for one of our reasons, and not for a mistake in it."""
    named = {name: number for name, number in entries.items() if f":{name}" in statement}
    try:
        bank.ask(lambda: db.session.execute(sa.text(statement), named))
    except DBAPIError as error:
        if not any(reason in str(error.orig) for reason in REASONS):
            raise
        return True
    return False


def test_the_database_refuses_every_change(bank, books, entries, database_kind, figure):
    before = books.entries()
    statements = statements_for(database_kind)
    passed = [name for name, statement in statements.items() if not refused(bank, statement, **entries)]
    figure("P2", f"{len(statements) - len(passed)} of {len(statements)} statements refused")
    assert passed == []
    assert len(statements) >= 12
    assert books.entries() == before


@pytest.mark.parametrize(
    ("amount", "mirror"),
    [
        ("amount_minor + 1", "amount_base_minor"),
        ("amount_minor", "amount_base_minor + 1"),
        ("amount_minor", "NULL"),
    ],
)
def test_an_unbalanced_draft_is_not_posted(bank, entries, amount, mirror):
    change = f"UPDATE postings SET amount_minor = {amount}, amount_base_minor = {mirror}"  # noqa: S608  (our own)
    assert not refused(bank, f"{change} WHERE journal_entry_id = :draft AND position = 0", **entries)
    assert refused(bank, "UPDATE journal_entries SET status = 'POSTED' WHERE id = :draft", **entries)


def test_what_the_application_needs_is_let_through(bank, entries):
    """The refusals above would mean nothing if every statement was refused."""
    for change in (
        "UPDATE journal_entries SET description = 'x' WHERE id = :draft",
        "UPDATE journal_entries SET status = 'POSTED' WHERE id = :draft",
        "UPDATE journal_entries SET status = 'VOIDED', voided_by_id = :draft WHERE id = :posted",
    ):
        assert not refused(bank, change, **entries)


def test_every_act_has_one_link_of_the_chain(ada, bank, entries):
    def read():
        events = sa.select(AuditEvent).where(AuditEvent.organization_id == ada.organization_id)
        rows = db.session.scalars(events.order_by(AuditEvent.sequence))
        return [chain.Link(row.sequence, row.body, row.previous_hash, row.hash) for row in rows]

    links = bank.ask(read)
    acts = {act["id"] for act in ada.get("/api/action-requests?limit=200").json["actionRequests"]}
    assert [link.sequence for link in links] == list(range(1, len(links) + 1))
    assert len(links) == len(acts)
    assert chain.first_break(links) is None
