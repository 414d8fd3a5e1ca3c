"""A server that fails is heard where the act was made: a message says what is known, and what to do."""

from playwright.sync_api import expect

from tests.browser.test_loop import send_held
from webapp.database.failures import DiskFullError
from webapp.errors import UNKNOWN_ON_PAGES

PART = '<tr id="line-1"><td><span class="error-sentence">{}</span></td></tr>'


def test_a_failed_act_shows_the_sentence_of_the_server_or_that_nothing_is_known(
    browse, ada, bank, books, faults
):
    bank.open("Giro")
    rent = bank.send("2026-10-01", "-700.00", "Rent October")
    ada.patch(f"/api/transactions/{rent}", json={"accountId": books.account_id("Rent")})
    page = browse(ada)
    page.goto("/feeds/1?show=all")
    line, toast = page.locator(".line"), page.locator("#toast")
    full = PART.format(DiskFullError())
    answers = {
        str(DiskFullError()): lambda route: route.fulfill(status=503, content_type="text/html", body=full),
        UNKNOWN_ON_PAGES: lambda route: route.abort("connectionreset"),
    }
    line.locator(".line-open").click()
    for sentence, answer in answers.items():
        page.route("**/transactions/1", answer)
        line.locator("select[name=projectId]").dispatch_event("change")
        expect(toast).to_have_text(sentence)
        page.unroute("**/transactions/1")
    page.route("**/confirm", answers[str(DiskFullError())])
    page.keyboard.press("c")
    send_held(page)
    expect(toast).to_have_text(str(DiskFullError()))
    expect(line.locator(".line-held")).to_contain_text("No answer.")
    page.unroute("**/confirm")
    expect(line).to_contain_text("Draft")
    line.get_by_role("button", name="Try again").click()
    expect(line).to_contain_text("Posted")
    assert any("503" in each for each in faults)
    faults.clear()
