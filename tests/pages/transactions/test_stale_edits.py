"""Two people on one line: a change is refused with both versions where somebody else has changed the line meanwhile."""

import re

import pytest

from tests.fixtures.helpers.marks import on_sqlite


def opened(browser, line, edit=""):
    page = browser.get(f"/feeds/1?show=all&line={line}{edit}").text
    form = page.partition(f'id="edit-{line}"')[2]
    return dict(re.findall(r'name="(shown|shownAt)" value="([^"]*)"', form)[:2])


@pytest.fixture
def line(bank):
    return bank.send("2026-03-02", "-100.00", "DB ICE 571")


@on_sqlite
def test_a_stale_change_names_who_was_first_and_offers_both_versions(ada, ben, books, line):
    travel, rent = books.account_id("Travel"), books.account_id("Rent")
    ada_, ben_ = ada.browser(), ben.browser()
    seen = opened(ada_, line)
    ben_.post(f"/transactions/{line}", data=opened(ben_, line) | {"accountId": travel})
    refused = ada_.post(f"/transactions/{line}", data=seen | {"accountId": rent, "orgMerchantId": ""})
    assert refused.status_code == 409
    note = " ".join(re.sub("<[^>]+>", " ", refused.text.partition('class="line-changed"')[2]).split())
    assert "Ben changed this line just now. Your change was not saved." in note
    assert "Account Uncategorised expenses → Travel ." in note
    assert "Yours: Rent ." in note
    assert "Use Rent" in note
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["accountId"] == travel
    mine = re.search(r'class="line-changed".*?<form.*?</form>', refused.text, re.DOTALL)[0]
    again = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', mine))
    assert set(again) == {"shown", "shownAt", "accountId"}
    assert ada_.post(f"/transactions/{line}", data=again).status_code == 303
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["accountId"] == rent


@on_sqlite
def test_a_change_to_what_somebody_else_has_set_already_is_no_conflict(ada, ben, books, line):
    travel = books.account_id("Travel")
    ada_, ben_ = ada.browser(), ben.browser()
    seen = opened(ada_, line)
    ben_.post(f"/transactions/{line}", data=opened(ben_, line) | {"accountId": travel})
    assert ada_.post(f"/transactions/{line}", data=seen | {"accountId": travel}).status_code == 303


@on_sqlite
def test_a_stale_split_keeps_what_was_typed(ada, books, line):
    travel, rent = str(books.account_id("Travel")), str(books.account_id("Rent"))
    browser = ada.browser()
    seen = opened(browser, line)
    browser.post(f"/transactions/{line}", data=opened(browser, line) | {"accountId": travel})
    form = {"splits.0.amount": "60", "splits.0.accountId": travel, "splits.1.accountId": rent}
    refused = browser.post(f"/transactions/{line}", data=seen | form)
    assert refused.status_code == 409
    text = " ".join(refused.text.split())
    assert "You changed this line just now, in another tab." in text
    assert "What you typed is still in the fields." in text
    assert 'value="60"' in text
    assert browser.post(f"/transactions/{line}", data=opened(browser, line) | form).status_code == 303


@on_sqlite
def test_a_stale_description_overwrites_none_and_keeps_what_was_typed(ada, ben, line):
    """Neither the account nor the amount tells that somebody wrote about the line."""
    ada_, ben_ = ada.browser(), ben.browser()
    page = ada_.get(f"/feeds/1?show=all&line={line}&edit=description").text
    form = dict(re.findall(r'name="(shown|shownAt|shownDescription)" value="([^"]*)"', page))
    assert form["shownDescription"] == "DB ICE 571"
    assert ben_.post(f"/transactions/{line}", data=form | {"description": "Train to Bonn"}).status_code == 303
    refused = ada_.post(f"/transactions/{line}", data=form | {"description": "Train to Cologne"})
    assert refused.status_code == 409
    text = " ".join(re.sub("<[^>]+>", " ", refused.text).split())
    assert "Ben changed this line just now. Your change was not saved." in text
    assert "Description “DB ICE 571” → “Train to Bonn”" in text.replace(" .", ".")
    assert 'value="Train to Cologne"' in refused.text
    again = dict(re.findall(r'name="(shown|shownAt|shownDescription)" value="([^"]*)"', refused.text))
    assert (
        ada_.post(f"/transactions/{line}", data=again | {"description": "Train to Cologne"}).status_code
        == 303
    )
    entry = ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    assert ada.get(f"/api/journal-entries/{entry}").json["entry"]["description"] == "Train to Cologne"
    reopened = ada_.get(f"/feeds/1?show=all&line={line}&edit=description").text
    assert reopened.count('value="Train to Cologne"') == 2
