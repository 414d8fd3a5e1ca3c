"""The pages of documents, in a browser without JavaScript: filed, changed, attached and downloaded."""

from io import BytesIO

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, PDF, filed, pdf, read, sent
from tests.fixtures.helpers.habits import decide


@pytest.fixture
def desk_(ben):
    return ben.browser()


def upload(browser, data=PDF, name="bill.pdf", **form):
    parts = {"file": (BytesIO(data), name), **form}
    return browser.post("/documents", data=parts, content_type="multipart/form-data")


def fields(document, **changes):
    """Give what the form of a document posts: every field, changed or not."""
    names = (
        *("documentType", "sender", "number", "issuedOn", "net", "tax", "total", "currency", "text"),
        *("accountId", "orgMerchantId", "projectId"),
    )
    return {name: document[name] or "" for name in names} | changes


def test_a_file_is_filed_and_its_document_shown(ben, bank, desk_):
    answer = upload(desk_, sender="Hetzner Online", documentType="BILL")
    assert answer.status_code == 303
    page = desk_.get(answer.headers["Location"]).text
    assert "Hetzner Online" in page
    assert "application/pdf" in page
    there = upload(desk_, name="again.pdf")
    assert there.status_code == 409
    assert f'href="{answer.headers["Location"]}"' in there.text


def test_a_document_without_a_total_says_so_in_the_list(ben, bank, desk_):
    filed(ben, sender="Caffe Nero")
    assert "No total" in desk_.get("/documents").text
    german = desk_.get("/documents", headers={"Accept-Language": "de"}).text
    assert "Kein Gesamtbetrag" in german


def test_what_is_refused_is_said_where_it_was_tried(bank, desk_):
    page = upload(desk_, data=b"<html><script>alert(1)</script></html>", name="bill.pdf", sender="Kept")
    assert page.status_code == 422
    assert "this file is none" in page.text
    assert 'value="Kept"' in page.text
    assert desk_.post("/documents", data={}, content_type="multipart/form-data").status_code == 422
    long = upload(desk_, number="x" * 256)
    assert "Write at most 255 characters." in long.text


def test_saving_a_form_chooses_only_what_was_changed(ben, bank, desk_):
    food, travel = bank.account("Food"), bank.account("Travel")
    rule = {
        "name": "Coffee", "target": "RECEIPT", "conditions": {"conditions": [{"value": "nero"}]},
        "effects": [{"kind": "SET_ACCOUNT", "accountId": food}, {"kind": "SET_CURRENCY", "currency": "GBP"}],
    }  # fmt: skip
    assert ben.post("/api/automations/rules", json=rule).status_code == 201
    document = filed(ben, sender="Caffe Nero", total="4.50", documentType="RECEIPT")
    assert (document["accountId"], document["currency"]) == (food, "GBP")
    address = f"/documents/{document['id']}"
    assert "Coffee, version 1" in desk_.get(address).text
    assert desk_.post(address, data=fields(document, text="Two flat whites")).status_code == 303
    again = read(ben, document)
    assert (again["text"], len(again["provenance"])) == ("Two flat whites", 2)
    desk_.post(address, data=fields(again, accountId=travel))
    desk_.post(address, data=fields(read(ben, document), sender="Nero"))
    last = read(ben, document)
    assert (last["accountId"], last["sender"]) == (travel, "Nero")
    assert [each["field"] for each in last["provenance"]] == ["currency"]
    wrong = desk_.post(address, data=fields(last, total="4,5O"))
    assert wrong.status_code == 422
    assert 'value="4,5O"' in wrong.text


def test_a_document_is_attached_to_the_line_of_its_amount(ben, bank, desk_):
    line = bank.send("2026-03-03", "-119.00", "Hetzner March")
    bank.send("2026-03-03", "-118.00", "Another")
    document = filed(ben, sender="Hetzner", total="119.00", issuedOn="2026-03-02")
    address = f"/documents/{document['id']}"
    page = desk_.get(address).text
    assert "Hetzner March" in page
    assert "Another" not in page
    related = {"transactionId": line}
    assert desk_.post(f"{address}/relations", data=related).status_code == 303
    assert [each["transactionId"] for each in read(ben, document)["relations"]] == [line]
    entry_id = ben.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    assert f'href="{address}"' in desk_.get(f"/journal/{entry_id}").text
    assert desk_.post(f"{address}/relations/delete", data=related).status_code == 303
    assert read(ben, document)["relations"] == []
    unknown = desk_.post(f"{address}/relations", data={"journalEntryId": "999999"})
    assert "There is no entry of that number." in unknown.text


def test_a_viewer_sees_and_downloads_without_forms(ada, cleo, bank):
    document = sent(ada, data=pdf("seen")).json["document"]
    browser = cleo.browser()
    page = browser.get(f"/documents/{document['id']}").text
    assert "Save the document" not in page
    assert "Attach</button>" not in page
    assert "Delete" not in page
    assert 'action="/documents" method="post"' not in browser.get("/documents").text
    assert browser.get(f"/documents/{document['id']}/file").data == pdf("seen")
    assert browser.get(DOCUMENTS.removeprefix("/api")).status_code == 200


def test_a_document_is_deleted_on_its_page_unless_something_holds_it(ben, bank, desk_):
    line = bank.send("2026-03-03", "-119.00", "Hetzner March")
    bill = filed(ben, sender="Hetzner", total="119.00")
    address = f"/documents/{bill['id']}"
    assert "The document is deleted for good." in desk_.get(address).text
    related = {"transactionId": line}
    desk_.post(f"{address}/relations", data=related)
    assert "for good. It is detached from its bank lines and entries." in desk_.get(address).text
    ben.post(f"/api/transactions/{line}/confirm")
    assert "disabled>Delete the document" in desk_.get(address).text
    refused = desk_.post(f"{address}/delete")
    assert refused.status_code == 409
    assert "the line of 3 Mar 2026, which is posted" in refused.text
    desk_.post(f"{address}/relations/delete", data=related)
    gone = desk_.post(f"{address}/delete")
    assert (gone.status_code, gone.headers["Location"]) == (303, "/documents")
    assert desk_.get(address).status_code == 404


def test_the_entry_of_a_document_is_written_from_its_page(ben, bank, desk_):
    food, shop = bank.account("Food", code="4711"), bank.merchant("Hetzner")
    bill = filed(
        ben, documentType="BILL", sender="Hetzner", number="118", issuedOn="2026-03-02", total="119.00",
        accountId=food, orgMerchantId=shop,
    )  # fmt: skip
    address = f"/documents/{bill['id']}"
    link = f"/journal/new?documentId={bill['id']}"
    assert f'href="{link}"' in desk_.get(address).text
    page = desk_.get(link).text
    for said in ('value="2 Mar 2026"', 'value="Hetzner 118"', 'value="4711 Food"', 'value="119.00"'):
        assert said in page, said
    form = {
        "effectiveAt": "2026-03-02", "description": "Hetzner 118", "documentId": bill["id"], "act": "draft",
        "postings.0.accountId": "4711", "postings.0.debit": "119.00", "postings.0.orgMerchantId": shop,
        "postings.1.accountId": "Opening balances", "postings.1.credit": "119.00",
    }  # fmt: skip
    wrong = desk_.post("/journal/new", data=form | {"postings.1.credit": "118.00"})
    assert wrong.status_code in {409, 422}
    assert f'name="documentId" value="{bill["id"]}"' in wrong.text
    saved = desk_.post("/journal/new", data=form)
    assert saved.status_code == 303
    entry_id = int(saved.headers["Location"].rsplit("/", 1)[1])
    assert [each["journalEntryId"] for each in read(ben, bill)["relations"]] == [entry_id]
    entry = ben.get(f"/api/journal-entries/{entry_id}").json["entry"]
    assert (entry["source"], entry["origin"]["documentId"]) == ("document", bill["id"])
    assert link not in desk_.get(address).text
    assert "came from this document" in desk_.get(address).text


def test_a_form_is_filled_on_the_side_that_its_document_means_and_as_far_as_it_says(ben, bank, desk_):
    bank.lock("2026-03-31")
    said = {"issuedOn": "2026-03-02", "total": "7.00", "sender": "X"}
    sides = [
        ("BILL", "7.00", "debit"),
        ("INVOICE", "7.00", "credit"),
        ("CREDIT_NOTE", "7.00", "credit"),
        ("BILL", "-7.00", "credit"),
    ]
    for kind, total, side in sides:
        whose = {"side": "PURCHASE"} if kind == "CREDIT_NOTE" else {}
        document = filed(ben, **{**said, **whose, "documentType": kind, "total": total})
        page = desk_.get(f"/journal/new?documentId={document['id']}").text
        assert 'value="1 Apr 2026"' in page, "the first open day"
        first = page[page.index('name="postings.0.accountId"') : page.index('name="postings.1.accountId"')]
        column = first[first.index(f'name="postings.0.{side}"') :]
        assert 'value="7.00"' in column[: column.index(">")], (kind, total)
    bare = filed(ben, sender="Only a name")
    page = desk_.get(f"/journal/new?documentId={bare['id']}").text
    assert 'value="Only a name"' in page
    assert desk_.get("/journal/new?documentId=999999").status_code == 404
    assert desk_.get("/journal/new?documentId=x").status_code == 200


@pytest.mark.parametrize(
    ("side", "words", "column"), [("PURCHASE", "Of a supplier", "credit"), ("SALE", "Our own", "debit")]
)
def test_whose_a_credit_note_is_is_asked_before_it_is_booked(ben, bank, desk_, side, words, column):
    note = filed(ben, documentType="CREDIT_NOTE", sender="Somebody", issuedOn="2026-03-02", total="11.90")
    address, link = f"/documents/{note['id']}", f"/journal/new?documentId={note['id']}"
    page = desk_.get(address).text
    assert "Whose credit note?" in page
    assert f'<button class="button" name="side" value="{side}">{words}</button>' in page
    assert link not in page
    assert "Make the merchant" not in page
    asked = desk_.get(link)
    assert (asked.status_code, asked.headers["Location"]) == (303, f"{address}#side")
    line = bank.send("2026-03-16", "11.90", "Somebody")
    desk_.post(f"{address}/relations", data={"transactionId": line})
    assert (
        f'href="{address}#side">Whose credit note?' in desk_.get(f"/feeds/1?line={line}&edit=documents").text
    )
    desk_.post(f"{address}/relations/delete", data={"transactionId": line})
    assert desk_.post(address, data={"side": side}).status_code == 303
    assert "Whose credit note?" not in desk_.get(address).text
    first = desk_.get(link).text
    first = first[first.index('name="postings.0.accountId"') : first.index('name="postings.1.accountId"')]
    place = first[first.index(f'name="postings.0.{column}"') :]
    assert 'value="11.90"' in place[: place.index(">")]


def test_an_entry_is_kept_though_its_document_went_while_it_was_written(ben, bank, desk_):
    bank.account("Food", code="4711")
    gone = filed(ben, sender="Gone")
    ben.delete(f"{DOCUMENTS}/{gone['id']}")
    form = {
        "effectiveAt": "2026-03-02", "documentId": gone["id"], "act": "draft",
        "postings.0.accountId": "4711", "postings.0.debit": "1.00",
        "postings.1.accountId": "Opening balances", "postings.1.credit": "1.00",
    }  # fmt: skip
    page = desk_.post("/journal/new", data=form)
    assert page.status_code == 422
    assert "The document no longer exists. Save the entry without it." in page.text
    assert 'name="documentId"' not in page.text
    del form["documentId"]
    assert desk_.post("/journal/new", data=form).status_code == 303


def test_the_likely_account_of_a_document_comes_first_with_its_reason(ada, ben, bank, desk_):
    bank.open()
    travel = bank.account("Travel")
    decide(ada, bank, travel, "DB Vertrieb 4711", "DB Vertrieb", "DB Vertrieb 12")
    bill = filed(ben, sender="DB Vertrieb GmbH 0815", documentType="BILL")
    page = desk_.get(f"/documents/{bill['id']}").text
    assert f'data-likely="{travel}"' in page
    assert "3 of 3 payments to DB Vertrieb went to Travel." in page
    invoice = filed(ben, sender="DB Vertrieb", documentType="INVOICE", number="7")
    assert "data-likely" not in desk_.get(f"/documents/{invoice['id']}").text


def test_an_invoice_is_shown_as_people_read_it(ben, desk_):
    data = invoices.ubl(tax="3.50", gross="153.50", due="153.50").replace(
        b"<cbc:ID>S</cbc:ID>\n<cbc:Percent>19", b"<cbc:ID>AE</cbc:ID>\n<cbc:Percent>0"
    )
    data = data.replace(b"<cbc:ID>S</cbc:ID><cbc:Percent>19", b"<cbc:ID>AE</cbc:ID><cbc:Percent>0")
    document = sent(ben, data.replace(b">19.00<", b">0.00<"), "invoice.xml").json["document"]
    page = desk_.get(f"/documents/{document['id']}").text
    assert page.count("0 % reverse charge") == 3
    assert "<td>7 %</td>" in page
    # A phone has no room for five columns: what makes the net stands below the item.
    assert '<small class="phone">20 \u00d7 5.00 · 0 % reverse charge</small>' in page
    assert '<span class="total ties">153.50</span>' in page
