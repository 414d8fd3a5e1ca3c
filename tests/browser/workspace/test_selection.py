"""Many lines at once, by keys alone: what is selected, what is asked, and what is held and undone."""

import pytest
from playwright.sync_api import expect

ALL = "All 70 lines of this list"


@pytest.fixture
def desk(browse, ada, bank):
    """Ada's page on a list of two pages, without a line that was opened."""
    bank.send_many([("2026-03-09", f"-{cents}.00", f"Trip {cents}") for cents in range(1, 71)])
    page = browse(ada)
    page.clock.install()
    page.goto(f"/feeds/{bank.fa_id}?show=unconfirmed")
    expect(page.locator(".line")).to_have_count(50)
    return page


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def give_travel(page, count):
    dock = page.locator("#dock")
    expect(dock.locator(".dock-count")).to_have_text(f"{count} selected")
    press(page, "e")
    expect(dock.get_by_role("combobox", name="Account")).to_be_focused()
    page.keyboard.type("trav")
    expect(page.locator("#combobox-list [role=option]").first).to_contain_text("Travel")
    press(page, "Enter")
    expect(page.locator("#change-show")).to_be_focused()
    press(page, "Enter")
    expect(dock.locator("#asking")).to_contain_text(f"Set account Travel on {count} lines?")
    press(page, "Enter")
    expect(page.locator("#toast")).to_contain_text(f"{count} lines changed.")


def test_fifty_lines_get_an_account_and_are_confirmed_by_keys_without_a_tab(desk):
    press(desk, "a")
    give_travel(desk, 50)
    press(desk, "c")
    expect(desk.locator("#held-status")).to_have_text("Confirming 50 lines. Press z to undo.")
    desk.clock.fast_forward(10_001)
    expect(desk.locator("#toast")).to_contain_text("50 lines confirmed")


def test_all_of_a_list_are_counted_asked_about_held_and_undone(desk):
    dock = desk.locator("#dock")
    press(desk, "a", "a")
    expect(dock.get_by_label(ALL)).to_be_checked()
    expect(dock.get_by_role("button", name="Confirm 70 lines")).to_be_visible()
    expect(dock.locator(".dock-sum")).to_be_hidden()
    give_travel(desk, 70)
    press(desk, "c")
    expect(dock.locator("#asking")).to_contain_text("Confirm all 70 lines of this list?")
    press(desk, "Enter")
    expect(dock.locator("#asking")).to_have_count(0)
    expect(dock.locator(".line-held")).to_contain_text("Confirming…")
    expect(desk.locator("#held-status")).to_have_text("Confirming 70 lines. Press z to undo.")
    press(desk, "z")
    expect(dock.locator(".line-held")).to_have_count(0)
    expect(dock.locator(".dock-count")).to_have_text("70 selected")
    press(desk, "c")
    expect(dock.locator("#asking")).to_be_visible()
    press(desk, "Enter")
    expect(dock.locator(".line-held")).to_be_visible()
    desk.clock.fast_forward(10_001)
    expect(desk.locator("#toast")).to_contain_text("70 lines confirmed")


@pytest.mark.rare
def test_a_question_is_cancelled_and_the_selection_stays(desk):
    dock = desk.locator("#dock")
    press(desk, "a", "a", "c")
    for cancel in (dock.get_by_role("link", name="Cancel").click, lambda: press(desk, "Escape")):
        expect(dock.locator("#asking")).to_contain_text("70 of 70 lines have no account.")
        cancel()
        expect(dock.locator("#asking")).to_have_count(0)
        expect(dock.locator(".dock-count")).to_have_text("70 selected")
        press(desk, "c")
    press(desk, "Escape", "Escape")
    expect(desk.locator(".line .box:checked")).to_have_count(0)


@pytest.mark.rare
def test_a_list_without_one_of_its_lines_is_not_the_whole_list(desk):
    press(desk, "a", "a")
    desk.locator(".line .box").nth(3).uncheck()
    expect(desk.locator("#dock").get_by_label(ALL)).not_to_be_checked()
    expect(desk.locator(".dock-count")).to_have_text("49 selected")
    desk.locator("#dock").get_by_label(ALL).check()
    expect(desk.locator(".line .box:checked")).to_have_count(50)
    expect(desk.locator(".dock-count")).to_have_text("70 selected")
