"""Saved views: a filter under a name in the bar of its list, of one person in one set of books."""

import re
from html import unescape

import pytest

LISTS = [
    ("/journal", "status=DRAFT&q=rent&cursor=&line=4"),
    ("/documents", "documentType=BILL"),
    ("/merchants", "q=blum"),
    ("/owed", "side=PAYABLES&asOf=2026-03-31"),
    ("/feeds/{}", "show=pending&q=tea&selected=1.2"),
]


def views(person, path, query=""):
    shown = person.browser().get("/views", query_string={"path": path, "query": query}).text
    bar = re.search(r'<nav id="views".*?</nav>', shown, re.DOTALL)[0]
    return [
        (unescape(name), unescape(address), "aria-current" in rest)
        for address, rest, name in re.findall(r'<a class="button small" href="([^"]*)"([^>]*)>([^<]*)', bar)
    ]


def save(person, path, query, name):
    return person.browser().post("/views", data={"path": path, "query": query, "name": name})


@pytest.mark.parametrize(("path", "query"), LISTS)
def test_a_filter_of_each_list_is_saved_shown_renamed_and_deleted_by_its_person_alone(
    ada, ben, cleo, bank, path, query
):
    browser = cleo.browser()
    bank.send_many([("2026-03-02", "-1.00", "Tea")])
    path = path.format(bank.fa_id)
    assert f"path={path}" in browser.get(path).text
    saved = save(cleo, path, query, "Mine & yours")
    assert saved.status_code == 303
    [(name, address, is_current)] = views(cleo, path, query + "&cursor=x")
    assert (name, is_current) == ("Mine & yours", True)
    assert address.endswith(saved.location)
    assert "cursor" not in address
    assert "selected" not in address
    page = browser.get(saved.location).text
    assert re.search(r'aria-current="true">Mine &amp; yours</a>', page)
    assert "Mine &amp; yours" not in ada.browser().get(saved.location).text
    assert views(ben, path) == []
    part = {"HX-Request": "true", "HX-Target": "nav#views", "HX-Current-URL": f"http://localhost{address}"}
    bar = browser.get("/views", query_string={"path": path}, headers=part).text
    assert bar.count("aria-current") == 1
    assert "<html" not in bar
    view_id = re.search(
        r"/views/(\d+)/delete", browser.get("/views", query_string={"path": path, "query": query}).text
    )[1]
    assert ben.browser().post(f"/views/{view_id}", data={"name": "Theirs"}).status_code == 404
    assert ben.browser().post(f"/views/{view_id}/delete").status_code == 404
    assert save(cleo, path, "q=other", "Other").status_code == 303
    taken = browser.post(f"/views/{view_id}", data={"name": "Other"})
    assert taken.status_code == 409
    assert "Another saved view of this list has this name; choose another one." in unescape(taken.text)
    assert save(cleo, path, "q=third", "Other").status_code == 409
    assert browser.post(f"/views/{view_id}", data={"name": "Renamed"}).status_code == 303
    assert [name for name, *_ in views(cleo, path)] == ["Renamed", "Other"]
    assert browser.post(f"/views/{view_id}/delete").status_code == 303
    assert [name for name, *_ in views(cleo, path)] == ["Other"]


@pytest.mark.parametrize(
    ("path", "query", "name"),
    [
        ("/journal", "cursor=x", "No filter"),
        ("/journal", "q=rent", " "),
        ("/settings/keys", "q=rent", "Elsewhere"),
        ("//example.com", "q=rent", "Elsewhere"),
        ("/journal", "q=" + "x" * 2000, "Too long"),
    ],
)
def test_what_is_no_filter_of_a_list_is_not_saved(ada, path, query, name):
    assert save(ada, path, query, name).status_code == 422
    assert views(ada, "/journal") == []


def test_a_person_chooses_the_colours_of_all_pages(ada, ben):
    browser = ada.browser()
    for theme, shown in (("dark", 'data-theme="dark"'), ("light", 'data-theme="light"')):
        assert browser.post("/settings/sign-in/theme", data={"theme": theme}).status_code == 303
        assert f'<html lang="en" {shown}>' in browser.get("/journal").text
    assert "data-theme" not in ben.browser().get("/journal").text
    assert browser.post("/settings/sign-in/theme", data={"theme": "pink"}).status_code == 422
    browser.post("/settings/sign-in/theme", data={"theme": ""})
    assert "data-theme" not in browser.get("/journal").text
