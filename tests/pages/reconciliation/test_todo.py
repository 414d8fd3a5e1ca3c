"""The list of what is to do: a row that leads to each thing that waits, and one count for the list and the bar."""

import re

import pytest

from tests.pages.imports.test_inbox import send as drop
from tests.pages.test_transfers import text
from webapp.pages.reconciliation import todo

BAR = {"HX-Request": "true", "HX-Target": "b#todo-count-bar"}


@pytest.fixture
def waiting(ada, ben, bank, desk):
    """A broken proof, a proposal, a file, lines of an account, an open transfer; one line was posted uncategorised."""
    main = bank.open("Main account")
    lines = bank.send_many([("2026-09-02", "1200.00", "Invoice 17"), ("2026-09-14", "-49.00", "Figma")])
    desk.confirm(*lines)
    proof = desk.prove("2026-09-30", "1151.00")["id"]
    desk.void(desk.line(lines[1])["journalEntryId"])
    moved = bank.send("2026-10-01", "-70.00", "To savings")
    ben.patch(f"/api/transactions/{moved}", json={"accountId": bank.role("transfers")})
    desk.confirm(moved)
    shop = bank.send("2026-10-02", "-45.20", "REWE")
    ben.with_scopes("read", "propose").post(f"/api/transactions/{shop}/confirm", json={})
    drop(ben.browser(), page__html=b"<html><p>no document</p></html>")
    proposal = ada.get("/api/action-requests?status=PENDING").json["actionRequests"][0]["id"]
    file = ada.get("/api/inbox").json["files"][0]["id"]
    return {
        "Broken proofs": rf"/feeds/{main}\?show=unconfirmed&line={lines[1]}&edit=confirm",
        "Proposals": rf"/proposals\?id={proposal}",
        "Files with a question": rf"/inbox#file-{file}",
        "Bank lines": rf"/feeds/{main}\?show=unconfirmed",
        "Open items": rf"/transfers\?accountId={bank.role('transfers')}",
        "proof": rf"/reconciliations/proofs/{proof}",
    }


def test_each_kind_has_a_row_that_leads_to_it_and_the_bar_counts_the_rows(ben, cleo, waiting):
    shown = text(ben.browser().get("/todo"))
    for heading, address in waiting.items():
        assert heading in shown
        assert re.search(f'href="{address}"', shown), address
    for words in (
        "2 lines to confirm, 2 uncategorised",
        "1 open item",
        "70.00",
        "49.00",
        "REWE",
        "page.html",
    ):
        assert words in shown, words
    assert shown.count('class="button small"') == 6
    assert "6 things to do" in shown
    for page in (shown, text(ben.browser().get("/")), text(ben.browser().get("/todo/count", headers=BAR))):
        assert 'aria-label="6 to do">6</b>' in page
    # A page that does not know the count asks for it once.
    assert text(ben.browser().get("/journal")).count('hx-get="/todo/count"') == 1
    assert ">See<" in text(cleo.browser().get("/todo"))


def test_nothing_to_do_is_said_and_has_no_count(ben, bank):
    assert "Nothing to do" in text(ben.browser().get("/todo"))
    assert "hidden" in text(ben.browser().get("/todo/count", headers=BAR))


def test_more_of_a_kind_than_are_listed_lead_to_all(ben, bank, monkeypatch):
    monkeypatch.setattr(todo, "MOST_SHOWN", 1)
    drop(ben.browser(), one__html=b"<html><p>1</p></html>", two__html=b"<html><p>2</p></html>")
    shown = text(ben.browser().get("/todo"))
    assert shown.count('<small class="owner-facts">') == 1
    assert "All files with a question" in shown
    assert "2 things to do" in shown
