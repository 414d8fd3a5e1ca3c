"""How often a call asks PostgreSQL: each message is a round trip."""

from __future__ import annotations

import pytest

from tests.fixtures.helpers.marks import on_postgresql
from webapp.database import pooling

pytestmark = on_postgresql

SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL ROLE"
HUB = "/api/reconciliations/accounts"


@pytest.fixture
def entry(ada, bank):
    """The id of an entry."""
    (line,) = bank.send_many([("2026-03-01", "-1.50", "Shop")])
    ada.post(f"/api/transactions/{line}/confirm")
    return ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]


@pytest.mark.parametrize("path", [HUB, "/api/journal-entries/{entry}"])
def test_a_read_is_one_transaction_in_which_its_caller_is_found(messages, statements, ada, entry, path):
    address = path.format(entry=entry)
    # To prepare a statement is a message too.
    for _ in range(pooling.PREPARED_AFTER + 2):
        ada.get(address)
    with messages() as sent, statements() as asked:
        assert ada.get(address).status_code == 200
    # Two statements of the hub are joined by keys (webapp/database/exceptions.md).
    begun, *others, end = [text for text in sent if not text.startswith("SET LOCAL enable_")]
    assert begun.startswith(SNAPSHOT)
    assert len(others) == len(asked)
    assert not [text for text in others if text.startswith("BEGIN")]
    assert end == "COMMIT"


def test_an_act_locks_the_books_as_it_begins(messages, ada):
    # To prepare a statement is a message too.
    for number in range(pooling.PREPARED_AFTER + 2):
        ada.post("/api/projects", json={"name": f"North {number}"})
    with messages() as sent:
        assert ada.post("/api/projects", json={"name": "South"}).status_code == 201
    who, _, end, begun, *others = sent
    assert who.startswith(SNAPSHOT)
    assert end == "COMMIT"
    assert begun.startswith("BEGIN; SET LOCAL ROLE")
    assert begun.split("; ")[-1].endswith("FOR NO KEY UPDATE")
    assert others[-1] == "COMMIT"
    assert not [text for text in others if text.startswith(("BEGIN", "ROLLBACK")) or "FOR NO" in text]


def test_confirming_a_line_takes_no_more_messages_than_statements(messages, statements, ada, bank):
    count = pooling.PREPARED_AFTER + 3
    lines = bank.send_many([(f"2026-03-{day:02}", f"-{day}.50", f"Shop {day}") for day in range(1, count)])
    # To prepare a statement is a message too.
    for line in lines[1:]:
        ada.post(f"/api/transactions/{line}/confirm")
    with messages() as sent, statements() as asked:
        assert ada.post(f"/api/transactions/{lines[0]}/confirm").json["changed"]
    # BEGIN and COMMIT, of the act and of finding out who acts.
    assert len(sent) <= len(asked) + 4, "\n".join(sent)
