"""The focus on the workspace: whatever part of a line is replaced, the line stays the current one and has it."""

import pytest
from playwright.sync_api import expect

from tests.fixtures.helpers.comboboxes import choose
from tests.fixtures.helpers.owed import owe


@pytest.fixture
def current(browse, ada, bank, books):
    """The current line of three, which may pay a bill."""
    bank.open("Giro")
    owe(ada, books, "-76.90", bank.merchant("DB"), account="Trade payables", reference="ICE 693")
    coffee = ("2026-10-01", "-1.00", "Coffee")
    _, line, _ = bank.send_many(
        [coffee, ("2026-10-02", "-76.90", "DB ICE 693"), ("2026-10-03", "-2.00", "Tea")]
    )
    page = browse(ada)
    page.goto(f"/feeds/{bank.fa_id}?show=all&line={line}")
    page.locator(".line[aria-current] .line-open").focus()
    return page.locator(".line[aria-current]")


def split(current):
    current.page.keyboard.press("s")
    form = current.locator("tr.line-form")
    amounts, accounts = form.locator("input[name$=amount]"), form.get_by_role("combobox", name="Account")
    for place, (amount, account) in enumerate((("70", "Travel"), ("6.90", "Insurance"))):
        amounts.nth(place).fill(amount)
        choose(accounts.nth(place), account)
    current.get_by_role("button", name="Save the split").press("Enter")
    expect(current).to_contain_text("Split in 2")


def describe(current):
    current.locator(".line-menu summary").press("Enter")
    current.get_by_role("link", name="Change the description…").press("Enter")
    current.get_by_label("Description").fill("Train to Bonn")
    current.get_by_label("Description").press("Enter")
    expect(current.locator(".line-form")).to_have_count(0)


def take_an_account(current):
    current.page.keyboard.press("e")
    current.page.keyboard.type("trav", delay=40)
    current.page.keyboard.press("Enter")
    expect(current.get_by_role("combobox", name="Account")).to_have_value("Travel")


def pay(current):
    current.page.keyboard.press("p")
    current.locator(".why").get_by_role("button").first.press("Enter")
    expect(current.locator(".line-pays")).to_be_visible()
    current.get_by_role("button", name="Undo the match").press("Enter")
    expect(current.locator(".line-pays")).to_have_count(0)


def leave_out(current):
    current.locator(".line-menu summary").press("Enter")
    current.get_by_role("button", name="Leave out of the books").press("Enter")
    current.get_by_role("button", name="Restore").press("Enter")
    expect(current.locator(".line-confirm")).to_be_visible()


def look_into(key, part):
    def look(current):
        current.page.keyboard.press(key)
        expect(current.locator(part)).to_be_visible()
        current.page.keyboard.press("Escape")
        if current.locator(part).count():
            current.page.keyboard.press("Escape")
        expect(current.locator(part)).to_have_count(0)

    return look


ACTS = {
    "why": look_into("w", ".line-why:not(.line-documents)"),
    "receipts": look_into("d", ".line-documents"),
    "items": look_into("p", ".why"),
    "parts": look_into("s", ".line-form"),
    "split": split,
    "describe": describe,
    "account": take_an_account,
    "pay": pay,
    "leave out": leave_out,
}


@pytest.mark.rare
@pytest.mark.parametrize("act", ACTS)
def test_the_line_keeps_the_focus_and_its_keys_after_each_act_on_it(current, act):
    ACTS[act](current)
    expect(current).to_contain_text("DB ICE 693")
    expect(current.page.locator(".line[aria-current]:focus-within")).to_have_count(1)
    current.page.keyboard.press("x")
    expect(current.locator(".box")).to_be_checked()
    current.page.keyboard.press("j")
    expect(current).to_contain_text("Coffee")


@pytest.mark.rare
def test_a_line_that_was_opened_is_the_current_one_when_the_page_is_loaded_again(current):
    page = current.page
    page.get_by_role("link", name="Tea", exact=True).click()
    expect(current.get_by_role("combobox", name="Account")).to_be_visible()
    # The answer that opened it has left its place in the entry of the history.
    page.wait_for_function("history.state.view?.line === document.querySelector('.line[aria-current]').id")
    page.reload()
    expect(current).to_contain_text("Tea")
