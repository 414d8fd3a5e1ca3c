"""One account for many lines: what is shown is what is done, and it is undone together."""

import re

import pytest

from tests.api.tax.conftest import Taxes
from webapp.services.transactions import bulk_edits, shared_edits

CHANGE = "/transactions/change"


@pytest.fixture
def trips(ada, bank):
    """Three lines of the account: two drafts, and one that is posted."""
    ids = bank.send_many([(f"2026-03-0{day}", "-10.00", f"Trip {day}") for day in (2, 3, 4)])
    assert ada.post(f"/api/transactions/{ids[0]}/confirm", json={}).status_code == 200
    return ids


def previewed(ada, bank, **form):
    answer = ada.browser().post(CHANGE, data={"faId": str(bank.fa_id), **form})
    return answer, answer.text.partition('id="asking"')[2].partition("</form>")[0]


def fields(question):
    names = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', question)
    return {name: [value for each, value in names if each == name] for name, _ in names}


def account_of(ada, line):
    return ada.get(f"/api/transactions/{line}").json["transaction"]["accountId"]


def test_a_change_is_previewed_done_as_shown_and_undone(ada, bank, books, trips):
    travel = books.account_id("Travel")
    before = [account_of(ada, line) for line in trips]
    answer, question = previewed(ada, bank, ids=[str(each) for each in trips], accountId=str(travel))
    assert answer.status_code == 409
    assert "Set <b>account Travel</b> on 3 lines?" in question
    assert "gets a correction" in question
    assert [account_of(ada, line) for line in trips] == before

    done = ada.browser().htmx("POST", CHANGE, target="lines", data=fields(question))
    assert "3 lines changed. 1 correction to confirm." in done.text
    assert [account_of(ada, line) for line in trips[1:]] == [travel, travel]
    assert ada.get(f"/api/transactions/{trips[0]}").json["transaction"]["correctionMarkerId"]

    acts = re.findall(r'name="actIds" value="(\w+)"', done.text)
    undo = {"faId": str(bank.fa_id), "actIds": acts}
    assert (
        "3 lines as before." in ada.browser().htmx("POST", f"{CHANGE}/undo", target="lines", data=undo).text
    )
    assert [account_of(ada, line) for line in trips] == before
    assert ada.get(f"/api/transactions/{trips[0]}").json["transaction"]["correctionMarkerId"] is None


def test_one_tax_code_is_given_to_many_lines_and_taken_back(ada, bank, books, trips):
    taxes, travel = Taxes(ada, bank, pack="generic-vat"), str(books.account_id("Travel"))
    ids = [str(each) for each in trips[1:]]
    form = {"ids": ids, "accountId": travel, "taxCodeId": str(taxes.codes["P20"])}
    question = previewed(ada, bank, **form)[1]
    assert "Set <b>account Travel, tax code P20</b> on 2 lines?" in question
    done = ada.browser().htmx("POST", CHANGE, target="lines", data=fields(question))
    legs = [("Travel", "8.33", "P20"), ("VAT receivable", "1.67", "P20")]
    assert [[leg[:3] for leg in taxes.of_line(line)[1:]] for line in trips[1:]] == [legs, legs]
    undo = {"faId": str(bank.fa_id), "actIds": re.findall(r'name="actIds" value="(\w+)"', done.text)}
    ada.browser().post(f"{CHANGE}/undo", data=undo)
    assert [leg[1:3] for leg in taxes.of_line(trips[1])[1:]] == [("10.00",)]


def test_lines_that_changed_since_they_were_shown_are_not_changed(ada, bank, books, trips):
    travel, rent = books.account_id("Travel"), books.account_id("Rent")
    _, question = previewed(ada, bank, ids=[str(each) for each in trips], accountId=str(travel))
    ada.patch(f"/api/transactions/{trips[2]}", json={"accountId": rent})
    answer = ada.browser().htmx("POST", CHANGE, target="lines", data=fields(question))
    assert answer.status_code == 409
    assert "have changed since they were shown, so nothing was changed" in answer.text
    assert account_of(ada, trips[2]) == rent
    assert account_of(ada, trips[1]) != travel


def test_all_lines_of_the_list_are_changed_and_those_of_other_lists_are_not(ada, bank, books, trips):
    other = bank.send("2026-03-05", "-5.00", "Coffee")
    headers = {"Referer": f"http://localhost/feeds/{bank.fa_id}?q=Trip&show=unconfirmed"}
    project = bank.project("Villa")
    page = ada.browser()
    form = {"faId": str(bank.fa_id), "every": "true", "projectId": str(project)}
    question = page.post(CHANGE, data=form, headers=headers).text.partition('id="asking"')[2]
    assert "Set <b>project Villa</b> on 2 lines?" in question
    page.htmx("POST", CHANGE, target="lines", data=fields(question.partition("</form>")[0]))
    found = {
        line: ada.get(f"/api/transactions/{line}").json["transaction"]["projectId"]
        for line in (*trips, other)
    }
    assert found == {trips[0]: None, trips[1]: project, trips[2]: project, other: None}


def test_a_side_of_a_transfer_is_skipped_and_the_reason_is_shown(ada, bank, books, trips):
    bank.open("Savings")
    other = bank.send("2026-03-03", "10.00", "From main")
    pair = ada.browser().post(f"/transfers/{trips[1]}/join", data={"transactionId": str(other)})
    assert pair.status_code == 303
    travel = str(books.account_id("Travel"))
    _, question = previewed(ada, bank.at(1), ids=[str(each) for each in trips], accountId=travel)
    assert "1 line skipped:</span> One side of a transfer has no other account" in question


def test_more_lines_than_fit_are_refused_with_the_number_that_does(ada, bank, trips, monkeypatch):
    monkeypatch.setattr(shared_edits, "MOST", 2)
    monkeypatch.setattr(bulk_edits, "MOST_AT_ONCE", 1)
    villa = str(bank.project("Villa"))
    answer, _ = previewed(ada, bank, ids=[str(each) for each in trips], projectId=villa)
    assert answer.status_code == 422
    assert "3 lines are more than the 2 that can be changed at once." in answer.text


def test_a_slip_in_a_form_is_no_act(ada, bank, books):
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")
    parts = [("-60.00", books.account_id("Travel")), ("-30.00", books.account_id("Rent"))]
    form = {}
    for at, (amount, account) in enumerate(parts):
        form |= {f"splits.{at}.amount": amount, f"splits.{at}.accountId": str(account)}
    assert ada.browser().post(f"/transactions/{line}", data=form).status_code == 422
    kinds = [each["kind"] for each in ada.get("/api/action-requests").json["actionRequests"]]
    assert "edit_transaction" not in kinds
