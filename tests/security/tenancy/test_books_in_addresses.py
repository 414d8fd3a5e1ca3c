"""A page acts on the books that it shows, whichever books another tab has chosen since."""

import logging
import re

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.security.addresses import OF_MAIL, OF_PROVIDERS, PARAMETER, addresses_of
from webapp.web.access.books import HEADER, HELD

# What has no books in its address.
OWN = re.compile(
    r"/(?:api/docs|b/|static/|sign-|settings/sign-in|start|books|join/|oauth/|\.well-known/|llms\.txt|$)"
)

# What programs read is no page.
PROGRAMS = ("/.well-known/", "/metrics", "/sign-in/oidc", "/start/")


@pytest.fixture
def other_books(ada):
    """More books of Ada's."""
    browser = ada.browser()
    return browser.post("/start", data={"name": "Second", "baseCurrency": "USD"}).location


@pytest.fixture
def pages(ada):
    return [each for each in addresses_of(ada.app) if not each.is_api and f"/{each.endpoint}" != "/own"]


def of_books(pages):
    """Leave out what is a person's own."""
    return [each for each in pages if not OWN.match(each.rule)]


def test_a_form_writes_in_the_books_that_its_page_shows(ada, other_books):
    """One tab shows the studio, another one goes to the second books; then the first one is sent."""
    tab = ada.browser()
    form = re.search(
        r'<form[^>]* action="([^"]*/merchants)"', tab.client.get(f"/b/{ada.organization_id}/merchants").text
    )
    assert tab.post("/books/choose", data={"organizationId": other_books.split("/")[2]}).status_code == 303
    assert tab.client.get("/").location == other_books
    sent = tab.client.post(form[1], data={"name": "Lamp maker"}, headers={"Sec-Fetch-Site": "same-origin"})
    assert sent.status_code == 303
    assert [each["name"] for each in ada.get("/api/merchants").json["merchants"]] == ["Lamp maker"]
    assert "Lamp maker" not in tab.client.get(f"{other_books}merchants").text


@pytest.mark.parametrize("is_own", [True, False], ids=["the first books", "the second books"])
def test_every_form_acts_on_the_books_of_its_address(ada, other_books, pages, ids, is_own, state_of, caplog):
    """One tab sends every form of the books that it shows, after another tab has gone to the other ones."""
    caplog.set_level(logging.INFO, logger="tieout.requests")
    both = [ada.organization_id, other_books.split("/")[2]]
    shown, chosen = both if is_own else reversed(both)
    tab = ada.browser()
    assert tab.post("/books/choose", data={"organizationId": chosen}).status_code == 303
    before = {each: state_of(each) for each in both}
    answers = {}
    for address in of_books(each for each in pages if not each.is_safe):
        caplog.clear()
        answers[address.name] = tab.client.open(
            f"/b/{shown}{address.path(ids)}",
            method=address.method,
            data={"name": "Lamp maker"},
            headers={"Sec-Fetch-Site": "same-origin"},
        ).status_code
        facts = [each.facts for each in caplog.records if each.message == "request"]
        assert [each["organizationId"] for each in facts] == [shown], address.name
    assert state_of(chosen) == before[chosen]
    assert state_of(shown)["merchants"] != before[shown]["merchants"]
    assert len(answers) > 80
    assert {303} < set(answers.values()) <= {200, 202, 303, 404, 409, 415, 422}, answers
    # What the other books hold is not there, whatever its form says; the person is in both.
    if not is_own:
        named = {
            name: status
            for name, status in answers.items()
            if PARAMETER.search(name) and "user_id" not in name
        }
        assert not {name: status for name, status in named.items() if status not in {404, 415, 422}}


@on_sqlite
def test_no_page_takes_a_write_without_books(ada, pages):
    """Each form of an older version is refused before anything is read of it."""
    browser, paths = ada.browser(), of_books(each for each in pages if not each.is_safe)
    assert len(paths) > 80
    for address in paths:
        answer = browser.client.open(
            address.path(), method=address.method, headers={"Sec-Fetch-Site": "same-origin"}
        )
        assert answer.status_code == 409, address.name
        assert "older version" in answer.text


@on_sqlite
def test_no_page_of_other_peoples_books_is_there(ada, dan, pages):
    browser = ada.browser()
    for address in of_books(pages):
        path = f"/b/{dan.organization_id}{address.path()}"
        answer = browser.client.open(path, method=address.method, headers={"Sec-Fetch-Site": "same-origin"})
        assert answer.status_code == 404, address.name
        assert "Harbour Bakery" not in answer.text


def test_an_older_address_leads_to_the_books_that_hold_its_object(ada, dan, other_books):
    browser = ada.browser()
    headers = {"Sec-Fetch-Site": "same-origin"}
    browser.client.post(f"{other_books}merchants", data={"name": "Lamp maker"}, headers=headers)
    listed = browser.client.get(f"{other_books}merchants").text
    path = re.search(r'href="/b/\w+(/merchants/[0-9]+)"', listed)[1]
    assert (
        browser.client.get(f"{path}?from=2026-01-01").location
        == f"{other_books.rstrip('/')}{path}?from=2026-01-01"
    )
    assert browser.client.get("/journal").location == f"/b/{ada.organization_id}/journal"
    strange = "books=x&_external=1&_scheme=javascript"
    assert browser.client.get(f"/?{strange}").location == f"/b/{ada.organization_id}/?{strange}"
    assert dan.browser().client.get(path).status_code == 404
    # An act has no page to go back to.
    assert browser.client.get("/transactions/1/confirm").status_code == 404
    visitor = ada.app.test_client().get(path)
    assert (visitor.status_code, visitor.location) == (303, f"/sign-in?next={path}")
    assert ada.app.test_client().get("/never/there").status_code == 404


@on_sqlite
def test_each_id_in_an_address_has_books_that_hold_it(pages):
    """A new kind of page joins the list, or says here why it need not."""
    named = {name for each in of_books(pages) if each.is_safe for _, name in PARAMETER.findall(each.rule)}
    assert named - HELD.keys() == {"slug", "digest", "period"}


def test_every_link_of_a_page_names_its_books(ada, pages, ids):
    """What a browser of the tests is given holds this of each page; here are all of them."""
    asked = [
        each
        for each in pages
        if each.is_safe and not each.rule.startswith(PROGRAMS) and each.endpoint not in OF_PROVIDERS | OF_MAIL
    ]
    browser = ada.browser()
    assert len(asked) > 80
    for address in asked:
        assert browser.get(address.path({**ids, "slug": "reports"})).status_code < 400, address.name


def test_a_program_with_a_session_says_which_of_several_books(ada, dan, other_books):
    browser, body = ada.browser(), {"json": {"name": "Lamp maker"}}
    asked = browser.post("/api/merchants", **body)
    assert (asked.status_code, asked.json["code"]) == (409, "which_books")
    assert browser.get("/api/merchants").status_code == 200
    named = browser.post("/api/merchants", headers={HEADER: other_books.split("/")[2]}, **body)
    assert named.status_code == 201
    assert ada.get("/api/merchants").json["merchants"] == []
    assert browser.post("/api/merchants", headers={HEADER: dan.organization_id}, **body).status_code == 404
    assert dan.browser().post("/api/merchants", **body).status_code == 201
    assert ada.post("/api/merchants", **body).status_code == 201
    of_second = browser.get(f"/api/merchants?organization={other_books.split('/')[2]}&limit=5")
    assert [each["name"] for each in of_second.json["merchants"]] == ["Lamp maker"]
    assert dan.get(f"/api/merchants?organization={dan.organization_id}").status_code == 422


def test_the_menu_lists_the_books_of_a_person(ada, dan, other_books):
    page = ada.browser().get("/books").text
    assert "Lantern Studio" in page
    assert "Second" in page
    assert "Harbour Bakery" not in page
    assert "Second" in ada.browser().get("/search?q=second").text
