"""The page of approvals shows a plan step by step, and what moved since."""

import re

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.planning import proposed, ref

pytestmark = on_sqlite


@pytest.fixture
def request_(ben, bank, line):
    edit = {"accountId": bank.account("Food"), "orgMerchantId": ref("1#/merchant/id")}
    steps = [("POST", "/merchants", {"name": "Rewe Markt"}), ("PATCH", f"/transactions/{line}", edit)]
    confirm = ("POST", f"/transactions/{line}/confirm")
    agent = ben.with_scopes("read", "propose")
    return proposed(agent, *steps, confirm, title="Book the groceries", note="From the receipt")


def test_a_plan_is_shown_in_its_steps_and_approved_once(ben, line, request_):
    browser = ben.browser()
    page = browser.get(f"/proposals?id={request_['id']}").text
    assert "3 steps" in page
    titles = [
        "Create the customer or supplier Rewe Markt",
        "Book REWE −45.20 EUR of 3 Nov to Food",
        "Confirm REWE −45.20 EUR",
    ]
    places = [page.index(each) for each in titles]
    assert places == sorted(places)
    # What a later step names is called by the name that an earlier one gives it.
    assert '<small class="effect-about">Rewe Markt</small>' in page
    assert page.count("<h3>Balances</h3>") == 1
    done = browser.post(f"/proposals/{request_['id']}/approve", data={"digest": request_["digest"]})
    assert done.status_code == 303
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "POSTED"
    assert "Book the groceries" in browser.get("/activity").text


def test_a_plan_is_undone_from_the_activity(ben, line, request_):
    browser, address = ben.browser(), f"/activity/plans/{request_['id']}/undo"
    browser.post(f"/proposals/{request_['id']}/approve", data={"digest": request_["digest"]})
    assert f'href="{address}">Undo this plan…' in browser.get("/activity").text
    assert "Show what would be undone" in browser.get(address).text
    shown = browser.post(f"{address}/preview")
    assert "2 acts to undo" in shown.text
    # The entry that is voided keeps the merchant.
    assert "is used by 2 postings" in shown.text
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "POSTED"
    digest = re.search(r'name="digest" value="([0-9a-f]{64})"', shown.text)[1]
    done = browser.post(address, data={"digest": digest})
    assert "2 acts undone" in done.text
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "DRAFT"
    assert browser.post(address, data={"digest": digest}).status_code == 409
    assert "Nothing to undo" in browser.post(f"{address}/preview").text


def test_who_may_not_undo_a_plan_is_not_offered_it(ada, cleo, dan, ben, line, request_):
    ada.browser().post(f"/proposals/{request_['id']}/approve", data={"digest": request_["digest"]})
    assert "Undo this plan…" in ada.browser().get("/activity").text
    assert "Undo this plan…" not in cleo.browser().get("/activity").text
    assert dan.browser().get(f"/activity/plans/{request_['id']}/undo").status_code == 404


def test_a_plan_that_moved_says_at_which_step(ben, bank, line, request_):
    ben.patch(f"/api/transactions/{line}", json={"accountId": bank.account("Care")})
    page = ben.browser().post(f"/proposals/{request_['id']}/approve", data={"digest": request_["digest"]})
    assert page.status_code == 409
    assert "Step 2 is the first that differs." in page.text
    assert page.text.count('aria-current="step"') == 1


def test_who_may_not_do_a_step_is_told_which_scopes_it_needs(cleo, request_):
    page = cleo.browser().get(f"/proposals?id={request_['id']}").text
    assert "needs the rights post, write drafts, read" in page
