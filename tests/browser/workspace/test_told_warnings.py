"""What an act warns of, in Chromium: after a redirect it stands in the toast of the next page, once."""

from playwright.sync_api import expect

from tests.fixtures.helpers.marks import on_sqlite


@on_sqlite
def test_a_void_behind_a_lock_says_so_on_the_page_that_it_leads_to(browse, ada, bank, books):
    legs = [
        {"accountId": books.account_id("Petty cash"), "amount": "99.00"},
        {"accountId": books.account_id("Sales of services"), "amount": "-99.00"},
    ]
    body = {"effectiveAt": "2025-12-05", "postings": legs, "post": True}
    entry = ada.post("/api/journal-entries", json=body).json["entry"]["id"]
    bank.lock("2025-12-31")
    page = browse(ada)
    page.goto(f"/journal/{entry}")
    page.get_by_role("link", name="Void…").click()
    page.locator("input[name=reason], textarea[name=reason]").first.fill("Wrong")
    page.get_by_role("button", name="Void").last.click()
    toast = page.locator("#toast.is-warning")
    expect(toast).to_contain_text("goes into 2026: the day is locked.")
    expect(toast).to_be_visible()
    page.reload()
    expect(page.locator("#toast")).to_be_empty()
