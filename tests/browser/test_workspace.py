"""Working through lines in Chromium: keys, inline fields, the selection, and two tabs on one draft."""

from io import BytesIO

import pytest
from playwright.sync_api import expect

from tests.browser.test_loop import LINES, STATEMENT, send_held
from tests.fixtures.helpers.comboboxes import choose
from tests.fixtures.helpers.owed import items, owe


@pytest.fixture
def workspace(browse, ada):
    answer = ada.post("/api/feeds/imports", data={"file": (BytesIO(STATEMENT), "october.ofx")})
    assert answer.status_code == 201, answer.json

    def opened(show="all", **options):
        page = browse(ada, **options)
        page.goto(f"/feeds/1?show={show}")
        expect(page.locator(".line")).to_have_count(len(LINES))
        return page

    return opened


def line(page, text):
    return page.locator(".line").filter(has_text=text)


def test_an_account_is_chosen_on_the_line_and_the_line_is_confirmed_by_key(workspace):
    page = workspace()
    rent = line(page, "Rent October")
    rent.locator(".line-open").click()
    choose(rent.get_by_role("combobox", name="Account"), "Rent")
    page.keyboard.press("c")
    send_held(page)
    expect(rent).to_contain_text("Posted")
    expect(page.locator(".segments")).to_contain_text("To confirm 4")
    page.goto("/feeds/1?show=all")
    expect(rent.locator(".col-account")).to_have_text("Rent")


@pytest.mark.rare
def test_a_key_presses_nothing_on_another_line_and_the_current_line_keeps_the_focus(workspace):
    page = workspace()
    page.keyboard.press("c")
    page.keyboard.press("j")
    current = page.locator(".line[aria-current]")
    expect(current.get_by_role("combobox", name="Account")).to_be_visible()
    page.keyboard.press("c")
    expect(question(page)).to_be_visible()
    page.keyboard.press("Enter")
    send_held(page)
    expect(page.locator(".line").first).to_contain_text("Posted")
    expect(page.locator(".line").first.locator("select")).to_have_count(0)
    expect(current).to_contain_text(LINES[3][3])
    expect(current.locator(".line-open")).to_be_focused()
    expect(current.get_by_role("combobox", name="Account")).to_be_visible()
    page.keyboard.press("s")
    expect(current.locator("[name='splits.0.amount']")).to_be_focused()
    page.goto("/feeds/1?show=all")
    expect(page.locator(".line-confirm")).to_have_count(len(LINES) - 1)


@pytest.mark.rare
def test_confirming_many_asks_once_where_some_are_uncategorised(workspace):
    page = workspace()
    page.locator("#select-all").check()
    dock = page.locator("#dock")
    expect(dock).to_contain_text("5 selected")
    expect(dock).to_contain_text("922.54")
    dock.get_by_role("button", name="Confirm 5 lines").click()
    expect(dock).to_contain_text("have no account")
    dock.get_by_role("button", name="Confirm all 5").click()
    expect(page.locator(".line-confirm")).to_have_count(0)


@pytest.mark.rare
def test_a_line_is_split_and_a_wrong_sum_is_said_where_it_was_typed(workspace):
    page = workspace()
    page.goto("/feeds/1?show=all&line=2&edit=splits")
    row = page.locator("tr.line-form")
    amounts = row.locator("input[name$=amount]")
    accounts = row.get_by_label("Account")
    amounts.nth(0).fill("1400")
    choose(accounts.nth(0), "Rent")
    amounts.nth(1).fill("40")
    choose(accounts.nth(1), "Insurance")
    row.get_by_role("button", name="Save the split").click()
    expect(page.get_by_role("alert")).to_contain_text("−10.00 EUR is left")
    expect(row.locator("input[name$=amount]").nth(1)).to_have_value("40")
    row.locator("input[name$=amount]").nth(1).fill("50")
    row.get_by_role("button", name="Save the split").click()
    expect(line(page, "Rent October")).to_contain_text("Split in 2")


@pytest.mark.rare
def test_the_likely_account_of_a_line_is_taken_by_key(workspace, ada, bank):
    page = workspace()
    rent = bank.account("Rooms")
    earlier = bank.at(1).send("2026-09-01", "-1450.00", "Rent September", counterparty="Rent")
    ada.patch(f"/api/transactions/{earlier}", json={"accountId": rent})
    ada.post(f"/api/transactions/{earlier}/confirm", json={})
    page.reload()
    expect(line(page, "Rent October").locator(".likely")).to_contain_text("Rooms?")
    page.goto("/feeds/1?show=all&line=2")
    expect(line(page, "Rent October")).to_contain_text("1 of 1 payment to Rent went to Rooms.")
    page.keyboard.press("Enter")
    expect(line(page, "Rent October").get_by_role("combobox", name="Account")).to_have_value("Rooms")
    expect(line(page, "Rent October").locator(".line-likely")).to_have_count(0)


@pytest.mark.rare
@pytest.mark.parametrize("is_current", [False, True], ids=["in its row", "opened"])
def test_enter_lets_a_line_pay_what_is_owed_and_its_confirmation_goes_on_to_the_next(
    workspace, ada, bank, books, is_current
):
    """Enter takes what the row asks; the line keeps the focus, because `c` confirms it, and that goes on."""
    owe(ada, books, "-76.90", bank.merchant("DB"), account="Trade payables", reference="ICE 693")
    page = workspace()
    paying = line(page, "ICE 693")
    if is_current:
        paying.locator(".line-open").click()
        expect(paying.get_by_role("button", name="Mark ICE 693 as paid")).to_be_visible()
        page.keyboard.press("Enter")
    else:
        paying.get_by_role("button", name="Pays ICE 693?").press("Enter")
    expect(paying.locator(".likely, .line-likely")).to_have_count(0)
    expect(paying.locator(".line-open")).to_be_focused()
    paid = ada.get("/api/transactions/4").json["transaction"]
    assert [(each["amount"], paid["entryStatus"]) for each in paid["settles"]] == [("-76.90", "DRAFT")]
    page.keyboard.press("c")
    current = page.locator(".line[aria-current]")
    expect(current).to_contain_text("Hetzner Online")
    expect(current.locator(".line-open")).to_be_focused()
    send_held(page)
    expect(paying).to_contain_text("Posted")
    assert [each["open"] for each in items(ada) if each["reference"] == "ICE 693"] in ([], ["0.00"])


@pytest.mark.rare
def test_two_tabs_on_one_draft_do_not_overwrite_each_other(workspace):
    first, second = workspace(), workspace()
    first.locator("[name=statementDate]").fill("2026-10-31")
    first.locator("[name=statementBalance]").fill("934.54")
    first.get_by_role("button", name="Start reconciling").click()
    expect(first.locator("#difference-figure")).to_have_text("934.54")
    second.goto("/feeds/1?show=all")
    first.locator("[name=statementBalance]").fill("900.00")
    first.locator("[name=statementBalance]").press("Tab")
    expect(first.locator("#difference-figure")).to_have_text("900.00")
    second.locator("[name=statementBalance]").fill("800.00")
    second.locator("[name=statementBalance]").press("Tab")
    expect(second.locator("#panel")).to_contain_text("Your figures are still in the fields")
    expect(second.locator("[name=statementBalance]")).to_have_value("800.00")


def question(page):
    return page.locator(".line-question")


@pytest.mark.rare
def test_an_uncategorised_line_is_asked_about_and_the_question_is_withdrawn(workspace):
    page = workspace()
    page.keyboard.press("j")
    current = page.locator(".line[aria-current]")
    expect(current.get_by_role("combobox", name="Account")).to_be_visible()
    for withdraw in ("Escape", "j", "x"):
        page.keyboard.press("c")
        expect(question(page)).to_contain_text("No account chosen. Post to “Uncategorised”?")
        page.keyboard.press(withdraw)
        expect(question(page)).to_have_count(0)
    expect(page.locator(".line-confirm")).to_have_count(len(LINES))
    page.reload()
    expect(page.locator(".line-confirm")).to_have_count(len(LINES))


@pytest.mark.rare
def test_a_suggestion_is_posted_by_the_key_and_by_the_touch_that_name_it(workspace, ada, bank):
    rooms = bank.account("Rooms")
    page = workspace(viewport={"width": 390, "height": 844})
    earlier = bank.at(1).send("2026-09-01", "-1450.00", "Rent September", counterparty="Rent")
    ada.patch(f"/api/transactions/{earlier}", json={"accountId": rooms})
    ada.post(f"/api/transactions/{earlier}/confirm", json={})
    later = bank.at(1).send("2026-11-01", "-1450.00", "Rent November", counterparty="Rent")
    page.reload()
    rent = line(page, "Rent October")
    expect(rent.locator(".on-phone")).to_contain_text("Rooms?")
    expect(rent.locator(".line-confirm")).to_have_text("Confirm as Rooms Rent October")
    rent.locator(".line-confirm").click()
    send_held(page)
    expect(rent).to_contain_text("Posted")
    expect(rent.locator(".on-phone")).to_contain_text("Rooms")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"/feeds/1?show=all&line={later}")
    page.keyboard.press("c")
    send_held(page)
    expect(line(page, "Rent November")).to_contain_text("Posted")
    assert ada.get(f"/api/transactions/{later}").json["transaction"]["accountId"] == rooms


@pytest.mark.rare
def test_a_line_that_a_second_tab_changed_turns_amber_with_both_versions(workspace, ada, books):
    page = workspace()
    ada.patch("/api/transactions/2", json={"accountId": books.account_id("Rent")})
    page.reload()
    ada.patch("/api/transactions/2", json={"accountId": books.account_id("Travel")})
    rent = line(page, "Rent October")
    rent.locator(".line-confirm").click()
    send_held(page)
    expect(rent).to_contain_text("Nothing was posted. Account Rent → Travel.")
    rent.get_by_role("button", name="Set it back to Rent").click()
    expect(rent.get_by_role("combobox", name="Account")).to_have_value("Rent")
    rent.locator(".line-confirm").click()
    send_held(page)
    expect(rent).to_contain_text("Posted")


@pytest.mark.rare
def test_the_question_about_a_selection_is_withdrawn_with_it(workspace):
    page = workspace()
    dock = page.locator("#dock")
    boxes = page.locator(".line .box")
    for withdraw in (lambda: page.keyboard.press("Escape"), lambda: boxes.nth(2).check()):
        boxes.nth(0).check()
        boxes.nth(1).check()
        dock.get_by_role("button", name="Confirm 2 lines").click()
        expect(dock).to_contain_text("2 of 2 lines have no account")
        expect(dock).to_be_focused()
        withdraw()
        expect(dock.locator("#asking")).to_have_count(0)
    dock.get_by_role("button", name="Confirm 3 lines").click()
    dock.get_by_role("button", name="Confirm all 3").click()
    expect(page.locator(".line-confirm")).to_have_count(len(LINES) - 3)
    page.locator("#toast").get_by_role("button", name="Void these 3").click()
    expect(page.locator("#toast")).to_contain_text("3 entries voided")
    expect(page.locator(".line-confirm")).to_have_count(len(LINES))


@pytest.mark.rare
def test_a_line_that_was_left_has_its_plain_row_again(workspace, books):
    page = workspace()
    first, second = page.locator(".line").nth(0), page.locator(".line").nth(1)
    before = first.inner_text()
    first.locator(".line-open").click()
    expect(first.get_by_role("combobox", name="Account")).to_be_visible()
    second.locator(".line-open").click()
    expect(second.get_by_role("combobox", name="Account")).to_be_visible()
    expect(first.locator("select")).to_have_count(0)
    assert first.inner_text() == before
    choose(second.get_by_role("combobox", name="Account"), "Rent")
    expect(second.locator(".line-edit.is-uncategorised")).to_have_count(0)
    first.locator(".line-open").click()
    expect(first.get_by_role("combobox", name="Account")).to_be_visible()
    expect(second.locator("select")).to_have_count(0)
    expect(second.locator(".col-account")).to_have_text("Rent")
    choose(first.get_by_role("combobox", name="Account"), "Travel")
    page.keyboard.press("j")
    expect(second.get_by_role("combobox", name="Account")).to_be_visible()
    expect(first.locator("select")).to_have_count(0)
    expect(first.locator(".col-account")).to_have_text("Travel")


def test_the_columns_stay_where_a_line_is_gone(workspace, ada, faults):
    page = workspace()
    widths = "[...document.querySelectorAll('#lines thead th')].map((each) => each.offsetWidth)"
    before = page.evaluate(widths)
    assert ada.delete("/api/feeds/imports/1").status_code == 200
    page.locator(".line").first.locator(".line-open").click()
    expect(page.locator("#lines .part-error")).to_contain_text("This is no longer there.")
    assert page.evaluate(widths) == before
    faults.clear()
