"""What stands behind the tabs of a workspace, and beside an open draft while somebody works on it."""

import pytest

from tests.fixtures.feeds import line
from webapp.database.sessions import db
from webapp.models import Transaction
from webapp.queries.accounts import feed_accounts
from webapp.queries.reconciliation import hub, panels
from webapp.queries.transactions import tab_counts
from webapp.queries.transactions.line_filters import WorkspaceFilters, open_draft


@pytest.fixture
def counts(ben, bank):
    """Count both ways; answers what both agree on."""

    def of_account():
        draft = open_draft(ben.organization_id, bank.fa_id)
        kept = tab_counts.kept(ben.organization_id, hub.account(ben.organization_id, bank.fa_id), draft)
        assert kept == tab_counts.counted(ben.organization_id, bank.fa_id, WorkspaceFilters(), draft)
        return kept

    return lambda: bank.ask(of_account)


def test_both_ways_agree_after_every_act(counts, bank, feed, desk):
    added = [line(f"B{day}", "-10.00", f"2026-10-{day:02}", description=f"Line {day}") for day in range(1, 7)]
    feed.push(added=[*added, line("P1", pending=True), line("P2", pending=True)])
    lines = {each["providerTransactionId"]: each["id"] for each in feed.lines()}
    assert counts() == {"statement": 8, "open": 8, "unconfirmed": 6, "pending": 2, "all": 8}
    desk.put("2026-10-04", "-40.00")
    assert (counts()["statement"], counts()["open"]) == (4, 4)
    desk.confirm(*(lines[f"B{day}"] for day in range(1, 6)))
    desk.clear(cleared=[lines["B1"], lines["B2"]])
    assert counts() == {"statement": 4, "open": 2, "unconfirmed": 1, "pending": 2, "all": 8}
    feed.push(removed=["B5", "B6", "P1"])
    assert counts() == {"statement": 4, "open": 2, "unconfirmed": 0, "pending": 1, "all": 6}
    desk.clear(auto=True)
    assert desk.complete().status_code == 200
    desk.put("2026-10-31", "-40.00")
    assert (counts()["statement"], counts()["open"]) == (0, 0)
    desk.person.patch(
        f"/api/transactions/{lines['B3']}", json={"accountId": desk.line(lines["B4"])["accountId"]}
    )
    feed.push(modified=[line("B2", "-10.00", "2026-10-05", description="Line 2")])
    counts()


def test_lines_that_an_opening_set_aside_are_of_no_statement(counts, ben, bank, desk):
    lines = bank.send_many([("2026-09-20", "-5.00", "Before"), ("2026-10-02", "100.00", "In")])
    desk.put("2026-10-31", "1100.00", keepAsNew=True, openingBalance="1000.00", openingDate="2026-09-30")
    desk.confirm(lines[1])
    desk.clear(auto=True)
    assert desk.complete().status_code == 200
    key = ben.organization_id, lines[0]
    assert bank.ask(lambda: db.session.get(Transaction, key).status) == "SET_ASIDE"
    assert counts() == {"statement": 2, "open": 2, "unconfirmed": 0, "pending": 0, "all": 2}


@pytest.fixture
def panel(ben, bank):
    def of_account():
        found = panels.panel(feed_accounts.get(ben.organization_id, bank.fa_id))
        return found and {name: getattr(found, name) for name in panels.Panel.__dataclass_fields__}

    return lambda: bank.ask(of_account)


def test_without_a_draft_there_is_none(bank, panel):
    bank.open()
    assert panel() is None


def test_it_counts_what_is_cleared_and_says_what_is_missing(bank, books, desk, panel):
    lines = bank.send_many(
        [
            ("2026-09-20", "-5.00", "Before"),
            ("2026-10-02", "100.00", "In"),
            ("2026-10-03", "-40.00", "Out"),
            ("2026-10-04", "-7.00", "Also out"),
            ("2026-11-02", "-1.00", "After"),
        ]
    )
    (entry,) = books.post(
        """
        2026-10-20 Cash paid in
            Main account    2.00 EUR
            Petty cash     -2.00 EUR
        """
    )
    desk.confirm(lines[1])
    desk.put("2026-10-31", "1053.00", keepAsNew=True, openingBalance="1000.00", openingDate="2026-09-30")
    desk.clear(cleared=lines[1:3])
    found = panel()
    (other,) = found.pop("other_items")
    assert (other.journal_entry_id, str(other.amount), other.cleared) == (entry, "2.00", False)
    suggestion = found.pop("suggestion")
    assert [line.id for line in suggestion.lines] == [lines[3]]
    assert str(suggestion.sum) == "-7.00"
    assert {key: str(value) for key, value in found.items()} == {
        "opening_on": "2026-09-30",
        "in_count": "1",
        "in_sum": "100.00",
        "out_count": "1",
        "out_sum": "-40.00",
        "item_count": "4",
        "cleared_count": "2",
        "unconfirmed_count": "1",
        "set_aside_count": "1",
        "books_differ": "0.00",
        "is_ready": "False",
        "warnings": "[]",
        "stated_opening": "None",
    }
    desk.confirm(*lines[2:4])
    desk.clear(cleared=[lines[3]])
    assert panel()["is_ready"] is True
