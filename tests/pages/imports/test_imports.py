"""The page of an import: whether a file adds up and what to do where not, and what holds one that cannot go."""

import io
import re
from html import unescape

import pytest

from tests.fixtures.bank_files.camt_files import balance, entry, message, statement


def month(opening, closing, *days, **facts):
    lines = [entry(booked=day, reference=f"R{day}", **facts) for day in days]
    stated = balance("OPBD", opening, days[0]), balance("CLBD", closing, on=days[-1])
    return message(statement(stated[0], *lines, stated[1]))


def preview(person, data):
    """Look at a file; answers the address of its page."""
    browser = person.browser()
    answer = browser.post("/imports", data={"file": (io.BytesIO(data), "month.xml")})
    assert answer.status_code == 303
    return browser, answer.headers["Location"]


def take(person, data):
    browser, address = preview(person, data)
    assert browser.post(f"{address}/commit").status_code == 303
    return browser, address


def text_of(browser, address):
    answer = browser.get(address)
    assert answer.status_code == 200
    main = answer.text[answer.text.index("<main") :]
    return " ".join(unescape(re.sub("<[^>]+>", " ", main)).split())


def test_a_file_that_does_not_add_up_says_by_how_much_and_what_that_may_mean(ben):
    text = text_of(*preview(ben, month("100.00", "40.00", "2026-10-02", "2026-10-30")))
    assert "Does not add up" in text
    assert "lines may be missing" not in text
    assert (
        "Off by −35.00. Opening and booked lines come to 75.00, and the file closes with 40.00."
        " It may be one of these: Lines of −35.00 together are missing from the file. Export the same days again."
        " A line of 35.00 is in the file twice." in text
    )
    assert "between the opening of 2 Oct 2026 and the close of 30 Oct 2026" in text
    assert "pending" not in text[text.index("Off by") : text.index("You can import the file as it is")]


def test_pending_lines_that_the_close_may_count_are_named_where_there_are_some(ben):
    pending = entry(booked="2026-10-30", reference="P", status="PDNG")
    stated = balance("OPBD", "100.00", "2026-10-01"), balance("CLBD", "75.00", on="2026-10-30")
    data = message(statement(stated[0], entry(booked="2026-10-02"), pending, stated[1]))
    text = text_of(*preview(ben, data))
    assert "The bank counts 1 pending line in its closing balance." in text


def test_a_file_that_adds_up_says_only_that(ben):
    text = text_of(*preview(ben, month("100.00", "75.00", "2026-10-02", "2026-10-30")))
    assert "Adds up" in text
    assert "Off by" not in text


def test_what_is_missing_between_two_files_stands_beside_the_account_and_nowhere_else(ben):
    take(ben, month("100.00", "75.00", "2026-10-02", "2026-10-30"))
    browser, address = preview(ben, month("80.00", "67.50", "2026-11-03"))
    text = text_of(browser, address)
    assert text.count("5.00 EUR apart") == 1
    assert (
        "This file opens with 80.00 EUR, and the one before it closed on 30 Oct 2026 with 75.00 EUR" in text
    )
    card = browser.get(address).text.partition('aria-label="Lantern Studio"')[2].partition("</section>")[0]
    assert "5.00 EUR apart" in card


def test_an_import_that_nothing_holds_can_be_taken_back(ben):
    text = text_of(*take(ben, month("100.00", "87.50", "2026-10-02")))
    assert "1 line will be removed. Import the file again to have them back. Remove this import" in text
    assert "it cannot be removed" not in text


def test_what_goes_with_an_import_is_said_before(ben, books):
    browser, address = take(ben, month("100.00", "75.00", "2026-10-02", "2026-10-30"))
    (line, _) = ben.get("/api/transactions").json["transactions"]
    assert (
        ben.patch(
            f"/api/transactions/{line['id']}", json={"accountId": books.account_id("Travel")}
        ).status_code
        == 200
    )
    assert "2 lines, 1 with an account, will be removed." in text_of(browser, address)


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("confirmed", "are or were confirmed, so it cannot be removed."),
        ("cleared", "are ticked on a statement; untick them, then remove the import."),
    ],
)
def test_an_import_that_cannot_go_names_the_lines_that_hold_it(ben, cleo, state, why):
    browser, address = take(ben, month("100.00", "75.00", "2026-10-02", "2026-10-30"))
    line = ben.get("/api/transactions").json["transactions"][0]
    if state == "confirmed":
        held_by = ben.post(f"/api/transactions/{line['id']}/confirm").json["result"]["journalEntryIds"][0]
        link = f'href="/journal/{held_by}"'
    else:
        draft = {"statementDate": "2026-10-30", "statementBalance": "75.00"}
        started = browser.post(f"/reconciliations/{line['faId']}/draft", data=draft)
        assert started.status_code < 400, started.text
        cleared = browser.post(f"/reconciliations/{line['faId']}/lines", data={"cleared": line["id"]})
        assert cleared.status_code < 400, cleared.text
        link = f'href="/feeds/{line["faId"]}">Ticked<'
    page = browser.get(address).text
    assert why in page
    assert "Remove this import" not in page
    assert f"?show=all&amp;line={line['id']}#line-{line['id']}" in page.partition(why)[2]
    assert link in page
    assert why not in cleo.browser().get(address).text
