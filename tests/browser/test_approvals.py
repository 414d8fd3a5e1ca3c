"""The queue of approvals in Chromium: decided by keys, several at once, and without JavaScript."""

import pytest
from playwright.sync_api import expect

from tests.fixtures.helpers.planning import month_from_file, proposed

NAMES = ("Rent", "Paper", "Cake", "Tea")


@pytest.fixture
def asked(ben, bank):
    """Four confirmations that Ben's agent proposes, the oldest first; gives their ids."""
    agent = ben.with_scopes("read", "propose")
    lines = bank.send_many([("2026-03-02", f"-{number}.00", name) for number, name in enumerate(NAMES, 1)])
    answers = [agent.post(f"/api/transactions/{line}/confirm") for line in lines]
    return [answer.json["actionRequest"]["id"] for answer in answers]


def outcomes(ben, asked):
    return [ben.get(f"/api/action-requests/{each}").json["actionRequest"]["status"] for each in asked]


def test_a_queue_is_decided_by_keys(browse, ben, asked):
    page = browse(ben)
    page.goto("/proposals")
    title, badge = page.locator("#approval-title"), page.locator("#todo-count-bar")
    expect(badge).to_have_text("5")
    expect(title).to_contain_text("Rent −1.00 EUR of 2 Mar")

    def press_meanwhile(coming):
        page.keyboard.press("a")
        coming.continue_()

    page.route("**/proposals?id=*", press_meanwhile, times=1)
    page.keyboard.press("j")
    expect(title).to_contain_text("Paper")
    assert outcomes(ben, asked) == ["PENDING"] * 4, "only what is in view is decided on"
    page.keyboard.press("k")
    expect(title).to_contain_text("Rent")
    page.keyboard.press("r")
    expect(page.get_by_label("Reason for rejecting")).to_be_focused()
    page.keyboard.type("Paid twice")
    page.keyboard.press("Enter")
    expect(page.locator(".proposal")).to_have_count(3)
    told = ben.get(f"/api/action-requests/{asked[0]}").json["actionRequest"]
    assert (told["status"], told["reason"]) == ("REJECTED", "Paid twice")
    expect(page.locator(".approval[inert]")).to_have_count(0)
    page.keyboard.press("a")
    expect(page.locator(".proposal")).to_have_count(2)
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("button", name="Approve 2").click()
    expect(page.get_by_text("Nothing to approve")).to_be_visible()
    expect(badge).to_have_text("2")
    assert outcomes(ben, asked)[1:] == ["EXECUTED"] * 3


@pytest.mark.rare
def test_what_breaks_a_proof_takes_more_than_a_key(browse, ben, bank, desk):
    line = bank.send("2026-03-02", "-1.00", "Rent")
    desk.confirm(line)
    desk.prove("2026-03-31", "-1.00")
    entry = desk.line(line)["journalEntryId"]
    agent = ben.with_scopes("read", "propose")
    assert agent.post(f"/api/journal-entries/{entry}/void", json={"reason": "Twice"}).status_code == 202
    page = browse(ben)
    page.goto("/proposals")
    page.keyboard.press("a")
    approve = page.get_by_role("button", name="Approve and break the proof")
    expect(approve).to_be_focused()
    expect(page.locator(".proposal")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing to approve")).to_be_visible()


@pytest.mark.rare
def test_a_queue_is_decided_without_javascript(browse, ben, asked):
    page = browse(ben, java_script_enabled=False, viewport={"width": 390, "height": 844})
    page.goto("/proposals")
    page.get_by_label("Select Confirm Paper").check()
    page.get_by_label("Select Confirm Cake").check()
    page.get_by_role("button", name="Approve the ticked").click()
    expect(page.get_by_text("Approved: 2 proposals")).to_be_visible()
    page.get_by_role("link", name="Confirm Rent").click()
    page.get_by_text("Reject…").click()
    page.get_by_label("Reason for rejecting").fill("Paid twice")
    page.get_by_role("button", name="Reject", exact=True).click()
    page.get_by_role("link", name="Confirm Tea").click()
    page.get_by_label("Note to the agent").fill("Thank you")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_text("Nothing to approve")).to_be_visible()
    assert outcomes(ben, asked) == ["REJECTED", "EXECUTED", "EXECUTED", "EXECUTED"]


@pytest.mark.rare
def test_a_plan_is_read_step_by_step_approved_and_undone(browse, ben, bank):
    request = proposed(ben.with_scopes("read", "propose"), *month_from_file(bank), title="October")
    page = browse(ben, viewport={"width": 390, "height": 844})
    page.goto(f"/proposals?id={request['id']}")
    expect(page.get_by_text("6 steps")).to_be_visible()
    steps = page.locator(".plan-step")
    expect(steps.first).to_contain_text("october.ofx")
    expect(steps.first).to_contain_text(request["payload"]["body"]["steps"][0]["body"]["sha256"])
    shown = steps.nth(1).locator(".effect-side").first
    steps.nth(1).locator("summary").first.click()
    is_open = shown.is_visible()
    steps.nth(1).locator("summary").first.click()
    expect(shown).to_be_visible(visible=not is_open)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Approved: October")).to_be_visible()
    assert outcomes(ben, [request["id"]]) == ["EXECUTED"]
    page.goto("/activity")
    page.get_by_role("link", name="Undo this plan…").click()
    page.get_by_role("button", name="Show what would be undone").click()
    expect(page.get_by_role("heading", name="acts to undo")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Undo them").click()
    expect(page.get_by_role("heading", name="acts undone")).to_be_visible()
    # Lines with entries that were voided stay, and so does the import that brought them.
    expect(page.get_by_role("region", name="What stays")).to_contain_text("october.ofx")
    lines = ben.get("/api/transactions").json["transactions"]
    assert [each["entryStatus"] for each in lines] == ["DRAFT"] * 3


@pytest.fixture
def planned(ben, bank):
    food = bank.account("Food")
    line = bank.send("2026-10-02", "-12.00", "Tea")
    steps = [
        ("PATCH", f"/transactions/{line}", {"accountId": food}),
        ("POST", f"/transactions/{line}/confirm"),
    ]
    return proposed(ben.with_scopes("read", "propose"), *steps, title="Book the tea"), line


@pytest.mark.rare
def test_a_plan_is_refused_as_a_whole_with_a_reason(browse, ben, planned):
    request, line = planned
    page = browse(ben, viewport={"width": 390, "height": 844})
    page.goto(f"/proposals?id={request['id']}")
    expect(page.get_by_text("2 steps")).to_be_visible()
    page.get_by_text("Reject…").click()
    page.get_by_label("Reason for rejecting").fill("That is no food")
    page.get_by_role("button", name="Reject", exact=True).click()
    expect(page.get_by_text("Nothing to approve")).to_be_visible()
    told = ben.get(f"/api/action-requests/{request['id']}").json["actionRequest"]
    assert (told["status"], told["reason"]) == ("REJECTED", "That is no food")
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "DRAFT"


@pytest.mark.rare
@pytest.mark.parametrize("with_scripts", [True, False])
def test_a_plan_that_has_moved_names_the_step_and_is_approved_as_it_is_now(
    browse, ben, bank, planned, with_scripts
):
    request, line = planned
    page = browse(ben, java_script_enabled=with_scripts)
    page.goto(f"/proposals?id={request['id']}")
    changed = {"projectId": bank.project("Party")}
    assert ben.patch(f"/api/transactions/{line}", json=changed).status_code == 200
    page.locator("[data-key=a]").click()
    expect(page.get_by_text("is the first that differs.")).to_be_visible()
    expect(page.locator(".plan-step[aria-current=step]")).to_have_count(1)
    assert outcomes(ben, [request["id"]]) == ["PENDING"]
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "DRAFT"
    page.locator("[data-key=a]").click()
    expect(page.get_by_text("Approved: Book the tea")).to_be_visible()
    assert outcomes(ben, [request["id"]]) == ["EXECUTED"]
    posted = ben.get(f"/api/transactions/{line}").json["transaction"]
    assert (posted["entryStatus"], posted["projectId"]) == ("POSTED", changed["projectId"])
