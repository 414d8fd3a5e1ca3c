"""A single confirmation in Chromium: held, undone, sent before everything else, and never shown as posted too early."""

import time
from io import BytesIO

import pytest
from playwright.sync_api import Error, expect

from tests.browser.test_loop import LINES, STATEMENT
from tests.fixtures.servers import PATIENCE_SECONDS

CONFIRM = "**/transactions/*/confirm"


class Desk:
    """Ada's page on five lines that go to Travel, and the writes that it sent, in their order."""

    def __init__(self, browse, ada):
        self.ada = ada
        self.page = browse(ada)
        self.sent = []
        self.page.on("request", self._note)
        self.page.clock.install()
        self.page.goto("/feeds/1?show=all")
        expect(self.page.locator(".line")).to_have_count(len(LINES))

    def _note(self, request):
        if request.method == "POST":
            self.sent.append(request.url.partition("/transactions/")[2] or request.url.rpartition("/")[2])

    def line(self, text):
        return self.page.locator(".line").filter(has_text=text)

    def hold(self, text):
        row = self.line(text)
        row.locator(".line-confirm").click()
        expect(row.locator(".line-held")).to_contain_text("Confirming…")
        expect(row).not_to_contain_text("Posted")
        return row

    def posted(self):
        answer = self.ada.get("/api/transactions", query_string={"limit": 50})
        return {each["id"] for each in answer.json["transactions"] if each["entryStatus"] == "POSTED"}


@pytest.fixture
def desk(browse, ada, books):
    answer = ada.post("/api/feeds/imports", data={"file": (BytesIO(STATEMENT), "october.ofx")})
    assert answer.status_code == 201, answer.json
    for line_id in range(1, len(LINES) + 1):
        ada.patch(f"/api/transactions/{line_id}", json={"accountId": books.account_id("Travel")})
    return Desk(browse, ada)


def test_a_confirmation_is_undone_by_click_and_by_key_and_is_sent_after_ten_seconds(desk):
    page = desk.page
    counts = page.locator(".segments").inner_text()
    row = desk.hold("Rent October")
    expect(page.locator(".line[aria-current]")).to_contain_text("INV-1042")
    expect(page.locator(".line[aria-current] .line-open")).to_be_focused()
    expect(page.locator("#held-status")).to_have_text("Confirming Rent October. Press z to undo.")
    assert page.locator(".segments").inner_text() == counts
    row.get_by_role("button", name="Undo Rent October").click()
    expect(row.locator(".line-held")).to_have_count(0)
    expect(row.locator(".line-open")).to_be_focused()
    page.keyboard.press("c")
    expect(row.locator(".line-held")).to_be_visible()
    page.keyboard.press("z")
    expect(row.locator(".line-confirm")).to_be_visible()
    expect(page.locator("#held-status")).to_have_text("Rent October was not posted.")
    page.clock.fast_forward(11_000)
    assert (desk.sent, desk.posted()) == ([], set())
    desk.hold("Rent October")
    page.clock.fast_forward(9_000)
    assert desk.sent == []
    page.clock.fast_forward(1_001)
    expect(row).to_contain_text("Posted")
    expect(page.locator("#held-status")).to_have_text("Rent October was posted.")
    expect(page.locator(".segments")).to_contain_text("To confirm 4")
    assert (desk.sent, desk.posted()) == (["2/confirm"], {2})


@pytest.mark.rare
def test_what_is_held_is_sent_before_every_other_act_of_the_page(desk):
    page = desk.page
    page.locator("[name=statementDate]").fill("2026-10-31")
    page.locator("[name=statementBalance]").fill("934.54")
    page.get_by_role("button", name="Start reconciling").click()
    expect(page.locator("#difference-figure")).to_have_text("934.54")
    desk.sent.clear()
    first, second = desk.hold("DB ICE"), desk.hold("Hetzner")
    expect(first).to_contain_text("Posted")
    assert desk.sent == ["4/confirm"]
    tick = second.get_by_role("button", name="Ticked: ")
    tick.click()
    expect(tick).to_have_attribute("aria-pressed", "true")
    expect(second).to_contain_text("Posted")
    assert desk.sent == ["4/confirm", "3/confirm", "lines"]
    desk.hold("Rent October")
    page.get_by_role("button", name="Tick all posted").click()
    expect(page.locator("#difference-figure")).to_have_text("2,500.00")
    desk.hold("INV-1042")
    page.locator(".line .box").nth(0).check()
    page.locator(".line .box").nth(4).check()
    page.locator("#dock").get_by_role("button", name="Confirm 2 lines").click()
    expect(desk.line("INV-1042")).to_contain_text("Posted")
    page.clock.fast_forward(10_001)
    expect(page.locator("#toast")).to_contain_text("1 line confirmed")
    assert desk.sent[-2:] == ["1/confirm", "confirm"]
    assert desk.posted() == {1, 2, 3, 4, 5}


@pytest.mark.rare
def test_selected_lines_are_held_together_and_undone(desk):
    page, dock = desk.page, desk.page.locator("#dock")
    for place in (0, 4):
        page.locator(".line .box").nth(place).check()
    page.keyboard.press("c")
    expect(dock.locator(".line-held")).to_contain_text("Confirming…")
    expect(page.locator("#held-status")).to_have_text("Confirming 2 lines. Press z to undo.")
    page.keyboard.press("z")
    expect(dock.locator(".line-held")).to_have_count(0)
    page.clock.fast_forward(11_000)
    assert (desk.sent, desk.posted()) == ([], set())
    page.keyboard.press("c")
    expect(dock.locator(".line-held")).to_be_visible()
    page.clock.fast_forward(9_000)
    assert desk.sent == []
    page.clock.fast_forward(1_001)
    expect(page.locator("#toast")).to_contain_text("2 lines confirmed")
    assert len(desk.posted()) == 2


@pytest.mark.rare
@pytest.mark.parametrize("leave", ["link", "reload", "close"])
def test_what_is_held_is_sent_when_the_page_is_left(desk, leave):
    page = desk.page
    desk.hold("Rent October")
    if leave == "close":
        page.close()
    elif leave == "reload":
        page.reload()
    else:
        page.get_by_role("link", name="All 5").click()
        expect(desk.line("Rent October")).to_contain_text("Posted")
    until = time.monotonic() + PATIENCE_SECONDS
    while not desk.posted() and time.monotonic() < until:
        pass
    assert desk.posted() == {2}


@pytest.mark.rare
def test_without_an_answer_a_row_is_not_posted_and_is_tried_again_once(desk, faults):
    page = desk.page
    row = desk.hold("Rent October")
    page.context.set_offline(True)
    page.clock.fast_forward(10_001)
    expect(row.locator(".line-held")).to_contain_text("Not sent.")
    expect(row).not_to_contain_text("Posted")
    assert desk.posted() == set()
    page.context.set_offline(False)
    page.route(CONFIRM, lost)
    row.get_by_role("button", name="Try again").click()
    expect(row.locator(".line-held")).to_contain_text("No answer.")
    expect(row).not_to_contain_text("Posted")
    page.unroute(CONFIRM)
    with page.expect_response(CONFIRM) as answer:
        row.get_by_role("button", name="Try again").click()
    expect(row).to_contain_text("Posted")
    assert answer.value.headers["idempotency-replayed"] == "true"
    assert desk.posted() == {2}
    faults.clear()


def lost(route):
    """Let the server have the request, and lose its answer."""
    route.fetch()
    route.abort()


@pytest.mark.rare
def test_a_line_that_changed_while_it_was_held_turns_amber_and_keeps_the_page(desk, books):
    page = desk.page
    row = desk.hold("Rent October")
    desk.ada.patch("/api/transactions/2", json={"accountId": books.account_id("Rent")})
    address = page.url
    page.get_by_role("link", name="Owed").first.click()
    expect(row).to_contain_text("Nothing was posted. Account Travel → Rent.")
    expect(row.locator(".line-held")).to_have_count(0)
    assert (page.url, desk.posted()) == (address, set())


@pytest.mark.rare
def test_what_was_held_in_a_page_that_crashed_is_a_draft(desk, browse):
    desk.hold("Rent October")
    with desk.page.expect_event("crash"), pytest.raises(Error):
        desk.page.goto("chrome://crash")
    page = browse(desk.ada)
    page.goto("/feeds/1?show=all")
    row = page.locator(".line").filter(has_text="Rent October")
    expect(row.locator(".line-confirm")).to_be_visible()
    expect(row).not_to_contain_text("Posted")
    assert desk.posted() == set()


@pytest.mark.rare
def test_what_takes_something_away_is_held_says_what_goes_and_is_undone(desk):
    page, toast = desk.page, desk.page.locator("#toast")

    def remove():
        page.get_by_label("More about this import").click()
        page.get_by_role("button", name="Remove this import").click()
        expect(toast).to_contain_text("Removing 5 lines, 5 with an account…")

    page.goto("/imports/1")
    remove()
    expect(toast.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("z")
    expect(toast).to_be_hidden()
    page.clock.fast_forward(11_000)
    assert desk.sent == []
    remove()
    desk.ada.post("/api/transactions/2/confirm", json={})
    page.clock.fast_forward(10_001)
    expect(toast).to_contain_text("Lines of this import are or were confirmed")
    assert len(desk.ada.get("/api/transactions").json["transactions"]) == 5


@pytest.mark.rare
@pytest.mark.parametrize("is_left", [False, True])
def test_what_was_taken_away_is_gone_after_ten_seconds_or_when_the_page_is_left(desk, is_left):
    page = desk.page
    page.goto("/imports/1")
    page.get_by_label("More about this import").click()
    page.get_by_role("button", name="Remove this import").click()
    if is_left:
        page.get_by_role("link", name="Inbox").first.click()
    else:
        page.clock.fast_forward(10_001)
    expect(page.get_by_role("heading", name="Inbox", level=1)).to_be_visible()
    assert desk.ada.get("/api/transactions").json["transactions"] == []
