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


def sign_in_again(page, person):
    """Sign in over the page, with a wrong password first."""
    page.context.clear_cookies()

    def go_on():
        dialog = page.get_by_role("dialog", name="You are signed out")
        for password in ("wrong", person.password):
            dialog.get_by_label("Password").fill(password)
            dialog.get_by_role("button", name="Sign in").click()
            if password == "wrong":
                expect(dialog.get_by_role("alert")).to_contain_text("password is wrong")
        expect(dialog).to_be_hidden()

    return go_on


def test_a_lost_session_keeps_what_is_typed_in_a_plain_form_and_in_a_part(browse, ada, books):
    page = browse(ada)
    page.goto("/journal/new")
    page.get_by_label("Description").fill("Train and taxi")
    page.locator("[name='postings.0.accountId']").fill("Travel")
    go_on = sign_in_again(page, ada)
    # An earlier field may have opened the form to sign in already, behind which no key reaches this one.
    page.locator("[name='postings.0.debit']").evaluate(
        "field => { field.value = '40.00'; field.dispatchEvent(new Event('change', { bubbles: true })); }"
    )
    go_on()
    expect(page.locator("#balance")).to_contain_text("Debits exceed credits by 40.00 EUR.")
    expect(page.get_by_label("Description")).to_have_value("Train and taxi")
    page.goto("/merchants")
    page.locator(".open-form summary").click()
    page.get_by_role("textbox", name="Name").fill("Lamp maker")
    go_on = sign_in_again(page, ada)
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("textbox", name="Name")).to_have_value("Lamp maker")
    page.keyboard.press("Enter")
    go_on()
    expect(page.locator("main")).to_contain_text("Lamp maker")


def test_a_held_confirmation_is_posted_once_after_signing_in_again(browse, ada, bank, books):
    bank.open("Giro")
    rent = bank.send("2026-10-01", "-700.00", "Rent October")
    ada.patch(f"/api/transactions/{rent}", json={"accountId": books.account_id("Rent")})
    page = browse(ada)
    page.goto("/feeds/1?show=all")
    page.locator(".line-open").click()
    page.keyboard.press("c")
    go_on = sign_in_again(page, ada)
    send_held(page)
    go_on()
    expect(page.locator(".line")).to_contain_text("Posted")
    assert books.entries() == ["2026-10-01 POSTED Rent October", "Giro -700.00 EUR", "Rent 700.00 EUR"]
