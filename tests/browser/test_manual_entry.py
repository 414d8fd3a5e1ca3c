"""Writing an entry in Chromium without touching the mouse, and without scripts."""

import pytest
from playwright.sync_api import expect

from tests.fixtures.helpers.owed import keep_items


def test_an_entry_is_written_and_posted_by_keyboard_alone(browse, ada, books):
    page = browse(ada)
    page.goto("/journal")
    keys = page.keyboard
    keys.press("g")
    keys.press("n")
    page.wait_for_url("**/journal/new")
    expect(page.get_by_label("Description")).to_be_focused()
    keys.type("Train and taxi")
    keys.press("Tab")
    keys.type("Travel")
    keys.press("Tab")
    keys.type("40.00")
    expect(page.locator("#balance")).to_contain_text("Debits exceed credits by 40.00 EUR.")
    for _ in range(6):
        keys.press("Tab")
    expect(page.locator("[name='postings.1.accountId']")).to_be_focused()
    keys.type("Rent")
    expect(page.locator(".leg")).to_have_count(3)
    keys.press("Tab")
    keys.type("2.50")
    for _ in range(6):
        keys.press("Tab")
    keys.type("petty")
    expect(page.locator(".leg")).to_have_count(4)
    keys.press("Tab")
    keys.press("=")
    expect(page.locator("[name='postings.2.credit']")).to_have_value("42.50")
    expect(page.locator("[name='postings.2.debit']")).to_have_value("")
    expect(page.locator("#balance")).to_contain_text("Debits equal credits.")
    expect(page.locator("[name='postings.2.debit']")).to_be_focused()
    keys.press("Control+Enter")
    page.wait_for_url("**/journal/1")
    expect(page.locator("#draft")).to_contain_text("Post entry 1")
    assert len(books.entries()) == 4
    page.locator("#draft button").first.focus()
    keys.press("Enter")
    expect(page.locator(".entry-head")).to_contain_text("Posted")
    assert len(books.balances()) == 3


@pytest.mark.rare
def test_a_leg_asks_what_is_owed_once_its_account_keeps_items(browse, ada, books):
    keep_items(ada, books.account_id("Trade receivables"))
    page = browse(ada)
    page.goto("/journal/new")
    item = page.locator(".leg-item").first
    expect(item).to_be_hidden()
    account = page.locator("[name='postings.0.accountId']")
    account.fill("1200 Trade receivables")
    expect(item).to_be_visible()
    page.get_by_label("Reference of line 1").fill("RE-1")
    account.fill("Travel")
    expect(item).to_be_visible()
    page.get_by_label("Reference of line 1").fill("")
    account.fill("Rent")
    expect(item).to_be_hidden()


@pytest.mark.rare
def test_a_key_after_g_is_no_key_of_its_own(browse, ada):
    page = browse(ada)
    for letter, place in (("c", "/accounts"), ("s", "/settings/organization"), ("j", "/journal")):
        page.goto("/merchants")
        page.keyboard.press("g")
        page.keyboard.press(letter)
        page.wait_for_url(f"**{place}")


@pytest.mark.rare
def test_what_was_typed_while_the_balance_was_asked_for_stays(browse, ada):
    page = browse(ada)
    page.goto("/journal/new")
    page.locator("[name='postings.0.accountId']").fill("Travel")
    page.locator("[name='postings.0.debit']").press_sequentially("1234.56", delay=90)
    expect(page.locator("#balance")).to_contain_text("Debits exceed credits by 1,234.56 EUR.")
    expect(page.locator("[name='postings.0.debit']")).to_have_value("1234.56")


@pytest.mark.rare
def test_an_entry_is_written_without_scripts(browse, ada, books):
    page = browse(ada, java_script_enabled=False)
    page.goto("/journal/new")
    page.locator("[name='postings.0.accountId']").fill("Travel")
    page.locator("[name='postings.0.debit']").fill("40.00")
    page.locator("[name='postings.1.accountId']").fill("Rent")
    page.locator("[name='postings.1.debit']").fill("2.50")
    page.get_by_role("button", name="Add a line").click()
    page.locator("[name='postings.2.accountId']").fill("petty")
    page.get_by_role("button", name="Fill in the rest").click()
    expect(page.locator("[name='postings.2.credit']")).to_have_value("42.50")
    expect(page.locator("#balance")).to_contain_text("Debits equal credits.")
    page.get_by_role("button", name="Post the entry").click()
    expect(page.locator(".entry-head")).to_contain_text("Posted")
    assert len(books.balances()) == 3
