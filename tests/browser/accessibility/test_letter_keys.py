"""Letter keys are switched off in the viewer's menu and stay off: no letter acts, while the buttons do."""

from playwright.sync_api import expect

from tests.fixtures.browsers import another_page


def test_no_letter_acts_once_they_are_switched_off(browse, ada, bank):
    bank.send_many([("2026-03-02", "-1.00", "Coffee"), ("2026-03-03", "-2.00", "Tea")])
    page = browse(ada)
    page.goto(f"/feeds/{bank.fa_id}?show=all")
    _switch(page, "off")
    line = page.locator(".line").first
    for key in ("j", "x", "c", "?"):
        page.keyboard.press(key)
    expect(page.locator(".line[aria-current]")).to_have_count(0)
    expect(page.locator(".line .box:checked")).to_have_count(0)
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(line).not_to_contain_text("uncategorised, and would be posted")
    _switch(page, "on")
    page.keyboard.press("j")
    expect(line).to_have_attribute("aria-current", "true")


def _switch(page, state):
    """Press the button in the viewer's menu, and wait until the page that comes back listens to keys."""
    page.locator(".bar-person > summary").click()
    with another_page(page):
        page.get_by_role("button", name=f"Switch letter keys {state}").click()
