"""Choosing an account in Chromium: by code or name, by keys and by touch; nothing is stored before it is taken."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import MODES
from tests.fixtures.banks import AT
from tests.fixtures.helpers.comboboxes import choose
from webapp.database.sessions import db
from webapp.models import Account
from webapp.pages.transactions import line_parts
from webapp.services.transactions import bulk_edits


@pytest.fixture
def lines(bank):
    return bank.send_many([("2026-03-02", "-1.00", "Coffee"), ("2026-03-03", "-2.00", "Tea")])


@pytest.fixture
def writes(browse, ada, bank, lines):
    def opened(**options):
        page = browse(ada, **options)
        sent = []
        page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
        page.goto(f"/feeds/{bank.fa_id}?show=all&line={lines[1]}")
        return page, sent

    return opened


def field(page):
    return page.locator(".line[aria-current]").get_by_role("combobox", name="Account")


def choices(page):
    return page.locator("#combobox-list").get_by_role("option")


def test_an_account_is_typed_taken_by_one_write_and_then_confirmed_by_key(writes):
    page, sent = writes()
    page.locator(".line[aria-current]").focus()
    page.keyboard.press("e")
    expect(choices(page).first).to_be_visible()
    expect(field(page)).to_have_attribute("aria-expanded", "true")
    page.keyboard.type("trav", delay=40)
    expect(choices(page).first).to_contain_text("Travel")
    active = field(page).get_attribute("aria-activedescendant")
    expect(page.locator(f"#{active}")).to_have_attribute("aria-selected", "true")
    assert sent == []
    page.keyboard.press("Enter")
    expect(field(page)).to_have_value("Travel")
    expect(
        page.locator(".line[aria-current] .uncategorised, .line[aria-current] .is-uncategorised")
    ).to_have_count(0)
    assert len(sent) == 1
    expect(page.locator(".line[aria-current] .line-open")).to_be_focused()
    page.keyboard.press("c")
    expect(page.locator(".line", has_text="Tea")).to_contain_text("Posted")


@pytest.mark.rare
def test_what_was_only_typed_is_given_up_by_escape_and_by_going_on(writes):
    page, sent = writes()
    field(page).fill("travel")
    expect(choices(page)).to_have_count(1)
    page.keyboard.press("Escape")
    expect(choices(page)).to_have_count(0)
    expect(field(page)).to_have_value("Uncategorised expenses")
    field(page).fill("no such account")
    expect(page.locator("#combobox-list")).to_contain_text(
        "No account has “no such account” in its code or name."
    )
    page.locator("h1").click()
    expect(field(page)).to_have_value("Uncategorised expenses")
    assert sent == []


@pytest.mark.rare
def test_escape_closes_what_is_open_below_the_line(writes):
    page, sent = writes()
    line = page.locator(".line[aria-current]")
    line.locator(".line-open").focus()
    page.keyboard.press("s")
    expect(line.locator(".line-form")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(line.locator(".line-form")).to_have_count(0)
    expect(line.locator(".line-edit").first).to_be_visible()
    page.keyboard.press("w")
    expect(line.locator(".line-why")).to_be_visible()
    page.keyboard.press("Escape")
    expect(line.locator(".line-why")).to_have_count(0)
    assert sent == []


@pytest.mark.rare
def test_a_finger_finds_recent_accounts_first_on_a_phone(writes):
    page, sent = writes(**MODES["phone"], has_touch=True)
    field(page).tap()
    expect(page.locator("#combobox-list")).to_contain_text("Expenses")
    choices(page).filter(has_text="Rent").first.tap()
    expect(field(page)).to_have_value("Rent")
    assert len(sent) == 1
    page.reload()
    field(page).tap()
    group = page.get_by_role("group", name="Recent")
    expect(group.get_by_role("option")).to_have_text(["Rent 6100"])
    assert choices(page).first.bounding_box()["height"] >= 44


def create(box, name):
    box.fill(name)
    expect(choices(box.page)).to_have_text([f"Create “{name}” "])
    box.press("Enter")


def many(ada):
    facts = {"organization_id": ada.organization_id, "type": "EXPENSE", "created_at": AT}
    return [Account(name=f"Account {number}", code=f"X{number}", **facts) for number in range(2000)]


@pytest.mark.rare
def test_a_chart_of_two_thousand_accounts_is_not_repeated_in_a_line_and_is_found_by_code(
    writes, ada, bank, lines
):
    bank.ask(lambda: db.session.add_all(many(ada)))
    page, _ = writes()
    with page.expect_response(f"**/feeds/{bank.fa_id}?*line={lines[0]}") as answer:
        page.locator(".line", has_text="Coffee").locator(".line-open").click()
    assert len(answer.value.text()) < 20_000
    field(page).fill("X1999")
    expect(choices(page)).to_have_text(["Account 1999 X1999"])


@pytest.mark.rare
def test_a_lost_session_and_a_slow_list_are_said(writes, ada, bank):
    bank.ask(lambda: db.session.add_all(many(ada)))
    page, sent = writes()
    held = []

    def hold(route):
        held.append(route)

    page.route("**/accounts/choices*", hold)
    page.locator(".line", has_text="Coffee").locator(".line-open").click()
    field(page).fill("trav")
    note = page.locator("#combobox-list")
    expect(note).to_have_text("Loading…")
    page.context.clear_cookies()
    for each in held:
        each.continue_()
    expect(note).to_contain_text("You are signed out. Sign in")
    expect(note.get_by_role("link", name="Sign in")).to_have_attribute("target", "_blank")
    assert sent == []


@pytest.mark.rare
def test_what_is_not_found_is_created_by_keys_and_chosen_at_once(writes):
    page, sent = writes()
    line = page.locator(".line[aria-current]")
    for name, typed, kinds in (
        ("Account", "Fuel", ["Expense", "Income", "Asset", "Liability", "Equity"]),
        ("Project", "Fuel", []),
    ):
        box = line.get_by_role("combobox", name=name, exact=True)
        create(box, typed)
        if kinds:
            expect(page.get_by_role("group", name="Create “Fuel” as").get_by_role("option")).to_have_text(
                [f"{kind} " for kind in kinds]
            )
            page.keyboard.press("Enter")
        expect(box).to_have_value(typed)
        expect(line.locator(".line-open")).to_be_focused()
    expect(line.locator("[aria-busy=true], .htmx-request")).to_have_count(0)
    assert [urlsplit(each).path.split("/")[3] for each in sent] == [
        "accounts",
        "transactions",
        "projects",
        "transactions",
    ]
    page.reload()
    expect(field(page)).to_have_value("Fuel")
    field(page).fill("fuel")
    expect(choices(page)).to_have_text(["Fuel 6910"])


@pytest.mark.rare
def test_what_cannot_be_created_is_said_below_the_field_and_what_was_typed_stays(writes):
    page, sent = writes()
    long = "x" * 256
    create(field(page), long)
    page.keyboard.press("Enter")
    expect(page.locator("#combobox-list")).to_contain_text("Write 1 to 255 characters.")
    expect(field(page)).to_have_value(long)
    page.keyboard.press("Escape")
    expect(field(page)).to_have_value("Uncategorised expenses")
    field(page).fill("Nothing of this name")
    page.keyboard.press("Tab")
    expect(field(page)).to_have_value("Uncategorised expenses")
    assert len(sent) == 1


@pytest.mark.rare
def test_an_entry_creates_what_its_lines_name_and_keeps_what_was_typed(browse, ada):
    page = browse(ada)
    held = []

    def hold(route):
        held.append(route)

    page.route("**/merchants", hold)
    page.goto("/journal/new")
    page.get_by_label("Description").fill("Van")
    page.get_by_label("Debit of line 2").fill("12.00")
    box = page.get_by_role("combobox", name="Customer or supplier of line 3")
    create(box, "Garage Blum")
    account = page.get_by_label("Account of line 2")
    create(account, "Vehicles")
    # The customer is created late: it takes neither the focus nor the list of the field that the person has gone on to.
    page.route("**/merchants", lambda route: route.continue_())
    with page.expect_response("**/merchants"):
        held[0].continue_()
    expect(box).to_have_value("Garage Blum")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(account).to_have_value("Vehicles")
    expect(page.get_by_label("Description")).to_have_value("Van")
    expect(page.locator("#balance")).to_contain_text("12.00")
    page.goto("/accounts")
    expect(page.get_by_role("rowgroup").filter(has_text="Petty cash").first).to_contain_text("Vehicles")


@pytest.mark.rare
def test_one_account_is_given_to_the_selected_lines_and_taken_back(writes, lines):
    page, _ = writes()
    page.locator("#select-all").check()
    dock = page.locator("#dock")
    dock.get_by_text("Change…").click()
    choose(dock.get_by_role("combobox", name="Account"), "Travel")
    dock.get_by_role("button", name="Show what changes").click()
    expect(dock.locator("#asking")).to_contain_text("Set account Travel on 2 lines?")
    page.keyboard.press("Enter")
    toast = page.locator("#toast")
    expect(toast).to_contain_text("2 lines changed.")
    expect(page.locator(".line", has_text="Coffee")).to_contain_text("Travel")
    expect(page.locator(".line .box:checked")).to_have_count(2)
    expect(dock.get_by_role("button", name="Confirm 2 lines")).to_be_visible()
    toast.get_by_role("button", name="Undo this").click()
    expect(toast).to_contain_text("2 lines as before.")
    expect(page.locator(".line", has_text="Coffee")).to_contain_text("Uncategorised")


def test_a_list_of_two_pages_stays_selected_after_a_change_in_parts(writes, bank, monkeypatch):
    monkeypatch.setattr(line_parts, "PART", 20)
    monkeypatch.setattr(bulk_edits, "MOST_AT_ONCE", 20)
    bank.send_many([("2026-03-09", f"-{cents}.00", f"Trip {cents}") for cents in range(1, 69)])
    page, _ = writes()
    dock = page.locator("#dock")
    page.locator("#select-all").check()
    dock.get_by_label("All 70 lines of this list").check()
    dock.get_by_text("Change…").click()
    choose(dock.get_by_role("combobox", name="Account"), "Travel")
    dock.get_by_role("button", name="Show what changes").click()
    expect(dock.locator("#asking")).to_contain_text("Set account Travel on 70 lines?")
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text("70 lines changed.")
    expect(page.locator(".line .box:checked")).to_have_count(50)
    expect(dock.get_by_label("All 70 lines of this list")).to_be_checked()
    page.keyboard.press("c")
    expect(dock.locator("#asking")).to_contain_text("Confirm all 70 lines of this list?")
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text("70 lines confirmed")
