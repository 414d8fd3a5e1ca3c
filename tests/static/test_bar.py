"""The bar in Chromium: seven places and one menu with the rest, which opens by keyboard and closes by Esc."""

from playwright.sync_api import expect

from tests.fixtures.helpers.marks import on_sqlite, with_and_without_scripts

MOST_PLACES = 7


@on_sqlite
@with_and_without_scripts
def test_the_bar_has_seven_places_and_the_rest_under_one_menu(browse, ada, has_scripts):
    page = browse(ada, java_script_enabled=has_scripts, viewport={"width": 1024, "height": 768})
    page.goto("/")
    bar = page.get_by_role("navigation", name="Pages")
    assert bar.get_by_role("link").filter(visible=True).count() <= MOST_PLACES
    expect(page.locator(".bar").get_by_role("link", name="Search")).to_be_visible()
    bar.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(bar.get_by_role("link", name="Settings")).to_be_visible()
    if has_scripts:
        page.keyboard.press("Escape")
        expect(bar.get_by_role("link", name="Settings")).to_be_hidden()
        expect(bar.locator("summary")).to_be_focused()
        page.keyboard.press("g")
        page.keyboard.press("c")
    else:
        bar.get_by_role("link", name="Chart of accounts").click()
    page.wait_for_url("**/accounts")
    expect(bar.locator("summary")).to_have_attribute("aria-current", "true")


@on_sqlite
def test_the_sign_in_page_begins_in_its_first_field_that_is_empty(page, ada):
    page.goto("/")
    expect(page.get_by_label("Email")).to_be_focused()
    page.keyboard.type(ada.email)
    page.get_by_label("Password", exact=True).fill("not this one at all")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Forgotten?")).to_be_visible()
    expect(page.get_by_label("Password", exact=True)).to_be_focused()


@on_sqlite
def test_the_name_of_the_books_opens_a_menu_that_lies_over_the_page(browse, ada):
    page = browse(ada, viewport={"width": 1440, "height": 900})
    page.goto("/")
    bar = page.locator(".bar")
    height = bar.bounding_box()["height"]
    bar.locator(".bar-organization > summary").click()
    expect(bar.locator(".menu-sheet").get_by_role("link", name="Start new books")).to_be_visible()
    assert bar.bounding_box()["height"] == height
    assert bar.locator(".menu-sheet:visible").bounding_box()["y"] >= height - 12
