"""Two names of one shop are merged in Chromium, by key, and separated again without scripts."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility.test_axe import broken_rules
from tests.browser.conftest import MODES
from tests.fixtures.helpers.comboboxes import choose
from tests.fixtures.helpers.marks import on_sqlite


@pytest.mark.rare
@on_sqlite
def test_a_shop_of_two_names_becomes_one_and_two_again(browse, ada, bank):
    markt, rewe = bank.merchant("REWE Markt 1187"), bank.merchant("Rewe")
    line = bank.send("2026-03-02", "-12.50", "Bread")
    ada.patch(f"/api/transactions/{line}", json={"orgMerchantId": markt})
    page = browse(ada, **MODES["light"])
    page.goto(f"/merchants/{markt}")
    page.get_by_role("link", name="Merge into…").press("Enter")
    choose(page.get_by_role("combobox", name="Merge into"), "rew")
    page.get_by_role("button", name="Preview the merge").press("Enter")
    expect(page.get_by_role("row", name="Together, as Rewe 0 1 1")).to_be_visible()
    assert broken_rules(page) == []
    page.get_by_role("button", name="Merge into Rewe").press("Enter")
    page.wait_for_url(f"**/merchants/{rewe}")
    expect(page.get_by_role("link", name="REWE Markt 1187")).to_be_visible()
    page.goto(f"/feeds/1?show=all&line={line}")
    expect(page.locator(".line-edit select[name=orgMerchantId] option:checked")).to_have_text("Rewe")

    plain = browse(ada, java_script_enabled=False, **MODES["phone"])
    plain.goto(f"/merchants/{rewe}")
    plain.get_by_role("button", name="Separate again").click()
    expect(plain.get_by_role("heading", name="REWE Markt 1187", exact=True)).to_be_visible()
    plain.goto(f"/feeds/1?show=all&line={line}")
    expect(plain.locator(".line-edit select[name=orgMerchantId] option:checked")).to_have_text(
        "REWE Markt 1187"
    )
