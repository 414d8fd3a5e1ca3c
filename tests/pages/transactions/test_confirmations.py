"""Confirming a line from its row: what the row shows is what is posted, and nothing else is."""

import re
from html import unescape

import pytest

from tests.fixtures.helpers.habits import decide
from tests.fixtures.helpers.marks import on_sqlite
from webapp.ledger.canonical import sha256_hex
from webapp.services.bookkeeping import voids
from webapp.services.transactions import lifecycle

TARGETED = {"HX-Request": "true", "HX-Current-URL": "http://localhost/feeds/1?show=all"}


def text(answer):
    return " ".join(unescape(re.sub("<[^>]*>", " ", answer.text)).split())


@pytest.fixture
def travel(books):
    return books.account_id("Travel")


class Row:
    """The row of one line, as a page shows it."""

    def __init__(self, ada, line):
        self.browser, self.ada, self.line = ada.browser(), ada, line
        page = self.browser.get("/feeds/1?show=all").text
        row = page.partition(f'id="line-{line}"')[2].partition("</tbody>")[0]
        self.button = " ".join(
            re.sub("<[^>]*>", " ", row.partition("line-confirm")[2].partition("</form>")[0]).split()
        )
        self.shown = unescape(re.search(r'name="shown" value="([^"]*)"', row)[1])

    def confirm(self, key=None, **form):
        headers = {**TARGETED, "HX-Target": f"tbody#line-{self.line}"}
        headers |= {"Idempotency-Key": key} if key else {}
        return self.browser.post(
            f"/transactions/{self.line}/confirm", headers=headers, data={"shown": self.shown, **form}
        )

    def record(self):
        found = self.ada.get(f"/api/transactions/{self.line}").json["transaction"]
        return found["entryStatus"], found["accountId"]


@on_sqlite
def test_a_row_with_a_suggestion_says_so_and_posts_it(ada, bank, travel):
    merchant = bank.merchant("Bahn")
    decide(ada, bank, travel, "DB Bahn", orgMerchantId=merchant)
    row = Row(ada, bank.send("2026-03-05", "-12.00", "DB Bahn 77", counterparty="DB Bahn"))
    assert "Confirm as Travel" in row.button
    assert row.confirm().status_code == 200
    assert row.record() == ("POSTED", travel)
    found = ada.get(f"/api/transactions/{row.line}").json["transaction"]
    assert found["orgMerchantId"] == merchant


@on_sqlite
def test_a_confirmation_that_is_sent_again_under_its_key_gets_the_first_answer(ada, bank, travel):
    row = Row(ada, bank.send("2026-03-05", "-12.00", "DB Bahn 77"))
    ada.patch(f"/api/transactions/{row.line}", json={"accountId": travel})
    row = Row(ada, row.line)
    first = row.confirm(key="a-1")
    entry = ada.get(f"/api/transactions/{row.line}").json["transaction"]["journalEntryId"]
    ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"})
    again = row.confirm(key="a-1")
    assert (again.data, again.headers["Idempotency-Replayed"]) == (first.data, "true")
    assert row.record() == ("DRAFT", travel)
    assert row.confirm(key="a-1", asUncategorised="true").status_code == 422


@on_sqlite
def test_a_suggestion_that_cannot_be_posted_is_not_accepted_either(ada, bank, travel):
    decide(ada, bank, travel, "DB Bahn")
    row = Row(ada, bank.send("2026-03-05", "-12.00", "DB Bahn 77", counterparty="DB Bahn"))
    before = row.record()
    ada.patch(f"/api/accounts/{travel}", json={"requiresCounterparty": True})
    assert row.confirm().status_code in (409, 422)
    assert row.record() == before


@on_sqlite
def test_what_was_posted_uncategorised_offers_a_correction_and_not_the_suggestion(ada, bank, travel):
    line = bank.send("2026-03-05", "-12.00", "DB Bahn 77", counterparty="DB Bahn")
    ada.post(f"/api/transactions/{line}/confirm")
    decide(ada, bank, travel, "DB Bahn")
    page = ada.browser().get("/feeds/1?show=all").text
    assert "Travel?" not in page.partition(f'id="line-{line}"')[2].partition("</tbody>")[0]
    assert ">Correct to Travel</button>" in ada.browser().get(f"/feeds/1?show=all&line={line}").text


@on_sqlite
def test_an_uncategorised_line_is_posted_after_a_question_only(ada, bank):
    row = Row(ada, bank.send("2026-03-02", "-1.00", "Coffee"))
    asked = row.confirm()
    assert asked.status_code == 409
    assert "No account chosen. Post to “Uncategorised”?" in text(asked)
    assert row.record()[0] == "DRAFT"
    assert row.confirm(asUncategorised="true").status_code == 200
    assert row.record()[0] == "POSTED"


@on_sqlite
def test_without_scripts_the_question_comes_with_the_page(ada, bank):
    line = bank.send("2026-03-02", "-1.00", "Coffee")
    asked = ada.browser().post(f"/transactions/{line}/confirm", data={"shown": Row(ada, line).shown})
    assert asked.status_code == 409
    assert "No account chosen." in text(asked)
    assert "<html" in asked.text
    form = asked.text.partition("line-question")[2]
    data = dict(re.findall(r'name="(shown|asUncategorised)" value="([^"]*)"', form)[:2])
    assert ada.browser().post(f"/transactions/{line}/confirm", data=data).status_code == 303
    assert Row.record(type("", (), {"ada": ada, "line": line}))[0] == "POSTED"


@on_sqlite
def test_a_split_with_an_uncategorised_part_is_asked_about(ada, bank, books, travel):
    line = bank.send("2026-03-02", "-10.00", "Coffee and train")
    unknown = books.account_id("Uncategorised expenses")
    splits = [{"accountId": travel, "amount": "-4.00"}, {"accountId": unknown, "amount": "-6.00"}]
    ada.patch(f"/api/transactions/{line}", json={"splits": splits})
    row = Row(ada, line)
    assert "No account chosen for a part." in text(row.confirm())
    assert row.confirm(asUncategorised="true").status_code == 200


def set_account(ada, bank, books, line):
    return ada.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Rent")})


def set_merchant(ada, bank, books, line):
    return ada.patch(f"/api/transactions/{line}", json={"orgMerchantId": bank.merchant("Bahn")})


def split(ada, bank, books, line):
    parts = [{"accountId": books.account_id(name), "amount": "-5.00"} for name in ("Travel", "Rent")]
    return ada.patch(f"/api/transactions/{line}", json={"splits": parts})


CHANGES = {"account": set_account, "merchant": set_merchant, "parts": split}


@on_sqlite
@pytest.mark.parametrize("field", CHANGES)
def test_a_line_that_is_otherwise_is_refused_and_both_versions_are_shown(ada, bank, books, travel, field):
    line = bank.send("2026-03-02", "-10.00", "DB ICE 571")
    ada.patch(f"/api/transactions/{line}", json={"accountId": travel})
    row = Row(ada, line)
    assert CHANGES[field](ada, bank, books, line).status_code == 200
    refused = row.confirm()
    assert refused.status_code == 409
    assert "is-otherwise" in refused.text
    assert "This line has changed since its row was shown. Nothing was posted." in text(refused)
    assert {
        "account": "Account Travel → Rent .",
        "merchant": "Customer or supplier none → Bahn .",
        "parts": "Parts Travel −10.00 EUR → Rent −5.00 EUR, Travel −5.00 EUR .",
    }[field] in text(refused)
    assert row.record()[0] == "DRAFT"
    assert Row(ada, line).confirm().status_code == 200


@on_sqlite
def test_the_earlier_version_is_one_press_away(ada, bank, books, travel):
    line = bank.send("2026-03-02", "-10.00", "DB ICE 571")
    ada.patch(f"/api/transactions/{line}", json={"accountId": travel})
    row = Row(ada, line)
    set_account(ada, bank, books, line)
    form = row.confirm().text.partition("line-changed")[2]
    assert "Set it back to Travel" in form
    data = dict(re.findall(r'name="(accountId|orgMerchantId|projectId)" value="([^"]*)"', form)[:3])
    assert ada.browser().post(f"/transactions/{line}", data=data).status_code == 303
    assert row.record() == ("DRAFT", travel)


@on_sqlite
def test_a_confirmation_that_comes_twice_posts_once_and_never_a_voided_line_again(ada, bank, travel):
    decide(ada, bank, travel, "DB Bahn")
    row = Row(ada, bank.send("2026-03-05", "-12.00", "DB Bahn 77", counterparty="DB Bahn"))
    assert [row.confirm().status_code for _ in range(2)] == [200, 200]
    entry = ada.get(f"/api/transactions/{row.line}").json["transaction"]["journalEntryId"]
    assert ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Twice"}).status_code == 200
    late = row.confirm()
    assert late.status_code == 409
    assert "Entry" in text(late)
    assert row.record()[0] == "DRAFT"


@on_sqlite
def test_a_correction_is_confirmed_as_it_is_shown(ada, bank, books, travel):
    line = bank.send("2026-03-02", "-10.00", "DB ICE 571")
    ada.patch(f"/api/transactions/{line}", json={"accountId": travel})
    ada.post(f"/api/transactions/{line}/confirm")
    set_account(ada, bank, books, line)
    row = Row(ada, line)
    set_merchant(ada, bank, books, line)
    assert row.confirm().status_code == 409
    now = Row(ada, line)
    assert [now.confirm().status_code for _ in range(2)] == [200, 200]
    assert now.record() == ("POSTED", books.account_id("Rent"))


@on_sqlite
@pytest.mark.parametrize("shown", ["", "7", "1~1~2026-02-31~~", "x" * 5000, "1~1~2026-01-01~1...~"])
def test_what_no_page_wrote_is_refused(ada, bank, shown):
    line = bank.send("2026-03-02", "-10.00", "DB ICE 571")
    answer = ada.browser().post(f"/transactions/{line}/confirm", data={"shown": shown or "0"})
    assert answer.status_code == 422
    assert "Load the page again" in answer.text


@on_sqlite
def test_what_another_row_shows_confirms_nothing(ada, bank, travel):
    first, second = bank.send_many([("2026-03-02", "-1.00", "Coffee"), ("2026-03-03", "-2.00", "Tea")])
    answer = ada.browser().post(f"/transactions/{first}/confirm", data={"shown": Row(ada, second).shown})
    assert answer.status_code == 422
    assert Row(ada, first).record()[0] == "DRAFT"


@on_sqlite
def test_the_repair_of_a_voided_entry_opens_its_line_with_confirm_in_focus(ada, bank, desk, travel):
    line = bank.send("2026-03-02", "-10.00", "DB ICE 571")
    ada.patch(f"/api/transactions/{line}", json={"accountId": travel})
    desk.confirm(line)
    desk.prove("2026-03-31", "-10.00")
    entry = ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    assert ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"}).status_code == 200
    hub = ada.browser().get("/").text
    address = unescape(re.search(r'class="repair" href="([^"]*)"', hub)[1])
    page = ada.browser().get(address).text
    row = page.partition(f'id="line-{line}"')[2].partition("</tbody>")[0]
    assert re.search(r"<button[^>]*line-confirm[^>]*autofocus", row)


class Selection:
    """Lines that are ticked on one page, which may have become old."""

    def __init__(self, ada, *lines):
        self.ada, self.rows = ada, [Row(ada, line) for line in lines]

    def send(self, **form):
        data = {
            "ids": [str(row.line) for row in self.rows],
            "shown": [row.shown for row in self.rows],
            **form,
        }
        headers = {**TARGETED, "HX-Target": "table#lines"}
        return self.ada.browser().post("/transactions/confirm", headers=headers, data=data)

    @property
    def key(self):
        return sha256_hex(",".join(str(row.line) for row in self.rows))


@on_sqlite
def test_a_selection_posts_its_suggestions_after_a_preview(ada, bank, travel):
    decide(ada, bank, travel, "DB Bahn")
    train = bank.send("2026-03-05", "-12.00", "DB Bahn 77", counterparty="DB Bahn")
    coffee = bank.send("2026-03-02", "-1.00", "Coffee")
    selection = Selection(ada, train, coffee)
    asked = selection.send()
    assert asked.status_code == 409
    assert "1 of 2 lines gets the suggested account. 1 of 2 lines has no account." in text(asked)
    assert f'name="asked" value="{selection.key}"' in asked.text
    assert selection.send(asked=str(train)).status_code == 409
    assert selection.send(asked=selection.key).status_code == 200
    assert [row.record()[0] for row in selection.rows] == ["POSTED", "POSTED"]
    assert selection.rows[0].record() == ("POSTED", travel)


@on_sqlite
def test_a_selection_with_a_line_that_is_otherwise_posts_nothing(ada, bank, books, travel):
    lines = bank.send_many([("2026-03-02", "-1.00", "Coffee"), ("2026-03-03", "-2.00", "Tea")])
    for each in lines:
        ada.patch(f"/api/transactions/{each}", json={"accountId": travel})
    selection = Selection(ada, *lines)
    set_account(ada, bank, books, lines[1])
    refused = selection.send()
    assert refused.status_code == 409
    assert "1 line has changed since shown. Nothing was posted." in text(refused)
    assert "Account Travel → Rent ." in text(refused)
    assert [row.record()[0] for row in selection.rows] == ["DRAFT", "DRAFT"]


@on_sqlite
def test_what_was_confirmed_together_is_voided_together(ada, bank, travel):
    lines = bank.send_many([("2026-03-02", "-1.00", "Coffee"), ("2026-03-03", "-2.00", "Tea")])
    for each in lines:
        ada.patch(f"/api/transactions/{each}", json={"accountId": travel})
    selection = Selection(ada, *lines)
    done = selection.send()
    assert "Void these 2" in text(done)
    assert "2 of 2 lines" in text(done).partition("accept")[2]
    entries = re.findall(r'name="entryIds" value="(\d+)"', done.text)

    def void():
        headers = {**TARGETED, "HX-Target": "table#lines"}
        return ada.browser().post(
            "/transactions/void", headers=headers, data={"faId": "1", "entryIds": entries}
        )

    assert "2 entries voided; the lines have drafts again." in text(void())
    assert [row.record() for row in selection.rows] == [("DRAFT", travel)] * 2
    assert "0 of 2 voided." in text(void())


@on_sqlite
def test_a_selection_that_is_too_large_is_refused_with_the_number_that_fits(ada, bank, travel, monkeypatch):
    lines = bank.send_many([("2026-03-02", "-1.00", "Coffee"), ("2026-03-03", "-2.00", "Tea")])
    for each in lines:
        ada.patch(f"/api/transactions/{each}", json={"accountId": travel})
    monkeypatch.setattr(lifecycle, "MOST_LINES", 1)
    refused = Selection(ada, *lines).send()
    assert refused.status_code == 422
    assert "2 lines are more than the 1 that can be confirmed at once." in text(refused)


@on_sqlite
def test_what_is_voided_together_goes_on_in_parts_that_fit(ada, bank, travel, monkeypatch):
    lines = bank.send_many([(f"2026-03-0{day}", "-1.00", f"Coffee {day}") for day in (2, 3, 4)])
    for each in lines:
        ada.patch(f"/api/transactions/{each}", json={"accountId": travel})
    selection = Selection(ada, *lines)
    done = selection.send()
    assert "Void these 3" in text(done)
    monkeypatch.setattr(voids, "MOST_AT_ONCE", 2)
    browser, headers = ada.browser(), {**TARGETED, "HX-Target": "table#lines"}

    def go_on(page):
        form = re.search(r'<form action="/transactions/void".*?</form>', page.text, re.DOTALL)[0]
        names = re.findall(r'name="(\w+)" value="(\d+)"', form)
        data = {name: [value for each, value in names if each == name] for name, _ in names}
        return form, browser.post("/transactions/void", headers=headers, data=data)

    by_hand, first = go_on(done)
    assert 'hx-trigger="load, submit"' not in by_hand
    assert "2 entries voided, 1 to go" in text(first)
    by_itself, last = go_on(first)
    assert 'hx-trigger="load, submit"' in by_itself
    assert "3 entries voided; the lines have drafts again." in text(last)
    assert [row.record() for row in selection.rows] == [("DRAFT", travel)] * 3


@on_sqlite
def test_a_correction_that_was_confirmed_is_not_among_what_is_voided(ada, bank, books, travel):
    line = bank.send("2026-03-02", "-10.00", "DB ICE 571")
    ada.patch(f"/api/transactions/{line}", json={"accountId": travel})
    ada.post(f"/api/transactions/{line}/confirm")
    set_account(ada, bank, books, line)
    done = Selection(ada, line).send()
    assert "1 line confirmed" in text(done)
    assert "Void it" not in text(done)


@on_sqlite
def test_without_scripts_the_question_keeps_the_selection(ada, bank):
    line = bank.send("2026-03-02", "-1.00", "Coffee")
    page = ada.browser().post("/transactions/confirm", data={"ids": [str(line)]})
    assert page.status_code == 409
    assert re.search(rf'value="{line}"[^>]*form="selection"[^>]*checked', page.text)


@on_sqlite
def test_the_page_of_a_draft_confirms_what_it_shows(ada, bank, travel):
    line, other = bank.send_many([("2026-03-02", "-9.00", "DB"), ("2026-03-03", "-4.00", "Tea")])
    ada.patch(f"/api/transactions/{line}", json={"accountId": travel})
    browser = ada.browser()
    page = browser.get("/journal/1").text
    assert "Edit the bank line" in page
    assert "Confirm the bank line" in page
    shown = unescape(re.search(r'name="shown" value="([^"]*)"', page)[1])
    ada.patch(f"/api/transactions/{line}", json={"accountId": bank.account("Meals")})
    assert browser.post(f"/transactions/{line}/confirm", data={"shown": shown}).status_code == 409
    ada.patch(f"/api/transactions/{line}", json={"accountId": travel})
    assert browser.post(f"/transactions/{line}/confirm", data={"shown": shown}).status_code == 303
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "POSTED"
    assert "Confirm the bank line" not in browser.get("/journal/1").text
    assert "No account chosen." in browser.post(f"/transactions/{other}/confirm").text
