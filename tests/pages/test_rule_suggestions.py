"""The page of suggested rules, and the likely account in the workspace."""

import pytest

from tests.fixtures.helpers.habits import decide, send, suggested
from tests.fixtures.helpers.marks import on_sqlite
from tests.pages.test_transfers import text

pytestmark = on_sqlite


@pytest.fixture
def travel(bank):
    bank.open()
    return bank.account("Travel")


def test_the_page_shows_the_lines_and_leads_to_the_form_that_is_filled(ada, bank, travel):
    ids = decide(ada, bank, travel, *["DB Bahn"] * 3)
    shown = text(ada.browser().get("/rules/suggestions"))
    assert "3 of 3 lines of DB Bahn went to Travel." in shown
    assert all(f"line={transaction_id}#line-{transaction_id}" in shown for transaction_id in ids)
    assert "If counterparty is “DB Bahn”, set account Travel." in shown
    form = f"/rules/new?suggestion={suggested(ada)[0]['key']}"
    assert f'href="{form}"' in shown
    filled = text(ada.browser().get(form))
    assert 'value="DB Bahn"' in filled
    assert f'<option value="{travel}" selected' in filled
    assert ada.browser().get("/rules/new?suggestion=unknown").status_code == 404


def test_a_suggestion_is_dismissed_and_suggested_again(ada, bank, travel):
    decide(ada, bank, travel, *["DB Bahn"] * 3)
    (browser, key) = ada.browser(), suggested(ada)[0]["key"]
    assert browser.post("/rules/suggestions/dismiss", data={"key": key}).status_code == 303
    shown = text(browser.get("/rules/suggestions"))
    assert "Create this rule" not in shown
    assert "Suggested again after 6 lines" in shown
    assert browser.post("/rules/suggestions/undismiss", data={"key": key}).status_code == 303
    assert "Create this rule" in text(browser.get("/rules/suggestions"))


def test_a_refusal_is_said_above_the_list(ada, bank, travel):
    decide(ada, bank, travel, *["DB Bahn"] * 3)
    for act in ("dismiss", "undismiss"):
        refused = ada.browser().post(f"/rules/suggestions/{act}", data={"key": "unknown"})
        assert refused.status_code == 404
        assert "Create this rule" in refused.text


def test_a_viewer_sees_suggestions_and_no_acts(ada, cleo, bank, travel):
    decide(ada, bank, travel, *["DB Bahn"] * 3)
    shown = text(cleo.browser().get("/rules/suggestions"))
    assert "3 of 3 lines of DB Bahn" in shown
    assert "Create this rule" not in shown
    assert "Dismiss" not in shown


def test_htmx_gets_the_list_as_a_part(ada, bank, travel):
    decide(ada, bank, travel, *["DB Bahn"] * 3)
    part = ada.browser().get(
        "/rules/suggestions", headers={"HX-Request": "true", "HX-Target": "section#suggestions"}
    )
    assert "DB Bahn" in part.text
    assert "<html" not in part.text


def test_a_text_of_the_bank_is_printed_as_the_text_that_it_is(ada, bank, travel):
    decide(ada, bank, travel, *["<script>alert(0) Bahn"] * 3)
    shown = ada.browser().get("/rules/suggestions").text
    assert "<script>alert(0)" not in shown
    assert "&lt;script&gt;" in shown


def test_the_workspace_offers_the_likely_account_and_takes_it_in_one_step(ada, bank, travel):
    merchant = bank.merchant("Bahn")
    decide(ada, bank, travel, "DB Bahn", orgMerchantId=merchant)
    waiting = send(bank, "DB Bahn 77")
    browser = ada.browser()
    shown = text(browser.get(f"/feeds/{bank.fa_id}?show=all"))
    assert "Travel?" in shown
    assert "1 of 1 payment to DB Bahn went to Travel." in shown
    current = text(browser.get(f"/feeds/{bank.fa_id}?show=all&line={waiting}"))
    assert 'data-key="Enter">Use Travel</button>' in current
    taken = browser.post(
        f"/transactions/{waiting}", data={"accountId": str(travel), "orgMerchantId": str(merchant)}
    )
    assert taken.status_code == 303
    line = ada.get(f"/api/transactions/{waiting}").json["transaction"]
    assert (line["accountId"], line["orgMerchantId"]) == (travel, merchant)
