"""Many lines are changed, confirmed and ticked in parts: with progress, one way back, and each refused line by name."""

import re
from html import unescape

import pytest

from webapp.pages.transactions import line_parts
from webapp.services.transactions import bulk_edits, shared_edits

HEADERS = {"HX-Request": "true", "HX-Target": "lines", "HX-Current-URL": "http://localhost/feeds/1?show=all"}


@pytest.fixture(autouse=True)
def parts_of_two(monkeypatch):
    monkeypatch.setattr(line_parts, "PART", 2)
    monkeypatch.setattr(bulk_edits, "MOST_AT_ONCE", 2)


@pytest.fixture
def lines(bank):
    return bank.send_many([(f"2026-03-{day:02}", f"-{day}.00", f"Trip {day}") for day in range(2, 7)])


def toast(text):
    return text.partition('<div id="toast" class="toast" role="status">')[2].partition("</div>")[0]


def form_of(text):
    """The first form of the toast, and whether it goes on by itself."""
    form = toast(text).partition("<form")[2].partition("</form>")[0]
    values = {}
    for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form):
        values.setdefault(name, []).append(unescape(value))
    return re.search(r'hx-post="([^"]+)"', form)[1], values, 'hx-trigger="load' in form


def words(text):
    return " ".join(unescape(re.sub("<[^>]+>", " ", toast(text))).split())


def follow(browser, answer):
    """Send what goes on by itself; answers what each part said, and the last answer."""
    said = [words(answer.text)]
    while 'hx-trigger="load' in toast(answer.text):
        address, values, _ = form_of(answer.text)
        answer = browser.post(address, headers=HEADERS, data=values)
        assert answer.status_code == 200, answer.text
        said.append(words(answer.text))
    return said, answer


def statuses(ada, lines):
    return [ada.get(f"/api/transactions/{each}").json["transaction"]["entryStatus"] for each in lines]


def accounts(ada, lines):
    return [ada.get(f"/api/transactions/{each}").json["transaction"]["accountId"] for each in lines]


def asked(text):
    question = text.partition('id="asking"')[2].partition("</form>")[0]
    values = {}
    for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', question):
        values.setdefault(name, []).append(unescape(value))
    return values


def test_many_lines_are_changed_in_parts_and_given_back_together(ada, bank, books, lines):
    browser, travel = ada.browser(), books.account_id("Travel")
    before = accounts(ada, lines)
    form = {"faId": str(bank.fa_id), "ids": [str(each) for each in lines], "accountId": str(travel)}
    question = browser.post("/transactions/change", headers=HEADERS, data=form)
    assert question.status_code == 409
    assert "Set <b>account Travel</b> on 5 lines?" in question.text
    # One is changed by somebody else between the question and its part.
    rent = books.account_id("Rent")
    ada.patch(f"/api/transactions/{lines[4]}", json={"accountId": rent})
    answer = browser.post("/transactions/change", headers=HEADERS, data=asked(question.text))
    said, answer = follow(browser, answer)
    assert [each.partition(".")[0] for each in said] == [
        "2 of 5 lines done",
        "4 of 5 lines done",
        "4 lines changed",
    ]
    assert "Trip 6" in said[-1]
    assert "It has changed since it was shown." in said[-1]
    assert accounts(ada, lines) == [*[travel] * 4, rent]
    address, values, _ = form_of(answer.text)
    said, _ = follow(browser, browser.post(address, headers=HEADERS, data=values))
    assert said == ["2 lines as before. Go on", "4 lines as before."]
    assert accounts(ada, lines) == [*before[:4], rent]


def test_many_lines_are_confirmed_in_parts_and_an_interrupted_run_goes_on(ada, bank, books, lines):
    browser, travel = ada.browser(), books.account_id("Travel")
    for each in lines:
        ada.patch(f"/api/transactions/{each}", json={"accountId": travel})
    form = {"faId": str(bank.fa_id), "every": "true"}
    question = browser.post("/transactions/confirm", headers=HEADERS, data=form)
    assert question.status_code == 409
    assert "all 5 lines" in question.text
    key = re.search(r'name="asked" value="(\w+)"', question.text)[1]
    first = browser.post("/transactions/confirm", headers=HEADERS, data={**form, "asked": key})
    assert words(first.text) == "2 of 5 lines done. Go on"
    assert statuses(ada, lines).count("POSTED") == 2
    # Its button goes on after any time, and also without scripts.
    address, values, goes = form_of(first.text)
    assert goes
    page = browser.post(address, data=values)
    assert "4 of 5 lines done." in words(page.text)
    said, answer = follow(browser, page)
    assert said[-1].startswith("5 lines confirmed, −20.00 EUR")
    assert statuses(ada, lines) == ["POSTED"] * 5
    address, values, _ = form_of(answer.text)
    assert len(values["entryIds"]) == 5
    follow(browser, browser.post(address, headers=HEADERS, data=values))
    assert statuses(ada, lines) == ["DRAFT"] * 5


def test_the_question_about_a_list_says_how_many_wait_and_keeps_the_number_of_its_lines(
    ada, bank, lines, desk
):
    desk.confirm(*lines[:4])
    headers = {**HEADERS, "Referer": f"http://localhost/feeds/{bank.fa_id}?show=all"}
    form = {"faId": str(bank.fa_id), "every": "true"}
    question = ada.browser().post("/transactions/confirm", headers=headers, data=form).text
    assert "Confirm <b>1 line</b> of this list?" in question
    assert "All 5 lines of this list" in question
    assert 'data-count="5"' in question
    assert ("Confirm anyway" in question, "Confirm all" in question) == (True, False)


def test_many_lines_are_ticked_in_parts_and_a_line_after_the_statement_is_named(ada, bank, lines):
    browser = ada.browser()
    late = bank.send("2026-04-20", "-1.00", "Late fee")
    draft = {"statementDate": "2026-03-31", "statementBalance": "-20.00", "openingBalance": "0.00"}
    answer = browser.post(f"/reconciliations/{bank.fa_id}/draft", data=draft)
    assert answer.status_code == 303
    form = {"mark": "cleared", "ids": [str(each) for each in (late, *lines)]}
    address = f"/reconciliations/{bank.fa_id}/lines"
    said, answer = follow(browser, browser.post(address, headers=HEADERS, data=form))
    assert said[0].startswith("2 of 6 lines done.")
    assert said[-1].startswith("5 lines ticked.")
    assert "Late fee" in said[-1]
    assert "dated after the statement" in said[-1]
    cleared = ada.get(f"/api/reconciliations/accounts/{bank.fa_id}").json["lines"]
    assert sum(each["cleared"] for each in cleared) == 5
    address, values, _ = form_of(answer.text)
    follow(browser, browser.post(address, headers=HEADERS, data=values))
    assert not any(
        each["cleared"] for each in ada.get(f"/api/reconciliations/accounts/{bank.fa_id}").json["lines"]
    )


def test_more_than_a_page_may_send_are_refused_and_the_api_keeps_its_limit(ada, bank, lines, monkeypatch):
    monkeypatch.setattr(shared_edits, "MOST", 4)
    form = {"faId": str(bank.fa_id), "ids": [str(each) for each in lines], "projectId": bank.project("Villa")}
    answer = ada.browser().post("/transactions/change", headers=HEADERS, data=form)
    assert answer.status_code == 422
    assert "5 lines are more than the 4 that can be changed at once." in answer.text
    too_many = ada.post("/api/transactions/confirm", json={"ids": list(range(1, 502))})
    assert too_many.status_code == 422
