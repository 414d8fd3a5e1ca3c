"""An error to a part of a page: a sentence in its place, never a page within a page."""

import pytest

PLACES = ["li#line-4711", "tr#note-4711", "section#panel", "tbody#rows", "form", "ul#lines"]


@pytest.mark.parametrize("target", PLACES)
@pytest.mark.parametrize(
    ("path", "method"),
    [("/transactions/4711/confirm", "POST"), ("/journal/4711", "GET"), ("/feeds/4711", "GET")],
)
def test_what_is_gone_is_said_in_the_place_that_asked(ada, target, path, method):
    gone = ada.browser().htmx(method, path, target=target)
    tag, _, element = target.partition("#")
    assert gone.status_code == 404
    assert (gone.text.strip().startswith(f"<{tag}") and f'id="{element}"' in gone.text) or not element
    assert "This is no longer there." in gone.text
    assert "Reload the page" in gone.text
    assert "<html" not in gone.text
    assert "<main" not in gone.text


def test_what_a_person_may_not_is_said_in_its_place_too(cleo):
    refused = cleo.browser().htmx("POST", "/merchants", target="form#new", data={"name": "Lamp maker"})
    assert refused.status_code == 403
    assert refused.text.strip().startswith('<form id="new"')


def test_a_whole_page_is_answered_with_a_page(ada):
    page = ada.browser().htmx("GET", "/journal/4711", target="body")
    assert page.status_code == 404
    assert "<html" in page.text
