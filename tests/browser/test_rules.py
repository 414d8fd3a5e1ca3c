"""Rules in Chromium: moved by keyboard and by pointer, written while their effect follows, and asked why."""

import pytest
from playwright.sync_api import expect

from tests.fixtures.feeds import line
from tests.fixtures.helpers.comboboxes import choose

RULES = "/api/automations/rules"


def make(person, name, text="coffee", **more):
    answer = person.post(
        RULES,
        json={
            "name": name,
            "conditions": {"conditions": [{"field": "DESCRIPTION", "value": text}]},
            "effects": [{"kind": "SET_CURRENCY", "currency": "EUR"}],
            **more,
        },
    )
    return answer.json["rule"]["id"]


def names(page):
    return page.locator(".rule-name > a")


@pytest.fixture
def food(bank):
    return bank.account("Food", code="6100F")


@pytest.mark.rare
def test_rules_are_moved_by_keyboard_and_by_pointer(browse, ada):
    for name in ("First", "Second", "Third"):
        make(ada, name)
    page = browse(ada)
    page.goto("/journal")
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/rules")
    page.locator("#rule-3").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(names(page).nth(1)).to_have_text("Third")
    expect(page.locator("#rule-3")).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    expect(names(page).first).to_have_text("Third")
    grip = page.locator("#rule-3 [data-grip]").bounding_box()
    last = page.locator("#rule-2").bounding_box()
    page.mouse.move(grip["x"] + 8, grip["y"] + 8)
    page.mouse.down()
    page.mouse.move(grip["x"] + 8, last["y"] + last["height"] - 4, steps=4)
    page.mouse.up()
    expect(names(page)).to_have_text(["First", "Second", "Third"])
    assert [rule["name"] for rule in ada.get(RULES).json["rules"]] == ["First", "Second", "Third"]
    page.locator("#rule-1").get_by_role("switch").click()
    expect(page.locator("#rule-1").get_by_role("switch")).to_have_text("Off")
    page.reload()
    expect(page.locator("#rule-1").get_by_role("switch")).not_to_be_checked()


@pytest.mark.rare
def test_a_rule_is_written_while_its_effect_follows_then_applied_undone_and_explained(
    browse, ada, food, feed
):
    big = line("A2", amount="-99.00", description="Coffee machine")
    feed.results(added=[line("A1"), big, line("A3", description="Rent")])
    page = browse(ada)
    page.goto("/rules/new")
    expect(page.locator("#found")).to_contain_text("Enter a value to search for.")
    page.get_by_label("Name").fill("Coffee")
    page.get_by_label("Value of condition 1").press_sequentially("coffee", delay=60)
    expect(page.locator("#found")).to_contain_text("2 lines match")
    choose(page.get_by_label("Value of effect 1"), "6100F")
    expect(page.locator("#found .changed").first).to_have_text("Food")
    page.get_by_role("button", name="Condition", exact=True).click()
    page.get_by_label("Field of condition 2").select_option(label="Amount (+/−)")
    page.get_by_label("How condition 2 compares").select_option(label="is less than")
    page.get_by_label("Value of condition 2").fill("fifty")
    expect(page.locator("#note-conditions-conditions-1")).to_contain_text("An amount is written like")
    expect(page.get_by_label("Value of condition 2")).to_have_value("fifty")
    page.get_by_label("Value of condition 2").fill("50")
    expect(page.locator("#note-conditions-conditions-1 .problem")).to_have_count(0)
    expect(page.locator("#found")).to_contain_text("1 line matches")
    page.get_by_label("also to").check()
    page.get_by_role("button", name="Create the rule").click()
    page.get_by_role("button", name="Apply to 1 line").click()
    page.wait_for_url("**/rules/runs/1")
    expect(page.locator(".diff")).to_contain_text("Uncategorised expenses → Food")
    page.goto(f"/feeds/{feed.fa_id}?show=all")
    page.locator(".by-rule").click()
    expect(page.locator(".why")).to_contain_text("by Coffee, version 1")
    page.goto("/rules/runs/1")
    page.get_by_role("link", name="Undo this run…").click()
    page.get_by_role("button", name="Undo the run").click()
    expect(page.locator(".note")).to_contain_text("Undone")
    page.goto(f"/feeds/{feed.fa_id}?show=all")
    expect(page.locator(".by-rule")).to_have_count(0)
    page.locator(".line-open").first.click()
    expect(page.locator(".line-edit").first).to_be_visible()
    page.keyboard.press("w")
    expect(page.locator(".why")).to_contain_text("No rule changed this line.")


@pytest.mark.rare
def test_what_is_typed_while_a_slow_preview_is_asked_for_is_tried_last(browse, ada, feed):
    feed.results(added=[line("A1"), line("A2", description="Coffee machine"), line("A3", description="Rent")])
    page = browse(ada)
    page.goto("/rules/new")
    page.clock.install()

    def write(text):
        page.get_by_label("Value of condition 1").fill(text)
        page.clock.run_for(400)

    def write_meanwhile(slow):
        write("coff")
        write("coffee machine")
        slow.continue_()

    page.route("**/rules/try", write_meanwhile, times=1)
    write("rent")
    expect(page.locator("#found .name a")).to_have_text("Coffee machine")


@pytest.mark.rare
def test_a_rule_is_written_moved_and_applied_without_scripts(browse, ada, food, feed):
    feed.results(added=[line("A1"), line("A2", description="Coffee machine")])
    make(ada, "Other", "rent")
    page = browse(ada, java_script_enabled=False)
    page.goto("/rules/new")
    page.get_by_label("Name").fill("Coffee")
    page.get_by_label("Value of condition 1").fill("coffee")
    page.get_by_role("button", name="Condition", exact=True).click()
    page.get_by_label("Field of condition 2").select_option(label="Direction")
    page.get_by_role("button", name="Update the choices").click()
    page.get_by_label("Value of condition 2").select_option(label="Money out")
    page.get_by_label("Value of effect 1").select_option(label="Food")
    page.get_by_role("button", name="Show the preview").click()
    expect(page.locator("#found")).to_contain_text("2 lines match")
    page.get_by_role("button", name="Create the rule").click()
    page.wait_for_url("**/rules")
    expect(names(page)).to_have_text(["Other", "Coffee"])
    page.get_by_role("button", name="Move Coffee up").click()
    expect(names(page)).to_have_text(["Coffee", "Other"])
