"""What a screen reader is given of the loop, by the accessibility tree of Chromium, and how few stops Tab makes."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import MODES
from tests.fixtures.desks import Desk

PROOF = {
    ("article", "Proof of Main account, 31 Mar 2026"),
    ("heading", "This proof is valid"),
    ("table", "Ticked lines"),
    ("link", "Entry 1"),
}


def heard(page):
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")
    named = (node for node in tree["nodes"] if node.get("name", {}).get("value"))
    return {
        (node["role"]["value"], node["name"]["value"], node.get("description", {}).get("value", ""))
        for node in named
    }


@pytest.fixture
def march(ada, bank):
    _, rewe = bank.send_many([("2026-03-02", "100.00", "Halden"), ("2026-03-07", "-23.06", "Rewe")])
    desk = Desk(ada, bank)
    ada.patch(f"/api/transactions/{rewe}", json={"accountId": bank.account("Groceries")})
    desk.confirm(rewe)
    desk.put("2026-03-31", "76.94")
    desk.clear(cleared=[rewe])
    return bank.fa_id


@pytest.mark.rare
def test_a_line_the_difference_and_a_proof_are_heard_and_a_line_is_one_stop(browse, ada, march):
    page = browse(ada)
    page.goto(f"/feeds/{march}?show=all")
    said = heard(page)
    words = "7 Mar, minus 23.06 EUR, Groceries, posted, ticked"
    assert {("link", "Rewe", words), ("row", f"Rewe {words}", "")} <= said
    assert ("row", "Halden 2 Mar, 100.00 EUR, uncategorised, draft, not ticked", "") in said
    assert ("StaticText", "Difference 100.00 EUR", "") in said
    assert ("StaticText", "100.00", "") in said

    focused = page.locator(":focus")
    page.locator("#select-all").focus()
    for stop in ("Rewe", "Halden"):
        page.keyboard.press("Tab")
        expect(focused).to_have_text(stop)
        expect(page.locator(".line[aria-current]")).to_contain_text(stop)
    page.keyboard.press("Tab")
    expect(page.locator(".line :focus")).to_have_count(0)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowUp")
    expect(focused).to_have_text("Rewe")
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_text("Halden")
    field = page.get_by_role("combobox", name="Account")
    expect(field).to_have_value("Uncategorised income")
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(field).to_be_focused()
    page.set_viewport_size(MODES["phone"]["viewport"])
    assert field.bounding_box()["height"] >= 44
    page.set_viewport_size(MODES["light"]["viewport"])
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    expect(page.locator(".line-question")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".line-held")).to_have_count(1)
    page.keyboard.press("Space")
    expect(page.locator("#difference")).to_contain_text("Difference 0.00 EUR, reconciled")
    page.emulate_media(forced_colors="active")
    expect(page.locator("#difference-figure")).to_have_css("border-bottom-style", "double")
    expect(page.locator(".line[aria-current] > tr")).to_have_css("outline-style", "solid")
    page.get_by_role("button", name="Complete reconciliation").click()
    page.get_by_role("link", name="Open the proof").click()
    expect(page.get_by_role("heading", name="This proof is valid")).to_be_visible()
    assert {(role, name) for role, name, _ in heard(page)} >= PROOF
