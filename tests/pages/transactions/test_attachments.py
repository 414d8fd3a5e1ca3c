"""Receipts on lines and entries: attached where the payment stands, proposed by amount and day with their evidence."""

import re
from html import unescape
from io import BytesIO

import pytest

from tests.fixtures.helpers.documents import PDF, filed, pdf, read

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.fixture
def browser(ben):
    return ben.browser()


@pytest.fixture
def line(bank):
    return bank.send("2026-03-05", "-12.50", "PAPER SHOP LTD card 4711")


def attach(browser, data=PDF, name="receipt.pdf", **owner):
    parts = {"file": (BytesIO(data), name), **owner}
    return browser.post("/documents", data=parts, content_type="multipart/form-data")


def text(page):
    return " ".join(unescape(re.sub("<[^>]*>", " ", page)).split())


def relations(ben):
    documents = ben.get("/api/documents").json["documents"]
    return {
        (each["transactionId"], each["journalEntryId"])
        for document in documents
        for each in document["relations"]
    }


def test_a_file_is_attached_to_a_line_where_it_is_dropped_and_the_same_file_to_another_one(
    ben, bank, browser, line
):
    headers = {"Referer": "http://localhost/feeds/1?show=unconfirmed&q=paper"}
    parts = {"file": (BytesIO(PDF), "receipt.pdf"), "transactionId": line}
    done = browser.post("/documents", data=parts, headers=headers, content_type="multipart/form-data")
    assert done.location == f"/feeds/1?show=unconfirmed&q=paper&line={line}&edit=documents#line-{line}"
    page = browser.get(done.location.partition("#")[0]).text
    assert "receipt.pdf" in page
    assert "1 document" in page
    other = bank.send("2026-03-06", "-1.00", "Stamps")
    assert attach(browser, transactionId=other).status_code == 303
    assert relations(ben) == {(line, None), (other, None)}
    assert len(ben.get("/api/documents").json["documents"]) == 1


def test_a_refused_file_is_attached_nowhere_and_the_next_choice_still_is(ben, browser, line):
    refused = attach(browser, b"<html></html>", transactionId=line)
    assert refused.status_code == 422
    assert f'name="transactionId" value="{line}"' in refused.text
    missing = attach(browser, transactionId=999_999)
    assert missing.status_code in {404, 422}
    assert ben.get("/api/documents").json["documents"] == []


def test_documents_of_the_amount_are_offered_with_their_evidence_the_best_first(ben, browser, line):
    filed(ben, sender="Elsewhere", total="12.50", issuedOn="2026-03-05")
    filed(ben, sender="Paper Shop Ltd", number="4711", total="12.50", issuedOn="2026-03-02")
    filed(ben, sender="Long ago", total="12.50", issuedOn="2025-03-02")
    filed(ben, sender="Dear", total="12.51", issuedOn="2026-03-05")
    shown = text(browser.get(f"/feeds/1?show=all&line={line}&edit=documents").text)
    best, _, other = shown.partition("Elsewhere")
    assert "Same amount, 3 days apart, names number 4711 and Paper Shop Ltd" in best
    assert "Same amount, same day" in other
    assert "Long ago" not in shown
    assert "Dear" not in shown


def test_a_document_leads_to_the_lines_and_entries_of_its_amount(ben, bank, browser, line):
    entry = ben.post(
        "/api/journal-entries",
        json={
            "effectiveAt": "2026-03-04",
            "description": "Paper, from the purse",
            "postings": [
                {"accountId": bank.account("Paper"), "amount": "12.50"},
                {"accountId": bank.account("Purse", type_="ASSET"), "amount": "-12.50"},
            ],
        },
    ).json["entry"]["id"]
    document = filed(ben, sender="Paper Shop Ltd", total="12.50", issuedOn="2026-03-04")
    page = browser.get(f"/documents/{document['id']}").text
    assert f'name="transactionId" value="{line}"' in page
    assert f'name="journalEntryId" value="{entry}"' in page
    at = f"/documents/{document['id']}/relations"
    headers = {"Referer": f"http://localhost/journal/{entry}"}
    done = browser.post(at, data={"journalEntryId": entry}, headers=headers)
    assert done.location == f"/journal/{entry}#documents"
    card = browser.get(f"/journal/{entry}").text.partition('id="documents"')[2].partition("</section>")[0]
    assert "Paper Shop Ltd" in card
    of_line = ben.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    attach(browser, transactionId=line)
    assert "receipt.pdf" in browser.get(f"/journal/{of_line}").text
    assert "Detach" in card
    assert f'data-owner="{entry}"' in browser.get(f"/journal/{entry}").text
    browser.post(f"{at}/delete", data={"journalEntryId": entry}, headers=headers)
    assert read(ben, document)["relations"] == []


def test_a_pdf_and_a_picture_are_shown_in_a_sandbox_and_other_files_are_not(browser):
    for data, name, part in ((pdf("a"), "bill.pdf", "<iframe"), (PNG, "bill.png", "<img")):
        address = attach(browser, data, name).location
        page = browser.get(address)
        assert f'{part} class="document-view"' in page.text
        assert "frame-src 'self'" in page.headers["Content-Security-Policy"]
        shown = browser.get(f"{address}/view")
        assert shown.data == data
        assert shown.headers["Content-Disposition"].startswith("inline")
        assert shown.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
        assert shown.headers["X-Content-Type-Options"] == "nosniff"
    address = attach(browser, b"Paid in cash, 12.50", "note.txt").location
    assert "document-view" not in browser.get(address).text
    assert browser.get(f"{address}/view").headers["Content-Disposition"].startswith("attachment")


def test_those_who_only_look_see_documents_and_attach_none(ben, cleo, browser, line):
    attach(browser, transactionId=line)
    page = cleo.browser().get(f"/feeds/1?show=all&line={line}&edit=documents").text
    assert "receipt.pdf" in page
    assert 'class="attach"' not in page
    assert 'id="attach"' not in page
    assert attach(cleo.browser(), pdf("b"), transactionId=line).status_code == 403
