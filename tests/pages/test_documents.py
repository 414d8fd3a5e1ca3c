"""The pages of documents, in a browser without JavaScript: filed, changed, attached and downloaded."""

from io import BytesIO

import pytest

from tests.documents import DOCUMENTS, PDF, filed, pdf, read, sent


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


def test_what_is_refused_is_said_where_it_was_tried(bank, desk_):
    page = upload(desk_, data=b"<html><script>alert(1)</script></html>", name="bill.pdf", sender="Kept")
    assert page.status_code == 422
    assert "this is none" in page.text
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
    wrong = desk_.post(address, data=fields(last, total="4,50"))
    assert wrong.status_code == 422
    assert 'value="4,50"' in wrong.text


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
    assert "Attach" not in page
    assert "Delete" not in page
    assert 'action="/documents" method="post"' not in browser.get("/documents").text
    assert browser.get(f"/documents/{document['id']}/file").data == pdf("seen")
    assert browser.get(DOCUMENTS.removeprefix("/api")).status_code == 200


def test_a_document_is_deleted_on_its_page_unless_something_holds_it(ben, bank, desk_):
    line = bank.send("2026-03-03", "-119.00", "Hetzner March")
    bill = filed(ben, sender="Hetzner", total="119.00")
    address = f"/documents/{bill['id']}"
    assert "The document goes for good." in desk_.get(address).text
    related = {"transactionId": line}
    desk_.post(f"{address}/relations", data=related)
    ben.post(f"/api/transactions/{line}/confirm")
    assert "disabled>Delete the document" in desk_.get(address).text
    refused = desk_.post(f"{address}/delete")
    assert refused.status_code == 409
    assert "the line of 3 Mar 2026, which is posted" in refused.text
    desk_.post(f"{address}/relations/delete", data=related)
    gone = desk_.post(f"{address}/delete")
    assert (gone.status_code, gone.headers["Location"]) == (303, "/documents")
    assert desk_.get(address).status_code == 404
