"""The merchant of an e-invoice is recognised by VAT id, then account, then name, and asked for where two fit."""

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import changed, read, sent

pytestmark = pytest.mark.usefixtures("sound")
IBAN = "DE02120300000000202051"
OTHER_IBAN = "DE89370400440532013000"


def merchant(person, name, **facts):
    answer = person.post("/api/merchants", json={"name": name, **facts})
    assert answer.status_code == 201, answer.json
    return answer.json["merchant"]


def filed(person, **facts):
    answer = sent(person, invoices.ubl(**facts), "invoice.xml")
    assert answer.status_code == 201, answer.json
    return read(person, answer.json["document"])


def test_a_merchant_is_known_by_vat_ids_and_accounts_as_they_are_compared(ben, bank):
    made = merchant(
        ben, "Paper", vatIds=["de 123456789", "DE123456789"], ibans=["de02 1203 0000 0000 2020 51"]
    )
    assert (made["vatIds"], made["ibans"]) == (["DE123456789"], [IBAN])
    answer = ben.patch(f"/api/merchants/{made['id']}", json={"ibans": []})
    assert answer.json["merchant"]["ibans"] == []
    assert answer.json["merchant"]["vatIds"] == ["DE123456789"]


@pytest.mark.parametrize(
    ("known", "others"),
    [
        ({"vatIds": ["DE123456789"]}, {"ibans": [IBAN]}),
        ({"ibans": [IBAN]}, {"vatIds": ["DE999999999"]}),
    ],
    ids=["the VAT id before the account", "the account before the name"],
)
def test_what_tells_most_decides(ben, bank, known, others):
    wanted = merchant(ben, "Paper and more", **known)
    merchant(ben, "Paper Shop Ltd" if "vatIds" in others else "Somebody", **others)

    assert filed(ben)["orgMerchantId"] == wanted["id"]


def test_a_name_is_enough_regardless_of_case_where_one_has_it(ben, bank):
    wanted = merchant(ben, "PAPER SHOP LTD")
    assert filed(ben)["orgMerchantId"] == wanted["id"]


def test_where_two_fit_a_person_chooses_and_the_next_invoice_is_recognised(ben, bank):
    merchant(ben, "Paper Shop Ltd")
    wanted = merchant(ben, "Paper Shop Ltd")
    document = filed(ben)
    assert document["orgMerchantId"] is None

    changed(ben, document, orgMerchantId=wanted["id"])

    known = ben.get(f"/api/merchants/{wanted['id']}").json["merchant"]
    assert (known["vatIds"], known["ibans"]) == (["DE123456789"], [IBAN])
    assert filed(ben, number="RE-4712", remittance="RE-4712")["orgMerchantId"] == wanted["id"]


def test_a_merged_merchant_counts_as_the_other_one(ben, bank):
    one, two = merchant(ben, "Paper", vatIds=["DE123456789"]), merchant(ben, "Paper group")
    ben.post(f"/api/merchants/{one['id']}/merge", json={"mergedIntoId": two["id"]})
    assert filed(ben)["orgMerchantId"] == two["id"]


def test_another_account_than_the_known_one_is_a_finding(ben, bank):
    merchant(ben, "Paper", vatIds=["DE123456789"], ibans=[OTHER_IBAN])

    document = filed(ben)

    (finding,) = document["findings"]
    assert finding["code"] == "unknown_account"
    assert (
        f"Paper is known by {OTHER_IBAN}, and this invoice wants to be paid to {IBAN}." in finding["message"]
    )


def test_a_person_makes_the_merchant_of_an_invoice_on_its_page(ben, bank):
    document, browser = filed(ben), ben.browser()
    address = f"/documents/{document['id']}"
    assert "Add Paper Shop Ltd" in browser.get(address).text

    assert browser.post(f"{address}/merchant").status_code == 303

    (made,) = ben.get("/api/merchants?q=Paper").json["merchants"]
    assert (made["name"], made["vatIds"], made["ibans"]) == ("Paper Shop Ltd", ["DE123456789"], [IBAN])
    assert read(ben, document)["orgMerchantId"] == made["id"]
    assert "New supplier" not in browser.get(address).text


def test_a_person_changes_what_a_merchant_is_known_by(ben, bank):
    made, browser = merchant(ben, "Paper", vatIds=["DE123456789"]), ben.browser()
    address = f"/merchants/{made['id']}"
    assert 'value="DE123456789"' in browser.get(address).text

    form = {"name": "Paper", "website": "", "vatIds": "", "ibans": f"{IBAN}, {OTHER_IBAN}"}
    assert browser.post(address, data=form).status_code == 303

    known = ben.get(f"/api{address}").json["merchant"]
    assert (known["vatIds"], known["ibans"]) == ([], [IBAN, OTHER_IBAN])


@pytest.mark.parametrize("invoice", [{}, {"iban": OTHER_IBAN}], ids=["of one account", "of another one"])
def test_a_merchant_forgets_what_it_learnt_where_the_choice_is_undone(ada, bank, invoice):
    agent = ada.with_scopes("read", "draft", "admin")
    merchant(ada, "Paper Shop Ltd")
    wanted = merchant(ada, "Paper Shop Ltd", ibans=[IBAN] if invoice else [])
    document = filed(ada, **invoice)
    changed(agent, document, orgMerchantId=wanted["id"], number="RE-1")

    asked = {"tokenId": agent.token_id, "since": "2026-01-02T00:00:00Z"}
    person = ada.browser()
    seen = person.post("/api/action-requests/undo/preview", json=asked).json
    done = person.post("/api/action-requests/undo", json={**asked, "digest": seen["digest"]}).json

    assert [each["status"] for each in done["results"]] == ["EXECUTED"]
    known = ada.get(f"/api/merchants/{wanted['id']}").json["merchant"]
    assert (known["vatIds"], known["ibans"]) == ([], [IBAN] if invoice else [])
    back = read(ada, document)
    assert (back["orgMerchantId"], back["number"]) == (document["orgMerchantId"], document["number"])
