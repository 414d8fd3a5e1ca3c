"""Pages ask before a line and an entry that was written by hand count the same money twice."""

import re

import pytest

from tests.fixtures.helpers.transfers import send
from tests.pages.test_manual_entries import form
from tests.pages.transactions.test_confirmations import Row, text

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def line(bank, giro, ben, books):
    made = send(bank, giro, "2026-03-20", "400.00", text="Acme")
    ben.patch(f"/api/transactions/{made}", json={"accountId": books.account_id("Other income")})
    return made


def entry(*, act="post"):
    return form(("Giro", "400.00", ""), ("Other income", "", "400.00"), day="2026-03-18", act=act)


@pytest.fixture
def by_hand(ada, bank, giro):
    """Write an entry before the bank's line comes."""
    assert ada.browser().post("/journal/new", data=entry()).status_code == 303


def test_a_row_says_what_is_in_the_books_and_asks(ada, by_hand, line):
    page = text(ada.browser().get("/feeds/1?show=all"))
    assert "In the books already?" in page
    assert "written by hand." in page
    act = ada.browser().get("/feeds/1?show=all").text.partition('class="confirming"')[2].partition(">")[0]
    assert "data-holds" not in act  # it is asked at once, not after a moment
    row = Row(ada, line)
    asked = row.confirm()
    assert asked.status_code == 409
    assert "Confirm anyway" in asked.text
    assert row.record()[0] == "DRAFT"
    assert row.confirm(force="true").status_code == 200
    assert row.record()[0] == "POSTED"


def test_an_uncategorised_line_is_asked_about_both(ada, bank, giro, by_hand):
    row = Row(ada, send(bank, giro, "2026-03-20", "400.00", text="Acme"))
    assert "Confirm anyway" in row.confirm().text
    asked = row.confirm(asUncategorised="true")
    assert "Confirm anyway" in asked.text
    assert 'name="asUncategorised" value="true"' in asked.text
    assert row.confirm(asUncategorised="true", force="true").status_code == 200


def test_several_lines_are_asked_about_together(ada, by_hand, line):
    row = Row(ada, line)
    data = {"ids": [line], "shown": [row.shown]}
    asked = row.browser.post("/transactions/confirm", data=data)
    assert "1 of 1 line may be in the books already, by an entry of the same amount" in text(asked)
    key = re.search(r'name="asked" value="(\w+)"', asked.text)[1]
    assert row.browser.post("/transactions/confirm", data={**data, "asked": key}).status_code < 400
    assert row.record()[0] == "POSTED"


def test_an_entry_is_asked_about_the_line_and_loses_nothing(ada, line):
    pages = ada.browser()
    asked = pages.post("/journal/new", data=entry())
    assert asked.status_code == 409
    assert "The bank line “Acme" in text(asked)
    assert f"(line {line})" not in text(asked)
    assert 'value="400.00"' in asked.text
    assert pages.post("/journal/new", data=entry(act="post_as_well")).status_code == 303


def test_a_draft_is_asked_about_the_line(ada, line):
    pages = ada.browser()
    made = pages.post("/journal/new", data=entry(act="draft"))
    asked = pages.post(f"{made.location}/post", data={})
    assert "anyway" in text(asked)
    assert pages.post(f"{made.location}/post", data={"force": "true"}).status_code == 303


def test_a_draft_keeps_when_its_items_are_due(ada, ben, books):
    posting = {"accountId": books.account_id("Trade receivables"), "amount": "9.00"}
    body = {
        "effectiveAt": "2026-03-18",
        "postings": [
            {**posting, "dueOn": "2026-04-03", "reference": "RE-7"},
            {"accountId": books.account_id("Other income"), "amount": "-9.00"},
        ],
    }
    draft = ben.post("/api/journal-entries", json=body).json["entry"]["id"]
    page = " ".join(ada.browser().get(f"/journal/{draft}/edit").text.split())
    assert 'name="postings.0.dueOn" value="3 Apr 2026"' in page
    assert 'name="postings.0.reference" value="RE-7"' in page
