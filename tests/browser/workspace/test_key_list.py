"""Every key that the list of keys names does what it says: places, and what opens on the current line."""

from urllib.parse import urlsplit

from tests.fixtures.browsers import another_page

LINKS = "links => links.map((link) => [link.dataset.key, link.getAttribute('href')])"
LISTED = "rows => rows.map((row) => [...row.querySelectorAll('kbd')].map((key) => key.textContent).join(' '))"
# These are keys of one page, and not of a place.
OF_PAGES = {"g n"}


def test_the_keys_of_places_lead_there_and_are_those_of_the_list(browse, ada):
    page = browse(ada)
    page.goto("/")
    places = dict(page.locator("nav [data-key]").evaluate_all(LINKS))
    listed = page.locator("#keys dl > div").evaluate_all(LISTED)
    assert {keys for keys in listed if keys.startswith("g ")} - OF_PAGES == places.keys()
    for keys, address in places.items():
        with another_page(page):
            for key in keys.split():
                page.keyboard.press(key)
        assert urlsplit(page.url).path == address, keys


def test_the_keys_of_a_line_open_what_they_name(browse, ada, bank):
    line = bank.send("2026-03-02", "-4.50", "Coffee")
    page = browse(ada)
    for key, part in {"s": "splits", "d": "documents", "p": "payments", "w": "why"}.items():
        page.goto(f"/feeds/1?line={line}")
        with page.expect_response(lambda answer, part=part: f"edit={part}" in answer.url):
            page.keyboard.press(key)
