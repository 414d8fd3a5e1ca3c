"""Documents that do not add up are kept with a finding; a number that its sender has used is asked about."""

import pytest

from tests.fixtures.helpers.documents import DOCUMENTS, changed, filed, pdf, read, sent

pytestmark = pytest.mark.usefixtures("sound")
BILL = {"sender": "Cloud host", "number": "R-1", "total": "119.00"}
WRONG = {"net": "100.00", "tax": "20.00", "total": "119.00", "currency": "EUR"}


def test_a_document_whose_net_and_tax_do_not_make_its_total_is_kept_with_a_finding(ben, bank):
    document = filed(ben, **WRONG)
    assert document["findings"] == [
        {
            "code": "total_differs",
            "message": (
                "Net 100.00 EUR and tax 20.00 EUR make 120.00 EUR, and the total is 119.00 EUR."
                " Compare them with the document."
            ),
        }
    ]
    (listed,) = ben.get(DOCUMENTS).json["documents"]
    assert listed["findings"] == document["findings"]
    assert "the total is 119.00" in ben.browser().get(f"/documents/{document['id']}").text
    assert changed(ben, document, tax="19.00")["findings"] == []


@pytest.mark.parametrize("missing", ["net", "tax", "total"])
def test_what_is_not_on_a_document_is_no_finding(ben, bank, missing):
    known = {name: value for name, value in WRONG.items() if name != missing}
    assert filed(ben, **known)["findings"] == []


def test_the_same_sender_and_number_with_another_file_is_asked_about(ben, bank):
    first = sent(ben, pdf("one"), **BILL).json["document"]
    again = {**BILL, "sender": "CLOUD HOST"}
    refused = sent(ben, pdf("two"), **again)
    assert (refused.status_code, refused.json["code"]) == (409, "same_invoice")
    assert refused.json["details"] == {"documentId": first["id"]}
    assert f"has sent number R-1 before: document {first['id']}, over 119.00 EUR." in refused.json["error"]
    unexplained = sent(ben, pdf("two"), **again, force="true")
    assert (unexplained.status_code, list(unexplained.json["fields"])) == (422, ["note"])
    assert len(ben.get(DOCUMENTS).json["documents"]) == 1
    assert sent(ben, pdf("two"), **again, force="true", note="A corrected bill").status_code == 201
    act, *_ = ben.get("/api/action-requests?kind=create_document").json["actionRequests"]
    assert act["note"] == "A corrected bill"


def test_other_numbers_other_senders_and_other_organizations_are_not_asked_about(ben, dan, bank):
    filed(ben, **BILL)
    for person, fields in [
        (ben, {**BILL, "number": "R-2"}),
        (ben, {**BILL, "sender": "Phone company"}),
        (ben, {"number": "R-1"}),
        (ben, {"sender": "Cloud host"}),
        (dan, BILL),
    ]:
        assert person.post(DOCUMENTS, json=fields).status_code == 201


def test_a_document_that_gets_the_number_of_another_one_is_asked_about(ben, bank):
    first, second = filed(ben, **BILL), filed(ben, sender="Cloud host")
    refused = ben.patch(f"{DOCUMENTS}/{second['id']}", json={"number": "R-1"})
    assert (refused.status_code, refused.json["code"]) == (409, "same_invoice")
    assert refused.json["details"] == {"documentId": first["id"]}
    assert read(ben, second) == second
    assert changed(ben, second, number="R-1", force=True, note="Two parts")["number"] == "R-1"
    # Another field of either is no question any more.
    assert changed(ben, first, text="Paid")["text"] == "Paid"


def test_a_person_is_asked_on_the_page_and_may_insist(ben, bank):
    browser = ben.browser()
    first = filed(ben, **BILL)
    form = {"sender": "Cloud host", "number": "R-1"}
    refused = browser.post("/documents", data=form, content_type="multipart/form-data")
    assert refused.status_code == 409
    assert f'href="/documents/{first["id"]}"' in refused.text
    assert 'name="force"' in refused.text
    insisting = {**form, "force": "true", "note": "A copy for the tax office"}
    filed_too = browser.post("/documents", data=insisting, content_type="multipart/form-data")
    assert filed_too.status_code == 303
    second = filed(ben, sender="Cloud host")
    address = f"/documents/{second['id']}"
    asked = browser.post(address, data={"number": "R-1", "sender": "Cloud host"})
    assert asked.status_code == 409
    assert 'name="force"' in asked.text
    unexplained = browser.post(address, data={"number": "R-1", "sender": "Cloud host", "force": "true"})
    assert "Write a note on why both documents are needed." in unexplained.text
    saved = browser.post(
        address, data={"number": "R-1", "sender": "Cloud host", "force": "true", "note": "Two"}
    )
    assert saved.status_code == 303
