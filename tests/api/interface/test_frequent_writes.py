"""What programs write again and again: how much each write asks of the database."""

from __future__ import annotations

import pytest

from tests.fixtures.feeds import line
from webapp.database.sessions import db
from webapp.database.tenancy import has_nodes

# Who asks; the line, its entry, legs, accounts, bank and books; the proofs that are touched, entries by hand, open
# items, payments, refused accounts and the opening; what the key posted today with its caps, the entry, its documents
# and its pair; the act, the end of the chain and the event. Two accounts more where it is uncategorised.
CONFIRM = 22
# Who asks, the account with its books, the proofs that are touched, the push before; the events under the line's id,
# the lines that it may be, and what the account has besides; the rules, two staging tables, what new lines need, their
# numbers, entry, line and legs; the last event, the account, the body, the push; the act, the end of the chain, the
# event.
PUSH = 28


@pytest.fixture
def extra(bank):
    """What is asked besides: on nodes the books are locked by a statement of its own."""
    return bank.ask(lambda: int(has_nodes(db.session())))


@pytest.fixture
def push(extra, database_kind):
    """Count what a push asks: on SQLite the two last numbers, and the table of the words by which lines are found."""
    return PUSH + extra + 2 * (database_kind == "sqlite")


def test_confirming_a_line_asks_little(ada, bank, statements, extra):
    lines = bank.send_many([(f"2026-03-0{day}", f"-{day}.50", f"Shop {day}") for day in range(1, 4)])
    ada.post(f"/api/transactions/{lines[0]}/confirm")
    for line_id in lines[1:]:
        with statements() as seen:
            assert ada.post(f"/api/transactions/{line_id}/confirm").json["changed"]
        assert len(seen) <= CONFIRM + extra, "\n".join(seen)


def test_pushing_a_line_asks_little(ada, feed, statements, push):
    feed.push(added=[line()])
    for number in range(2, 4):
        with statements() as seen:
            assert feed.verdicts(added=[line(f"A{number}", f"-{number}.00")]) == ["NEW"]
        assert len(seen) <= push, "\n".join(seen)


def test_a_few_more_lines_ask_nothing_more(feed, at_most, push):
    feed.push(added=[line()])
    with at_most(push):
        feed.push(added=[line(f"A{number}", f"-{number}.00") for number in range(2, 12)])


def test_a_line_that_a_rule_books_asks_little_more(ada, bank, feed, statements, extra, push):
    """The accounts, the merged merchants, the uncategorised ones, the run, its rules' counts, the choice, settings."""
    effects = [{"kind": "SET_ACCOUNT", "accountId": bank.account("Food")}]
    rule = {"name": "Coffee", "conditions": {"conditions": [{"value": "coffee"}]}, "effects": effects}
    assert ada.post("/api/automations/rules", json=rule).status_code == 201
    feed.push(added=[line()])
    with statements() as seen:
        assert feed.verdicts(added=[line("A2", "-2.00")]) == ["NEW"]
    assert len(seen) <= push + 11 - (extra > 0), "\n".join(seen)
