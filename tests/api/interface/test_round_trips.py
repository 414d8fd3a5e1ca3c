"""How often a call asks PostgreSQL: each message is a round trip, but the END of a read, which nobody waits for."""

from __future__ import annotations

import time

import pytest

from tests.fixtures.helpers.marks import on_postgresql

pytestmark = on_postgresql

PATIENCE_SECONDS = 60
HUB = "/api/reconciliations/accounts"
# What a read asks that was answered before: what its snapshot would be called.
KEPT = 1
# What it asks that is not kept: the same, then itself with what begins its transaction, and the end.
ENTRY = 3


@pytest.fixture
def least(messages, ada):
    """The messages of a call that is made again: what other tests write beside it is another version of everything."""

    def asked(path, most):
        deadline, seen = time.monotonic() + PATIENCE_SECONDS, [""]
        while not (seen[0].startswith("EXECUTE") and len(seen) <= most) and time.monotonic() < deadline:
            with messages() as seen:
                assert ada.get(path).status_code == 200
        return seen

    return asked


@pytest.fixture
def entry(ada, bank):
    """The id of an entry."""
    (line,) = bank.send_many([("2026-03-01", "-1.50", "Shop")])
    ada.post(f"/api/transactions/{line}/confirm")
    return ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]


def test_what_is_kept_is_answered_after_one_question(least, entry):
    assert len(least(HUB, KEPT)) == KEPT


def test_a_list_that_was_answered_before_looks_at_none_of_its_arguments(least, ada, bank):
    (line,) = bank.send_many([("2026-03-01", "-1.50", "Shop")])
    fa_id = ada.get(f"/api/transactions/{line}").json["transaction"]["faId"]
    assert len(least(f"/api/transactions?faId={fa_id}&from=2026-03-01&limit=20", KEPT)) == KEPT


def test_an_entry_is_asked_for_as_its_transaction_begins(least, entry):
    _, asked, end = least(f"/api/journal-entries/{entry}", ENTRY)
    assert asked.startswith("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL ROLE")
    assert end == "END"


def test_after_a_write_all_is_read_as_one_transaction(messages, ada, bank, entry):
    ada.get(HUB)
    bank.send("2026-03-02", "-2.50", "Another")
    with messages() as seen:
        ada.get(HUB)
    begun = [number for number, text in enumerate(seen) if text.startswith("BEGIN")]
    assert begun in ([0], [1])
    assert seen[-1] == "END"


def test_an_act_asks_who_acts_at_once_and_locks_the_books_as_it_begins(messages, ada):
    ada.post("/api/projects", json={"name": "North"})
    with messages() as seen:
        assert ada.post("/api/projects", json={"name": "South"}).status_code == 201
    who, begun, *others = seen
    assert who.startswith("SET LOCAL ROLE")
    assert begun.startswith("BEGIN; SET LOCAL ROLE")
    assert begun.endswith("FOR NO KEY UPDATE")
    assert others[-1] == "COMMIT"
    assert not [
        text for text in others if text == "END" or text.startswith(("BEGIN", "ROLLBACK")) or "FOR NO" in text
    ]


def test_confirming_a_line_takes_no_more_messages_than_statements(messages, statements, ada, bank):
    lines = bank.send_many([(f"2026-03-0{day}", f"-{day}.50", f"Shop {day}") for day in range(1, 4)])
    ada.post(f"/api/transactions/{lines[0]}/confirm")
    with messages() as sent, statements() as asked:
        assert ada.post(f"/api/transactions/{lines[1]}/confirm").json["changed"]
    # BEGIN and COMMIT.
    assert len(sent) <= len(asked) + 2, "\n".join(sent)
