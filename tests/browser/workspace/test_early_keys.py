"""Keys that are pressed before the answer that they are for: none is lost, and none presses something else."""

import pytest
from playwright.sync_api import expect

from tests.fixtures.helpers.owed import owe


@pytest.fixture
def desk(browse, ada, bank, books):
    """Ada's page on three lines, of which the second pays a bill."""
    bank.open("Giro")
    owe(ada, books, "-76.90", bank.merchant("DB"), account="Trade payables", reference="ICE 693")
    bank.send_many(
        [
            ("2026-10-03", "-1.00", "Coffee"),
            ("2026-10-02", "-76.90", "DB ICE 693"),
            ("2026-10-01", "-2.00", "Tea"),
        ]
    )
    page = browse(ada)
    page.goto(f"/feeds/{bank.fa_id}?show=all")
    return page


@pytest.fixture
def late(desk):
    """Hold the requests for an address back, until what this gives is called."""

    def hold(address):
        held, is_over = [], []
        desk.route(address, lambda route: route.continue_() if is_over else held.append(route))

        def release():
            is_over.append(True)
            for route in held:
                route.continue_()

        return release

    return hold


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_enter_right_after_j_lets_the_line_pay_its_bill_and_j_goes_on(desk, late, ada):
    release = late("**/feeds/*?*line=*")
    press(desk, "j", "j", "Enter", "j")
    release()
    paying = desk.locator(".line", has_text="ICE 693")
    expect(paying.locator(".line-pays")).to_be_visible()
    expect(desk.locator(".line[aria-current]")).to_contain_text("Tea")
    line = ada.get("/api/transactions/2").json["transaction"]
    assert (line["entryStatus"], [each["amount"] for each in line["settles"]]) == ("DRAFT", ["-76.90"])


def test_a_part_of_a_line_that_is_not_open_yet_is_asked_for_when_it_is(desk, late):
    release = late("**/feeds/*?*line=*")
    press(desk, "j", "s")
    release()
    expect(desk.locator(".line[aria-current] tr.line-form")).to_be_visible()


def test_what_is_typed_for_a_field_that_is_not_there_yet_is_in_it_and_confirms_nothing(desk, late):
    release = late("**/feeds/*?*line=*")
    press(desk, "j", "e", *"cred", "Backspace")
    expect(desk.locator(".line-held")).to_have_count(0)
    release()
    field = desk.locator(".line[aria-current]").get_by_role("combobox", name="Account")
    expect(field).to_have_value("cred")
    expect(field).to_be_focused()


def test_enter_accepts_what_changes_also_before_it_is_shown(desk, late):
    press(desk, "a", "e")
    expect(desk.locator("#dock").get_by_role("combobox", name="Account")).to_be_focused()
    desk.keyboard.type("trav")
    expect(desk.locator("#combobox-list [role=option]").first).to_contain_text("Travel")
    press(desk, "Enter")
    expect(desk.locator("#change-show")).to_be_focused()
    release = late("**/transactions/change*")
    press(desk, "Enter", "Enter")
    release()
    expect(desk.locator("#toast")).to_contain_text("3 lines changed.")
