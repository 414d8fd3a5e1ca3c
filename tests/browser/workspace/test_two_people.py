"""Two people in one account, in Chromium: a hint, the note on a stale line, and the place that a list keeps."""

import pytest
from playwright.sync_api import expect

from tests.fixtures.helpers.comboboxes import choose
from tests.fixtures.helpers.marks import on_sqlite


@pytest.mark.rare
@on_sqlite
def test_others_are_noticed_nothing_is_overwritten_and_the_place_is_kept(browse, ada, ben, bank, books):
    for number in range(60):
        bank.send("2026-03-02", f"-{number + 1}.00", f"DB ICE {number + 1}")
    page = browse(ada)
    page.clock.install()
    page.goto("/feeds/1?show=all")
    row = page.locator(".line").filter(has_text="DB ICE 20").first
    line = int((row.get_attribute("id") or "").removeprefix("line-"))
    row.locator(".line-open").click()
    field = row.get_by_role("combobox", name="Account")
    expect(field).to_be_visible()
    ben.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Rent")})

    page.clock.fast_forward(16_000)
    hint = page.locator("#others")
    expect(hint).to_contain_text("changed 1 line shown here.")
    choose(field, "Travel")
    note = page.locator(".line-changed")
    expect(note).to_contain_text("Uncategorised expenses → Rent.")
    expect(row.get_by_role("combobox", name="Account")).to_have_value("Rent")
    note.get_by_role("button", name="Use Travel").click()
    expect(note).to_have_count(0)
    expect(row.get_by_role("combobox", name="Account")).to_have_value("Travel")


@pytest.mark.rare
@on_sqlite
def test_a_list_keeps_its_place_its_selection_and_its_focus(browse, ada, bank):
    for number in range(60):
        bank.send("2026-03-02", f"-{number + 1}.00", f"DB ICE {number + 1}")
    page = browse(ada)
    page.goto("/feeds/1?show=all")
    box, line = (page.locator(each).nth(30) for each in (".line .box", ".line"))
    box.check()
    line.locator(".line-open").click()
    expect(line.get_by_role("combobox", name="Account")).to_be_visible()
    expect(box).to_be_checked()
    place = "document.querySelector('.lines-scroll').scrollTop"
    scrolled = page.evaluate(place)
    assert scrolled > 100
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".line")).to_have_count(10)
    page.go_back()
    expect(page.locator(".dock-count")).to_have_text("1 selected")
    expect(line.locator(".line-open")).to_be_focused()
    assert abs(page.evaluate(place) - scrolled) < 40
    page.reload()
    expect(page.locator(".dock-count")).to_have_text("1 selected")
    expect(line.locator(".line-open")).to_be_focused()


@pytest.mark.rare
@on_sqlite
def test_the_line_of_an_address_stands_below_the_head_of_the_list(browse, ada, bank):
    ids = [bank.send("2026-03-02", f"-{number + 1}.00", f"DB ICE {number + 1}") for number in range(45)]
    page = browse(ada)
    page.goto(f"/feeds/1?show=all&line={ids[20]}#line-{ids[20]}")
    line, head = (
        page.locator(f"#line-{ids[20]}").bounding_box(),
        page.locator(".lines th").first.bounding_box(),
    )
    assert page.evaluate("document.querySelector('.lines-scroll').scrollTop") > 100
    assert line["y"] >= head["y"] + head["height"] - 1
