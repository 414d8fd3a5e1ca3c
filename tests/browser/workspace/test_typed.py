"""Days and amounts as people type them, in Chromium: the fields show what was read, and a split what is left."""

from io import BytesIO

import pytest
from playwright.sync_api import expect

from tests.fixtures.bank_files.ofx_files import balance, sgml, statement, transaction
from tests.fixtures.helpers.comboboxes import choose
from tests.fixtures.helpers.marks import on_sqlite


@pytest.mark.rare
@on_sqlite
def test_the_fields_show_what_was_read_and_the_last_part_takes_the_rest(browse, ada, bank, books):
    line = bank.send("2026-03-02", "-1234.50", "DB ICE 571")
    settings = {"name": "One", "timeZone": "UTC", "locale": "en-DE"}
    ada.browser().post("/settings/organization", data=settings)
    page = browse(ada)

    page.goto("/journal/new")
    day = page.get_by_label("Day", exact=True)
    day.fill("31.12.25")
    day.press("Tab")
    expect(day).to_have_value("31 Dec 2025")
    day.fill("some day")
    day.press("Tab")
    expect(page.locator("[name=effectiveAt]:invalid")).to_have_count(1)
    page.get_by_role("button", name="Calendar").click()
    page.locator(".day-picker").evaluate(
        "(picker) => { picker.value = '2026-03-31'; picker.dispatchEvent(new Event('change', {bubbles: true})) }"
    )
    expect(day).to_have_value("31 Mar 2026")

    page.goto(f"/feeds/1?show=all&line={line}&edit=splits")
    first, last = (page.locator(f"[name='splits.{at}.amount']") for at in (0, 1))
    expect(page.locator(".split-rest")).to_have_text("1.234,50 EUR is left.")
    first.press_sequentially("1.000,5")
    expect(page.locator(".split-rest")).to_have_text("234,00 EUR is left.")
    expect(last).to_have_attribute("placeholder", "234,00")
    last.press_sequentially("=")
    expect(last).to_have_value("234,00")
    expect(page.locator(".split-rest")).to_have_text("Nothing is left.")
    page.get_by_role("button", name="Add a part").click()
    expect(page.locator(".split-row")).to_have_count(3)
    expect(first).to_have_value("1.000,5")
    choose(page.locator(".split-row").first.get_by_role("combobox", name="Account"), "Travel")
    page.get_by_role("button", name="Save the split").click()
    expect(page.locator(".line .split .figure")).to_have_text(["−1.000,50", "−234,00"])
    page.locator(".line .box").check()
    expect(page.locator(".dock-sum")).to_have_text("−1.234,50")


@pytest.mark.rare
@on_sqlite
def test_what_a_card_owes_is_repeated_until_another_balance_is_typed(browse, ada):
    card = statement(transaction(), name="CCSTMTRS", balances=[balance("-87.50")])
    answer = ada.post("/api/feeds/imports", data={"file": (BytesIO(sgml(card)), "card.ofx")})
    assert answer.status_code == 201, answer.json
    page = browse(ada)
    page.goto("/feeds/1")
    repeated = page.get_by_text("You owe 87.50 EUR", exact=True)
    expect(repeated).to_be_visible()
    page.get_by_label("Statement balance").fill("90,0,0")
    expect(repeated).to_be_hidden()
    page.get_by_role("button", name="Start reconciling").click()
    expect(page.get_by_text("Write an amount like 1,234.50.")).to_be_visible()
    expect(repeated).to_have_count(0)
