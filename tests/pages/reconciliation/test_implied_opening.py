"""A first reconciliation of lines without a balance of the bank: what must have been there before, if they are all."""

import re
from html import unescape

import pytest

from webapp.queries.reconciliation import panels


@pytest.fixture
def panel(ada, bank):
    bank.send_many([(f"2026-10-{day:02}", "-10.00", f"Trip {day}") for day in range(2, 7)])
    browser = ada.browser()
    draft = {"statementDate": "2026-10-31", "statementBalance": "950.00"}
    assert browser.post(f"/reconciliations/{bank.fa_id}/draft", data=draft).status_code == 303

    def read():
        text = browser.get(f"/feeds/{bank.fa_id}").text
        return browser, text, " ".join(unescape(re.sub("<[^>]+>", " ", text)).split())

    return read


def test_the_balance_before_the_lines_is_offered_and_the_difference_is_nil_with_it(ada, bank, panel):
    browser, text, words = panel()
    assert "If these 5 lines are all, 1,000.00 was there at the end of 1 Oct" in words
    form = text.partition("If these 5 lines")[2].partition("</form>")[0]
    values = dict(re.findall(r'name="(\w+)"\s+value="([^"]*)"', form))
    assert (values["openingDate"], values["openingBalance"]) == ("1 Oct 2026", "1,000.00")
    assert browser.post(f"/reconciliations/{bank.fa_id}/draft", data=values).status_code == 303
    ids = [
        str(each["transactionId"])
        for each in ada.get(f"/api/reconciliations/accounts/{bank.fa_id}").json["lines"]
    ]
    ticked = browser.post(f"/reconciliations/{bank.fa_id}/lines", data={"mark": "cleared", "ids": ids})
    assert ticked.status_code == 303
    assert "If these" not in panel()[2]
    draft = ada.get(f"/api/reconciliations/accounts/{bank.fa_id}").json["account"]["draft"]
    assert draft["difference"] == "0.00"


def test_of_very_many_lines_nobody_can_say_that_they_are_all(panel, monkeypatch):
    monkeypatch.setattr(panels, "MOST_LINES", 4)
    assert "If these" not in panel()[2]
