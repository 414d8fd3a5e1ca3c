"""What the page of approvals shows of effects that no entry, or not the entry's legs alone, would tell."""

import re
from io import BytesIO

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.marks import on_sqlite

pytestmark = on_sqlite
NOTHING = "\N{EN DASH}"
MOVED = re.compile(r"Entry \d+ , (\d+ \w+)")


@pytest.fixture
def shown(ada):
    def read(answer):
        assert answer.status_code == 202, answer.json
        page = ada.browser().get(f"/proposals?id={answer.json['actionRequest']['id']}").text
        article = page.split('<article class="approval"')[1].split("</article>")[0]
        return " ".join(re.sub(r"<[^>]*>", " ", article).replace(NOTHING, "nothing").split())

    return read


def test_a_lock_date_shows_which_drafts_move_and_to_which_day(agent, bank, shown):
    bank.send_many([("2026-03-10", "-42.80", "Train"), ("2026-04-02", "-9.00", "Bus")])
    lock = {"lockDate": "2026-03-31", "moveDrafts": True}
    page = shown(agent.put("/api/lock-date", json=lock))
    assert "Close the books up to 31 Mar 2026, with 1 draft moved to 1 Apr 2026" in page
    assert MOVED.findall(page) == ["10 Mar", "1 Apr"]
    assert ("Train" in page, "Bus" in page) == (True, False)
    assert "What else it changes" in page
    assert "Lock date nothing 31 Mar 2026" in page


def test_an_import_that_is_taken_back_shows_the_drafts_that_go(ada, agent, shown):
    form = {"file": (BytesIO(bank_file(Line("2026-04-02", "-2.50", "Coffee", "F1"))), "april.ofx")}
    sent = ada.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    taken = sent.json["import"]["id"]
    page = shown(agent.delete(f"/api/feeds/imports/{taken}"))
    assert "Coffee" in page
    assert "Deleted." in page


def test_a_merchant_and_a_project_that_an_edit_sets_stand_on_the_leg(agent, bank, shown):
    line = bank.send("2026-03-10", "-42.80", "Train")
    said = {"orgMerchantId": bank.merchant("Deutsche Bahn"), "projectId": bank.project("Fair")}
    before, after = shown(agent.patch(f"/api/transactions/{line}", json=said)).split("After", 1)
    assert "Deutsche Bahn · Fair" in after
    assert "Deutsche Bahn" not in before.split("Now", 1)[1]


def test_a_rule_is_shown_in_words(agent, bank, shown):
    rule = {
        "name": "Trains",
        "conditions": {
            "match": "ANY",
            "conditions": [
                {"field": "DESCRIPTION", "operator": "STARTS_WITH", "value": "DB"},
                {"field": "PROJECT", "operator": "IN", "value": str(bank.project("Fair"))},
            ],
        },
        "effects": [{"kind": "SET_ACCOUNT", "accountId": bank.account("Travel"), "sortOrder": 3}],
    }
    page = shown(agent.post("/api/automations/rules", json=rule))
    assert "one of description starts with DB project in Fair" in page
    assert "set account · Travel" in page
    assert "sort" not in page


def test_a_document_that_is_detached_names_its_line_and_no_entry(ada, agent, bank, shown):
    line = {"transactionId": bank.send("2026-03-10", "-42.80", "Train")}
    bill = ada.post("/api/documents", json={"documentType": "BILL", "sender": "DB"}).json["document"]["id"]
    assert ada.post(f"/api/documents/{bill}/relations", json=line).status_code == 201
    page = shown(agent.delete(f"/api/documents/{bill}/relations", json=line))
    assert "Detach the bill DB from Train −42.80 EUR of 10 Mar" in page
    assert "Bank line Train −42.80 EUR of 10 Mar nothing" in page
    assert "Debit" not in page


def test_a_draft_that_a_rate_mirrors_shows_both_amounts(agent, bank, shown):
    bank.open("Dollars", "USD")
    bank.send("2026-03-10", "-11.00", "Hosting")
    rate = {"day": "2026-03-10", "currency": "USD", "unitsPerBase": "1.1", "source": "A test"}
    now, after = shown(agent.put("/api/exchange-rates", json={"rates": [rate]})).split("After", 1)
    assert "11.00 USD no rate" in now
    assert "11.00 USD 10.00 EUR" in after


def test_statements_show_their_figures(ada, agent, bank, desk, shown):
    line = bank.send("2026-03-10", "-42.80", "Train")
    desk.confirm(line)
    path = f"/api/reconciliations/accounts/{bank.fa_id}"
    ada.put(f"{path}/draft", json={"statementDate": "2026-03-31", "statementBalance": "-42.80"})
    cleared = shown(agent.put(f"{path}/draft/lines", json={"cleared": [line]}))
    assert "Clear Train −42.80 EUR of 10 Mar on the statement of Main account to 31 Mar 2026" in cleared
    ada.put(f"{path}/draft/lines", json={"auto": True})
    complete = shown(agent.post(f"{path}/complete", json={}))
    assert "Opening balance nothing 0.00" in complete
    assert "Cleared count nothing 1" in complete
    assert "igest" not in complete
    assert ada.post(f"{path}/complete", json={}).status_code == 200
    assert "31 Mar 2026 · -42.80 · EUR" in shown(agent.post(f"{path}/reopen", json={"reason": "Again"}))


def test_a_void_stands_beside_its_reversal_and_the_new_draft(ada, agent, bank):
    line = bank.send("2026-03-10", "-42.80", "Train")
    ada.post(f"/api/transactions/{line}/confirm", json={})
    entry = ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    answer = agent.post(f"/api/journal-entries/{entry}/void", json={"reason": "Twice"})
    page = ada.browser().get(f"/proposals?id={answer.json['actionRequest']['id']}").text
    assert [page.count(f"<b>{title}</b>") for title in ("Now", "After", "And")] == [1, 1, 2]
