"""What a row of the workspace says that its line pays is what confirming it settles, or nothing is posted."""

import re

import pytest

from tests.fixtures.helpers.owed import items, keep_items, owe
from tests.fixtures.helpers.transfers import send
from tests.pages.transactions.test_confirmations import Row

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def invoices(ada, ben, books, bank):
    keep_items(ada, books.account_id("Trade receivables"))
    acme = bank.merchant("Acme")
    for number in ("RE-7", "RE-8"):
        owe(ben, books, "400.00", acme, reference=number)
    return {each["reference"]: each["id"] for each in items(ben)}


@pytest.fixture
def line(bank, giro):
    return send(bank, giro, "2026-03-20", "400.00")


def pay(person, line, item_id, **others):
    answer = person.patch(f"/api/transactions/{line}", json={"settles": [{"itemId": item_id}], **others})
    assert answer.status_code == 200, answer.json


def test_a_row_whose_line_pays_another_invoice_by_now_posts_nothing(ada, ben, line, invoices):
    pay(ben, line, invoices["RE-7"])
    row = Row(ada, line)
    pay(ben, line, invoices["RE-8"])
    refused = row.confirm()
    assert refused.status_code == 409
    assert "This line has changed since its row was shown. Nothing was posted." in refused.text
    assert (
        'What it pays <s>RE-7 400.00 EUR</s> → <span class="changed">RE-8 400.00 EUR</span>' in refused.text
    )
    assert "Set it back" not in refused.text
    assert len(items(ben)) == 2


def test_a_row_whose_line_pays_short_by_now_posts_nothing(ada, ben, bank, giro, invoices):
    line = send(bank, giro, "2026-03-20", "392.00")
    row = Row(ada, line)
    pay(ben, line, invoices["RE-7"], short={"amount": "8.00", "as": "FEE"})
    refused = row.confirm()
    assert refused.status_code == 409
    assert "RE-7 400.00 EUR, bank's fee 8.00 EUR" in refused.text.replace("&#39;", "'")


def test_a_row_that_shows_what_its_line_pays_settles_it(ada, ben, line, invoices):
    pay(ben, line, invoices["RE-7"])
    assert Row(ada, line).confirm().status_code == 200
    assert [each["reference"] for each in items(ben)] == ["RE-8"]


def test_a_row_offers_what_its_line_pays_and_one_gesture_accepts_it(ada, ben, bank, giro, books, invoices):
    owe(ben, books, "71.50", bank.merchant("Acme"), reference="RE-9")
    line = send(bank, giro, "2026-03-20", "71.50", text="Your RE-9")
    browser = ada.browser()
    listed = row_of(browser.get(f"/feeds/{giro}?show=all").text, line)
    assert ("Pays RE-9?" in listed, "Uncategorised" in listed) == (True, False)
    opened = row_of(browser.get(f"/feeds/{giro}?show=all&line={line}").text, line)
    assert "Its text names RE-9, and the amount is the same." in opened
    form = opened[: opened.index('data-key="Enter">Mark RE-9 as paid</button>')]
    form = form[form.rindex("<form") :]
    data = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form))
    assert browser.post(f"/transactions/{line}", data=data).status_code < 400
    (paid,) = ada.get(f"/api/transactions/{line}").json["transaction"]["settles"]
    assert paid["amount"] == "71.50"
    assert Row(ada, line).confirm().status_code == 200
    assert "RE-9" not in {each["reference"] for each in items(ben)}


def test_a_row_whose_line_may_pay_either_offers_the_choice(ada, bank, giro, invoices):
    line = send(bank, giro, "2026-03-20", "400.00", text="thanks", counterparty="Acme")
    browser = ada.browser()
    listed = row_of(browser.get(f"/feeds/{giro}?show=all").text, line)
    assert "May pay RE-7 or RE-8?" in listed
    opened = row_of(browser.get(f"/feeds/{giro}?show=all&line={line}").text, line)
    assert "Match open items" in opened
    assert 'data-key="Enter">Pay' not in opened


def row_of(page, line):
    return page[page.index(f'id="line-{line}"') :].split("</tbody>")[0]
