"""What programs ask again and again: how much each read and each write asks of the database."""

from __future__ import annotations

import tracemalloc

import pytest

from tests.fixtures.feeds import line
from webapp.database.sessions import db
from webapp.database.tenancy import has_nodes

# What each read may ask at most, with who asks.
MOST = {
    "/api/journal-entries/{entry}": 5,
    "/api/reconciliations/accounts": 6,
    "/api/reconciliations/accounts?providerBalanceAsOf=2026-03-04": 7,
    "/api/accounts/{account}/postings?limit=5": 4,
    "/api/reports/trial-balance?from=2026-03-01&to=2026-03-17": 6,
    "/api/reports/balance-sheet?to=2026-03-17": 10,
    "/api/reports/profit-and-loss?from=2026-03-01&to=2026-03-17&months=true": 6,
    "/api/transactions?faId={fa}&to=2026-03-04": 6,
}
# Lines with an open correction are read in a session.
WITH_CORRECTIONS = "/api/transactions?faId={fa}"
# A hundredth of what an answer of the ORM took.
MOST_BYTES = 400_000
# Who asks; the line, its entry, legs, accounts, bank and books; the proofs that are touched, entries by hand, open
# items, payments, refused accounts and the opening; what the key posted today with its caps, the entry, its documents
# and its pair; the act, the end of the chain, the entry and its legs as bound, that, and the event. Two accounts
# more where it is uncategorised.
CONFIRM = 25
# Who asks, the account with its books, the proofs that are touched, the push before; the events under the line's id,
# the lines that it may be, and what the account has besides; the rules, three staging tables, what new lines need,
# their numbers, entry, line and legs; the last event, the revalued account, the body, the push; the act, the end of
# the chain, the line as the event binds it, that, and the event.
PUSH = 33


@pytest.fixture
def paths(ada, bank, books):
    """Books with lines of each kind: confirmed, with another account, corrected, split, drafts, and a statement."""
    lines = bank.send_many([(f"2026-03-{day:02}", f"-{day}.50", f"Shop {day}") for day in range(1, 21)])
    travel = books.account_id("Travel")
    for each in lines[:8]:
        ada.post(f"/api/transactions/{each}/confirm")
    for each in lines[4:8]:
        assert ada.patch(f"/api/transactions/{each}", json={"accountId": travel}).status_code == 200
    ada.post(f"/api/transactions/{lines[4]}/confirm")
    fa_id = ada.get(f"/api/transactions/{lines[0]}").json["transaction"]["faId"]
    statement = {"statementDate": "2026-03-04", "statementBalance": "-12.00", "keepAsNew": True}
    opening = {"openingDate": "2026-02-28", "openingBalance": "0.00"}
    ada.put(f"/api/reconciliations/accounts/{fa_id}/draft", json=statement | opening)
    entry = ada.get(f"/api/transactions/{lines[0]}").json["transaction"]["journalEntryId"]
    words = {"entry": entry, "fa": fa_id, "account": bank.ledger_account()}
    return {path: path.format(**words) for path in (*MOST, WITH_CORRECTIONS)}


@pytest.mark.parametrize("path", MOST)
def test_a_frequent_read_asks_little(ada, paths, path, statements):
    ada.get(paths[path])
    with statements() as seen:
        assert ada.get(paths[path]).status_code == 200
    # An open statement has sums of its own, of lines and of entries.
    drafts = sum("reconciliation_items" in each and "GROUP BY" in each for each in seen)
    assert len(seen) - drafts <= MOST[path], "\n".join(seen)


@pytest.mark.parametrize("path", MOST)
def test_a_frequent_read_takes_little_memory(ada, paths, path):
    ada.get(paths[path])
    tracemalloc.start()
    try:
        ada.get(paths[path])
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("path", [*MOST, WITH_CORRECTIONS])
def test_a_program_reads_what_a_person_reads(ada, paths, path):
    by_token, by_session = ada.get(paths[path]), ada.browser().get(paths[path])
    assert by_token.data == by_session.data


def test_every_entry_is_read_alone_as_it_is_listed(ada, paths):
    listed = ada.get("/api/journal-entries?limit=200").json["entries"]
    assert len(listed) > 20
    for entry in listed:
        number, _, _ = (entry.pop(name) for name in ("number", "bookedOn", "isAdjusting"))
        alone = ada.get(f"/api/journal-entries/{entry['id']}").json
        assert alone["entry"] == entry
        assert alone.get("number") == number


def test_an_unknown_id_is_refused_without_a_session(ada, books):
    assert ada.get("/api/journal-entries/987654321").status_code == 404
    refused = ada.get("/api/transactions?faId=987654321")
    assert refused.status_code == 422
    assert refused.json["fields"] == {"faId": ["There is nothing under this id."]}


def test_a_manual_draft_is_read_with_its_version(ada, books):
    legs = [
        {"accountId": books.account_id(name), "amount": f"{sign}5.00"}
        for name, sign in (("Travel", ""), ("Rent", "-"))
    ]
    body = {"effectiveAt": "2026-03-01", "postings": legs}
    made = ada.post("/api/journal-entries", json=body).json
    assert ada.get(f"/api/journal-entries/{made['entry']['id']}").json["version"] == made["version"]


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
    """The accounts, the merged merchants, the uncategorised ones, the run, its counts, settings; what the line pays."""
    effects = [{"kind": "SET_ACCOUNT", "accountId": bank.account("Food")}]
    rule = {"name": "Coffee", "conditions": {"conditions": [{"value": "coffee"}]}, "effects": effects}
    assert ada.post("/api/automations/rules", json=rule).status_code == 201
    feed.push(added=[line()])
    with statements() as seen:
        assert feed.verdicts(added=[line("A2", "-2.00")]) == ["NEW"]
    assert len(seen) <= push + 11 - (extra > 0), "\n".join(seen)
