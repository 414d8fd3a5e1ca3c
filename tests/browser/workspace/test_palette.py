"""The palette in Chromium: opened by key and by click, moved through and taken from by key, read by a screen reader."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility.test_axe import broken_rules
from tests.browser.conftest import MODES


def field(page):
    return page.get_by_role("combobox", name="Search everything")


@pytest.mark.rare
def test_something_is_found_and_gone_to_by_key_alone(browse, ada, bank):
    bank.open("Current account")
    bank.send_many([("2026-03-02", "-1.00", "Coffee"), ("2026-03-03", "-42.10", "Quarterly rent")])
    page = browse(ada, **MODES["light"])
    page.goto("/")
    page.keyboard.press("/")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(field(page)).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("new ru")
    expect(page.get_by_role("option").first).to_contain_text("New rule")
    field(page).fill("quarterly")
    expect(page.get_by_role("group", name="Bank lines").get_by_role("option")).to_have_count(1)
    active = field(page).get_attribute("aria-activedescendant")
    expect(page.locator(f"#{active}")).to_have_attribute("aria-selected", "true")
    expect(page.locator(f"#{active}")).to_contain_text("Quarterly rent")
    assert broken_rules(page) == []
    expect(page.locator("#combobox-list")).to_be_hidden()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#found-1")).to_have_attribute("aria-selected", "true")
    field(page).fill("reconcile current")
    page.keyboard.press("Enter")
    page.wait_for_url("**/feeds/*?show=statement")


@pytest.mark.rare
def test_a_finger_opens_the_palette_on_a_phone_and_the_page_does_it_without_scripts(browse, ada, bank):
    bank.send("2026-03-02", "-42.10", "Quarterly rent")
    page = browse(ada, **MODES["phone"], has_touch=True)
    page.goto("/")
    page.locator(".bar").get_by_role("link", name="Search").tap()
    field(page).fill("42.10")
    page.get_by_role("option").filter(has_text="Quarterly rent").tap()
    page.wait_for_url("**/feeds/*#line-*")
    plain = browse(ada, java_script_enabled=False, **MODES["phone"])
    plain.goto("/")
    plain.locator(".bar").get_by_role("link", name="Search").click()
    plain.get_by_label("Text, number or amount").fill("quarterly")
    plain.get_by_role("button", name="Find").click()
    plain.get_by_role("link", name="Quarterly rent").click()
    plain.wait_for_url("**/feeds/*#line-*")
