"""What stands behind the tabs of a workspace is the same by what is kept of lines as by going through them."""

import pytest

from tests.fixtures.feeds import line
from webapp.database.sessions import db
from webapp.models import Transaction
from webapp.queries.reconciliation import hub
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
