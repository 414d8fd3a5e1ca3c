"""The field that finds lines of an account, in Chromium: it exchanges the list alone, and Back brings it again."""

import pytest
from playwright.sync_api import expect

from tests.fixtures.helpers.marks import on_sqlite


@pytest.mark.rare
@on_sqlite
def test_finding_exchanges_the_list_and_back_brings_it_again(browse, ada, bank):
    bank.send_many([("2026-03-02", "-1.00", "Coffee"), ("2026-03-03", "-42.10", "Quarterly rent")])
    page = browse(ada)
    page.goto("/feeds/1?show=all")
    page.evaluate("document.body.dataset.stays = 'yes'")
    field, lines = page.get_by_label("Find a line by text or amount"), page.locator("tbody.line")
    field.press_sequentially("rent")
    field.press("ArrowLeft")
    field.press("Enter")
    expect(lines).to_have_count(1)
    page.wait_for_url("**/feeds/1?show=all&q=rent**")
    # The page is the same one, and typing goes on where it was.
    expect(page.locator("body")).to_have_attribute("data-stays", "yes")
    expect(page.get_by_role("link", name="All 1")).to_be_visible()
    expect(field).to_be_focused()
    page.keyboard.type("X")
    expect(field).to_have_value("renXt")
    page.go_back()
    expect(lines).to_have_count(2)
    expect(field).to_have_value("")
    page.go_forward()
    expect(lines).to_have_count(1)

    plain = browse(ada, java_script_enabled=False)
    plain.goto("/feeds/1?show=all")
    plain.get_by_label("Find a line by text or amount").fill("rent")
    plain.get_by_label("Find a line by text or amount").press("Enter")
    expect(plain.locator("tbody.line")).to_have_count(1)
