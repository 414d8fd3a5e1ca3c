"""Finding anything by what is typed: the page and the palette, on both databases."""

import io
import re

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import line
from tests.fixtures.helpers.documents import filed
from tests.fixtures.helpers.marks import on_sqlite

HIT = re.compile(
    r'<a class="hit"[^>]*href="([^"]*)"[^>]*>.*?<span class="hit-title" dir="auto">(.*?)</span>', re.DOTALL
)
GROUP = re.compile(r'role="group" aria-label="([\w ]+)"(.*?)(?=role="group"|\Z)', re.DOTALL)


@pytest.fixture
def found(ada):
    def search(typed, person=ada):
        answer = person.browser().htmx(
            "GET", "/search", target="div#palette-found", query_string={"q": typed}
        )
        assert answer.status_code == 200
        return {
            name: [title for _, title in HIT.findall(hits) if not title.startswith("Search the whole")]
            for name, hits in GROUP.findall(answer.text)
        }

    return search


def of(found, group):
    return found.get(group, [])


def test_a_line_is_found_by_beginnings_of_its_words_and_by_its_amount(bank, found):
    bank.send(
        "2026-03-02",
        "-42.10",
        "SVWZ+Rechnung RE-2026-0311",
        counterparty="Café Köln",
        iban="DE89370400440532013000",
    )
    bank.send("2026-03-03", "-5.00", "Card payment")
    whole = ["Café Köln · SVWZ+Rechnung RE-2026-0311"]
    for typed in (
        "rech",
        "KOLN caf",
        "köln",
        "re-2026-0311",
        "0311 svw",
        "42.10",
        "-42.1",
        "de89 3704 0044",
        "DE8937040044",
    ):
        assert of(found(typed), "Bank lines") == whole, typed
    for typed in ("re", "echnung", "42.11", "koln card", "3704", "'", '"', "rech'echnung"):
        assert of(found(typed), "Bank lines") == [], typed


def test_lines_of_other_books_and_deleted_ones_are_not_found(bank, ada, dan, found):
    mine = bank.send("2026-03-02", "-1.00", "Quarterly rent")
    assert of(found("quarterly"), "Bank lines") == ["Quarterly rent"]
    assert of(found("quarterly", dan), "Bank lines") == []
    assert ada.delete(f"/api/transactions/{mine}").status_code == 200
    assert of(found("quarterly"), "Bank lines") == []


def test_a_line_is_found_however_it_came_and_by_its_latest_words(ada, feed, found):
    file = bank_file(Line("2026-03-05", "-3.00", "Stationery"))
    ada.post("/api/feeds/imports", data={"file": (io.BytesIO(file), "march.ofx")})
    assert of(found("stationery"), "Bank lines")
    feed.push("one", added=[line("A1", description="Coffee Nero")])
    assert of(found("nero"), "Bank lines") == ["Coffee Nero"]
    feed.push("two", modified=[line("A1", description="Coffee Lavazza")])
    assert of(found("lavazza"), "Bank lines") == ["Coffee Lavazza"]
    assert of(found("nero"), "Bank lines") == []


@on_sqlite
def test_names_codes_entries_and_documents_are_found_and_the_best_group_comes_first(ada, bank, found):
    account = bank.account("Fairs & shows", code="4711")
    bank.merchant("Hetzner Online")
    bank.project("Spring fair")
    filed(ada, sender="Hetzner", number="R-17", total="119.00", currency="EUR", accountId=None)
    legs = [
        {"accountId": account, "amount": "70"},
        {"accountId": bank.role("uncategorised_income"), "amount": "-70"},
    ]
    body = {"effectiveAt": "2026-03-02", "description": "Booth accrual", "postings": legs}
    entry = ada.post("/api/journal-entries", json=body).json["entry"]["id"]
    ada.post(f"/api/journal-entries/{entry}/post", json={})
    assert found("47")["Accounts"] == ["Fairs &amp; shows"]
    assert next(iter(found("fair"))) == "Accounts"
    assert found("fair")["Projects"] == ["Spring fair"]
    assert (found("hetz")["Customers and suppliers"], found("hetz")["Documents"]) == (
        ["Hetzner Online"],
        ["Hetzner R-17"],
    )
    assert found("119")["Documents"] == ["Hetzner R-17"]
    assert (
        found("accrual")["Entries"]
        == found("70.00")["Entries"]
        == found("#1")["Entries"]
        == ["Booth accrual"]
    )
    assert of(found("ir"), "Accounts") == [], "two letters are looked for at the beginnings only"


@on_sqlite
def test_acts_are_found_by_what_they_do_and_shown_to_whom_may_do_them(bank, ada, people, found):
    bank.open("Current account")
    assert found("reconcile current account")["Acts"] == ["Reconcile Current account"]
    assert found("new rule")["Acts"][0] == "New rule"
    assert of(found("new rule", people["cleo"]), "Acts") == []
    assert of(found("reconcile", people["cleo"]), "Acts") == []
    assert list(found("")) == ["Acts", "Pages"]


@on_sqlite
def test_every_place_of_the_palette_is_there_and_the_page_lists_the_same_without_scripts(ada, bank, found):
    bank.send("2026-03-02", "-1.00", "Quarterly rent")
    browser = ada.browser()
    whole = browser.get("/search").text
    links = [href for href, _ in HIT.findall(whole)]
    assert len(links) > 30
    assert {browser.get(href).status_code for href in set(links)} == {200}
    page = browser.get("/search?q=quarterly").text
    assert [title for _, title in HIT.findall(page)][:1] == ["Quarterly rent"]
