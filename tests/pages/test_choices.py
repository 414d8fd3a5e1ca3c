"""A form shows what is chosen, also where that can be chosen no more, and saves nothing else."""

import re

import pytest

from tests.fixtures.helpers.marks import on_sqlite

pytestmark = on_sqlite
RULES = "/api/automations/rules"


@pytest.fixture
def old(ada, bank):
    """An account that is archived as soon as the test has used it."""
    account_id = bank.account("Fairs & shows")

    def archive():
        assert ada.patch(f"/api/accounts/{account_id}", json={"isArchived": True}).status_code == 200
        return account_id

    return account_id, archive


def lines(page):
    """The lines of a workspace with the open one's fields; the bar for many lines has selects of its own."""
    above, bar, _ = page.partition('<div id="dock"')
    assert bar
    return above


def chosen(page, name):
    ((select),) = re.findall(f'<select[^>]*name="{re.escape(name)}".*?</select>', page, re.DOTALL)
    return re.findall(r'<option value="(\d*)" selected[^>]*>(.*?)</option>', select)


def test_a_line_on_an_archived_account_keeps_it_when_another_field_changes(ada, bank, old):
    account_id, archive = old
    line, project = bank.send("2026-03-02", "-100.00", "Booth"), bank.project("Spring")
    ada.patch(f"/api/transactions/{line}", json={"accountId": account_id})
    archive()
    browser = ada.browser()
    page = lines(browser.get(f"/feeds/1?line={line}&show=all").text)
    assert chosen(page, "accountId") == [(str(account_id), "Fairs &amp; shows (archived)")]
    form = {"accountId": chosen(page, "accountId")[0][0], "orgMerchantId": "", "projectId": str(project)}
    assert browser.post(f"/transactions/{line}", data=form).status_code < 400
    told = ada.get(f"/api/transactions/{line}").json["transaction"]
    assert (told["accountId"], told["projectId"]) == (account_id, project)
    page = lines(browser.get(f"/feeds/1?line={line}&show=all&edit=splits").text)
    assert chosen(page, "splits.1.accountId") == [(str(account_id), "Fairs &amp; shows (archived)")]


def test_a_line_on_what_became_a_banks_account_shows_it(ada, bank):
    petty = bank.account("Savings box", type_="ASSET")
    line = bank.send("2026-03-02", "-100.00", "Put aside")
    ada.patch(f"/api/transactions/{line}", json={"accountId": petty})
    body = {"name": "Savings box", "currency": "EUR", "accountId": petty}
    assert ada.post("/api/feeds/accounts", json=body).status_code == 201
    page = lines(ada.browser().get(f"/feeds/1?line={line}&show=all").text)
    assert chosen(page, "accountId") == [(str(petty), "Savings box")]


def test_documents_and_accounts_keep_an_archived_account(ada, bank, old):
    account_id, archive = old
    document = ada.post("/api/documents", json={"documentType": "BILL", "accountId": account_id}).json[
        "document"
    ]
    under = bank.account("Booths", parent_id=account_id)
    archive()
    browser, shown = ada.browser(), [(str(account_id), "Fairs &amp; shows (archived)")]
    assert chosen(browser.get(f"/documents/{document['id']}").text, "accountId") == shown
    assert chosen(browser.get(f"/accounts/{under}").text, "parentId") == shown


def test_a_draft_by_hand_names_the_archived_account_and_is_not_posted_to_it(ada, bank, old):
    account_id, archive = old
    legs = [(account_id, "5.00"), (bank.role("uncategorised_expenses"), "-5.00")]
    postings = [{"accountId": account, "amount": amount} for account, amount in legs]
    body = {"effectiveAt": "2026-03-02", "description": "By hand", "postings": postings}
    entry = ada.post("/api/journal-entries", json=body).json["entry"]["id"]
    archive()
    assert 'value="Fairs &amp; shows"' in ada.browser().get(f"/journal/{entry}/edit").text
    assert ada.post(f"/api/journal-entries/{entry}/post").json["code"] == "archived"


def test_filters_name_the_archived_account_that_they_show(ada, old):
    account_id, archive = old
    archive()
    for path in ("/journal", "/reports/general-ledger"):
        page = ada.browser().get(f"{path}?accountId={account_id}").text
        assert chosen(page, "accountId") == [(str(account_id), "Fairs &amp; shows (archived)")]


def test_a_rule_keeps_what_it_names(ada, bank, old):
    account_id, archive = old
    feed = bank.open("Old card")
    rule = {
        "name": "Fairs",
        "conditions": {
            "conditions": [
                {"field": "FEED_ACCOUNT", "operator": "EQUALS", "value": str(feed)},
                {"field": "FEED_ACCOUNT", "operator": "IN", "value": f"{feed}, {bank.open('Card')}"},
            ]
        },
        "effects": [{"kind": "SET_ACCOUNT", "accountId": account_id}],
    }
    made = ada.post(RULES, json=rule)
    assert made.status_code == 201, made.json
    archive()
    assert ada.patch(f"/api/feeds/accounts/{feed}", json={"isActive": False}).status_code == 200
    page = ada.browser().get(f"/rules/{made.json['rule']['id']}").text
    assert chosen(page, "conditions.conditions.0.value") == [(str(feed), "Old card")]
    assert {name for _, name in chosen(page, "conditions.conditions.1.value")} == {"Card", "Old card"}
    ((value, name),) = chosen(page, "effects.0.accountId")
    assert (value, name.partition("Fairs")[2]) == (str(account_id), " &amp; shows (archived)")
